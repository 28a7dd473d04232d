"""A system beside its baseline: differences of scores, and the probability of such a difference by chance.

The numbers come as scores: ``difference (METRIC)`` and ``p (METRIC, TEST over UNITS)``. Where several seeds are given,
each beside one of the baseline, they are about the mean over seeds: ``difference, all seeds (METRIC)`` and so on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.progress import progress
from discourse_nmt.scoring.comparison.marks import BOOTSTRAP, EXACT, RANDOMISATION, difference_name, p_name
from discourse_nmt.scoring.comparison.significance import (
    Statistics,
    approximate_randomisation,
    exact_randomisation,
    mean_difference,
    paired_bootstrap,
    sacrebleu_randomisation,
    statistics,
    summed,
)
from discourse_nmt.scoring.metrics.bleu import Score
from discourse_nmt.scoring.metrics.contrastive import judge, subsets
from discourse_nmt.scoring.metrics.translation import Segments, measured_segments


@dataclass(frozen=True)
class Comparison:
    """Which seeds of a system stand beside which of its baseline."""

    baseline: str
    """Name of the baseline's experiment."""
    seeds: list[tuple[int, int]]
    """Seeds of system and baseline that are compared with each other."""

    @property
    def pooled(self) -> bool:
        """Whether there are several seeds."""
        return len(self.seeds) > 1

    def difference(self, metric: str, value: float, signature: str) -> Score:
        """System minus baseline."""
        return Score(difference_name(metric, self.pooled), value, self._with_baseline(signature))

    def p(self, metric: str, test: str, units: str, value: float, signature: str) -> Score:
        """A p-value, 0 to 1."""
        return Score(p_name(metric, test, units, self.pooled), value, self._with_baseline(signature))

    def _with_baseline(self, signature: str) -> str:
        return f"{signature}|baseline:{self.baseline}|seeds:{','.join(f'{own}/{other}' for own, other in self.seeds)}"


@dataclass(frozen=True)
class Resampling:
    """How often tests draw."""

    samples: int
    """Samples of the paired bootstrap."""
    trials: int
    """Trials of approximate randomisation."""
    seed: int
    """Seed of all draws."""


def translation_tests(
    system: Sequence[pd.DataFrame],
    baseline: Sequence[pd.DataFrame],
    comparison: Comparison,
    resampling: Resampling,
    *,
    language: str,
    lowercase: bool,
) -> list[Score]:
    """Compare translations by all measures of sacrebleu that the project reports.

    ``system`` and ``baseline`` hold what :func:`.pair` gives, one table for each pair of seeds.
    """
    own, other = (
        [measured_segments(pairs, language=language, lowercase=lowercase) for pairs in side]
        for side in (system, baseline)
    )
    columns = zip(zip(*own, strict=True), zip(*other, strict=True), strict=True)
    return [
        score
        for mine, others in progress(list(columns), "compare", "measures")
        for score in measure_tests(mine, others, comparison, resampling)
    ]


def measure_tests(
    system: Sequence[Segments], baseline: Sequence[Segments], comparison: Comparison, resampling: Resampling
) -> list[Score]:
    """Compare by one measure; a pair of seeds has one entry in ``system`` and one in ``baseline``."""
    own, other = (
        [statistics(one.measure, one.hypotheses, one.references) for one in side] for side in (system, baseline)
    )
    segments, measure, metric = system[0], system[0].measure, system[0].measure.metric
    bootstrapped = measure.signature(bs=resampling.samples, seed=resampling.seed)
    randomised = measure.signature(ar=resampling.trials, seed=resampling.seed)

    def bootstrap(units: str, mine: Statistics, theirs: Statistics) -> Score:
        value = paired_bootstrap(metric, mine, theirs, resampling.samples, resampling.seed)
        return comparison.p(measure.name, BOOTSTRAP, units, value, bootstrapped)

    totals = [[rows.sum(0) for rows in side] for side in (own, other)]
    found = [comparison.difference(measure.name, mean_difference(metric, *totals), measure.signature())]
    if segments.unit == "sentence" and not comparison.pooled:
        value = sacrebleu_randomisation(metric, own[0], other[0], resampling.trials, resampling.seed)
        found.append(bootstrap("sentences", own[0], other[0]))
        found.append(comparison.p(measure.name, RANDOMISATION, "sentences", value, randomised))
    own, other = ([summed(rows, segments.documents) for rows in side] for side in (own, other))
    if not comparison.pooled:
        found.append(bootstrap("documents", own[0], other[0]))
    value = approximate_randomisation(metric, own, other, resampling.trials, resampling.seed)
    return [*found, comparison.p(measure.name, RANDOMISATION, "documents", value, randomised)]


def accuracy_tests(
    system: Sequence[pd.DataFrame],
    baseline: Sequence[pd.DataFrame],
    documents: Mapping[str, str],
    comparison: Comparison,
    *,
    file: str | Path,
) -> list[Score]:
    """Compare contrastive accuracy, overall and for each group of items.

    ``system`` and ``baseline`` hold ``contrastive_scores`` tables, one for each pair of seeds; ``documents`` has the
    document of each item, and ``file`` names the system's table in messages.

    :raises InputError: an item is not in all tables.
    """
    own, other = ([judge(scores, file=file) for scores in side] for side in (system, baseline))
    items = own[0].set_index("item_id")
    for judged in [*own, *other]:
        if set(judged["item_id"]) ^ set(items.index) or set(items.index) - documents.keys():
            raise InputError("other items than the baseline's", file=file, remedy="score both with the same items")
    gains = [
        mine.set_index("item_id")["right"].astype(int) - others.set_index("item_id")["right"].astype(int)
        for mine, others in zip(own, other, strict=True)
    ]
    items = items.assign(gain=sum(gains), document=items.index.map(documents)).reset_index()
    found = []
    for name, chosen in subsets(items, file=file):
        if "gain" not in chosen:  # blocks are no items
            continue
        metric, gain = f"contrastive accuracy ({name})", chosen["gain"].to_numpy()
        found.append(comparison.difference(metric, 100 * gain.sum() / len(gain) / len(gains), "ties:wrong"))
        if not comparison.pooled:
            found.append(comparison.p(metric, EXACT, "items", exact_randomisation(gain), "ties:wrong"))
        value = exact_randomisation(summed(gain, chosen["document"].tolist()))
        found.append(comparison.p(metric, EXACT, "documents", value, "ties:wrong"))
    return found
