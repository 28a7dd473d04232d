"""The summary of scores: one row per experiment and test set, with mean and standard deviation over seeds and marks of
significance; and the figures of analysers."""

import statistics
from collections.abc import Sequence

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.comparison.marks import legend, lower_is_better, marks
from discourse_nmt.scoring.comparison.unlearnt import unlearnt_note
from discourse_nmt.scoring.metrics.score import ASKED, CXMI, LENGTH_RATIO, OF_ALIGNMENT, of_new_sentences
from discourse_nmt.scoring.tables.analyses import SYSTEMS, summarise_analyses
from discourse_nmt.scoring.tables.narrow import MISSING, constant, filled, narrow_tables

MAIN = (
    "s-BLEU",
    of_new_sentences("s-BLEU"),
    "d-BLEU (document)",
    "d-BLEU (instance)",
    "chrF2++",
    "TER",
    LENGTH_RATIO,
    "BLEU (multi-bleu, tokenised)",
    "contrastive accuracy (all)",
    "generation accuracy (all)",
    "lexical consistency (nouns)",
    "pronoun accuracy (all)",
    "address consistency (same speaker)",
    *CXMI.values(),
)
# Left out of the Markdown, which fits a terminal.
IN_REPORT = ("d-BLEU (instance)", "BLEU (multi-bleu, tokenised)")
NAMES = ("corpus", "test set", "experiment", "analysis", "of", "input")  # columns that tell rows apart
ROW = ["corpus", "test_set", "experiment", "system"]
ALIGNMENT_NOTE = (
    "Texts of other systems, aligned with the test set: a sentence left out is scored as empty, an added text is not "
    "scored, a document that is no translation is all empty. The job's log names each."
)


def spread(values: list[float], decimals: int = 2) -> str:
    """``31.42`` for one value, ``31.42 ± 0.31`` (mean, sample standard deviation) for several, or a dash."""
    if not values:
        return MISSING
    mean = f"{statistics.mean(values):.{decimals}f}"
    return mean if len(values) == 1 else f"{mean} ± {statistics.stdev(values):.{decimals}f}"


def main_metrics(scores: pd.DataFrame) -> tuple[str, ...]:
    """The metrics of the summary: :data:`MAIN`, then those that the user runs."""
    own = scores.loc[(scores["better"] != "") & (scores["compared"] == ""), "metric"]
    return (*MAIN, *map(str, own.unique()))


def decimals_of(scores: pd.DataFrame, metric: str) -> int:
    """Decimals that tables show of a metric: two, but four of one that the user runs whose scores lie within 1.

    A length ratio has three, as sacrebleu prints it, and so has CXMI, which is small.
    """
    if metric in (LENGTH_RATIO, *CXMI.values()):
        return 3
    rows = scores[scores["metric"] == metric]
    own = (rows["better"] != "").any()
    return 4 if own and (rows["value"].abs() <= 1).all() else 2


def summarise(scores: pd.DataFrame, metrics: tuple[str, ...] = ()) -> pd.DataFrame:
    """Cells of text: corpus, test set, experiment, system, number of seeds, and each of ``metrics`` that occurs.

    Without ``metrics`` they are those of :func:`main_metrics`.

    Rows are in the order of ``scores``, a long table; experiments without any of the metrics are left out. A cell ends
    in a mark (:func:`marks`) if the difference from the baseline is significant.

    Raises :class:`InputError`: the signatures of the seeds of one row differ.
    """
    columns = [metric for metric in metrics or main_metrics(scores) if (scores["metric"] == metric).any()]
    marked = marks(scores)
    rows = []
    for names, group in scores[scores["metric"].isin(columns)].groupby(ROW, sort=False):
        cells = []
        for metric in columns:
            of_seeds = group[group["metric"] == metric]
            if of_seeds["signature"].nunique() > 1:
                what = f"{metric} of experiment {names[2]} on {names[0]} {names[1]}"
                raise InputError(f"{what} was computed in different ways", remedy="delete its scores and score again")
            mark = marked.get((str(names[0]), str(names[1]), str(names[2]), metric))
            value = spread(of_seeds["value"].tolist(), decimals_of(scores, metric))
            cells.append(" ".join(filter(None, [value, mark])))
        rows.append([*names, str(group["seed"].nunique()), *cells])
    return pd.DataFrame(rows, columns=["corpus", "test set", "experiment", "system", "seeds", *columns])


def asked_table(scores: pd.DataFrame) -> pd.DataFrame:
    """What language models were asked for: cells of text, the mean over seeds; no rows without any.

    Columns are corpus, test set, experiment and those of :data:`ASKED`.
    """
    return _counts(scores, ASKED)


def alignment_table(scores: pd.DataFrame) -> pd.DataFrame:
    """The same of :data:`OF_ALIGNMENT`: what texts of other systems leave out and add, where they do."""
    counted = scores[scores["metric"].isin(OF_ALIGNMENT)]
    return _counts(counted[counted.groupby(ROW[:3])["value"].transform("max") > 0], OF_ALIGNMENT)


def _counts(scores: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    rows = [
        [*names, *(spread(group.loc[group["metric"] == name, "value"].tolist(), 0) for name in metrics)]
        for names, group in scores[scores["metric"].isin(metrics)].groupby(ROW[:3], sort=False)
    ]
    return pd.DataFrame(rows, columns=["corpus", "test set", "experiment", *metrics])


def signatures(scores: pd.DataFrame, metrics: tuple[str, ...] = ()) -> pd.DataFrame:
    """Metric, signature and names of corpora, one row per signature; ``metrics`` as in :func:`summarise`."""
    rows = []
    for metric in metrics or main_metrics(scores):
        for signature, group in scores[scores["metric"] == metric].groupby("signature", sort=False):
            rows.append([metric, signature, ", ".join(group["corpus"].unique())])
    return pd.DataFrame(rows, columns=["metric", "signature", "corpora"])


def markdown(scores: pd.DataFrame, metrics: tuple[str, ...] = ()) -> str:
    """The summary, the figures of analysers where there are any, and the signatures, as Markdown for terminals.

    Runs in which nothing was learnt stand at the head. ``metrics`` as in :func:`summarise`.
    """
    better_of_metric = dict(zip(scores["metric"], scores["better"]))
    lower = [name for name in main_metrics(scores) if lower_is_better(name, better_of_metric.get(name, ""))]
    note = (
        f"Mean ± sample standard deviation over seeds. Accuracy in per cent. {', '.join(lower)}: lower is better; "
        f"{LENGTH_RATIO}: 1 is as long as the references; others: higher. How each number is computed: "
        "docs/reference/scores.md."
    )
    blocks = [
        unlearnt_note(scores),
        *_tables(summarise(scores, metrics).drop(columns=list(IN_REPORT), errors="ignore")),
        note,
    ]
    blocks.append(legend(scores))
    if not (aligned := alignment_table(scores)).empty:
        blocks += [*_tables(aligned), ALIGNMENT_NOTE]
    if not (asked := asked_table(scores)).empty:
        blocks += [*_tables(asked), "Language models: what they were asked for, and answers with faults."]
    if scores["system"].isin(SYSTEMS).any():
        blocks += _tables(summarise_analyses(scores))
        blocks.append("Analysers, in per cent. What each figure is: docs/analysers/evaluation.md.")
    rows = signatures(scores, metrics).itertuples()
    lines = [f"- {row.metric} ({row.corpora}): {row.signature}" for row in rows if row.metric not in IN_REPORT]
    blocks.append("\n".join(map(filled, lines)))
    return "\n\n".join(block if block.startswith(("|", "- ")) else filled(block) for block in blocks if block) + "\n"


def _tables(cells: pd.DataFrame) -> list[str]:
    """Tables that fit a terminal; names of corpora, test sets and seeds that all rows share stand before them."""
    same = constant(cells, [name for name in ("corpus", "test set", "seeds") if name in cells])
    told = ", ".join(f"{name} {value}" for name, value in same.items())
    shared = [f"{told[0].upper()}{told[1:]}:"] if told else []
    rest = cells.drop(columns=list(same))
    once = [name for name in rest if name in ("system", "seeds")]
    return shared + narrow_tables(rest, [name for name in rest if name in NAMES and name not in once], once)
