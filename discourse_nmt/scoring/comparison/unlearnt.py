"""Runs in which nothing was learnt, told by their translations: nothing is said of a difference from such a run.

Its s-BLEU is near zero, or its translations are nearly all alike, on every test set. A loss that stays as at the
beginning leaves no other translations.
"""

import pandas as pd

from discourse_nmt.scoring.metrics.score import DISTINCT

NEAR_ZERO = 1.0  # s-BLEU; an untrained network has about 0, translations of other texts some tenths
ALIKE = 0.1  # distinct translations for each sentence; the repeated sentences of subtitles leave more than half
# A test set of few distinct sentences has few distinct translations, too; a system that has learnt has more BLEU there.
LITTLE = 10.0
RUN = ["corpus", "experiment", "seed"]
REMEDY = "Look at the data and the learning curve, or train longer."

Run = tuple[str, str, int]


def unlearnt_runs(scores: pd.DataFrame) -> list[Run]:
    """Corpus, experiment and seed of the runs of a long table in which nothing was learnt."""
    wanted = scores["metric"].isin(["s-BLEU", DISTINCT, "sentences"])
    found = scores[wanted].pivot_table(index=[*RUN, "test_set"], columns="metric", values="value", sort=False)
    found = found.reindex(columns=["s-BLEU", DISTINCT, "sentences"]).dropna(subset="s-BLEU")
    alike = (found[DISTINCT] <= ALIKE * found["sentences"]) & (found["s-BLEU"] < LITTLE)
    of_runs = ((found["s-BLEU"] < NEAR_ZERO) | alike).groupby(level=RUN, sort=False).all()
    return [(str(corpus), str(experiment), int(seed)) for corpus, experiment, seed in of_runs[of_runs].index]


def beside_unlearnt(scores: pd.DataFrame) -> pd.Series:
    """Whether each row compares an experiment, or compares with a baseline, of which a run learnt nothing."""
    experiments = {(corpus, experiment) for corpus, experiment, _ in unlearnt_runs(scores)}
    rows = zip(scores["corpus"], scores["experiment"], scores["baseline"])
    beside = [
        baseline != "" and bool({(corpus, own), (corpus, baseline)} & experiments) for corpus, own, baseline in rows
    ]
    return pd.Series(beside, index=scores.index, dtype=bool)


def unlearnt_note(scores: pd.DataFrame) -> str:
    """The line for the head of a table: the runs in which nothing was learnt, and the remedy; empty without any."""
    runs = [f"{experiment} (seed {seed}) on {corpus}" for corpus, experiment, seed in unlearnt_runs(scores)]
    if not runs:
        return ""
    cause = "Their s-BLEU is near zero, or their translations are nearly all alike"
    return f"Nothing was learnt: {', '.join(runs)}. {cause}; no difference from them gets a verdict. {REMEDY}"
