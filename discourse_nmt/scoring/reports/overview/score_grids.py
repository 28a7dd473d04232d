"""The table of scores of each test set so that it fits a page: what all rows share is said once."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from discourse_nmt.scoring.comparison.marks import LEVELS, legend, lower_is_better, marks
from discourse_nmt.scoring.metrics.score import CXMI, LENGTH_RATIO, of_new_sentences
from discourse_nmt.scoring.tables.summary import decimals_of, main_metrics, spread

FIRST = ("s-BLEU", "contrastive accuracy (all)", "generation accuracy (all)")
# Said only on demand, behind all others.
LATER = (
    of_new_sentences("s-BLEU"),
    "d-BLEU (document)",
    "d-BLEU (instance)",
    "BLEU (multi-bleu, tokenised)",
    "lexical consistency (nouns)",
    "pronoun accuracy (all)",
    "system",
    "seeds",
)
NOTES = {LENGTH_RATIO: "1: as references", **dict.fromkeys(CXMI.values(), "bits per word")}
STARS = ("*", "**")
VERDICTS = {
    mark: (word, stars)
    for stars, (_, up, down) in zip(STARS, LEVELS)
    for mark, word in ((up, "better"), (down, "worse"))
}


@dataclass(frozen=True)
class ScoreColumn:
    """A column: its ``title``, and a line below it; columns that are not ``first`` are shown on demand."""

    title: str
    note: str
    first: bool


@dataclass(frozen=True)
class ScoreCell:
    """A score as text; ``verdict`` is ``better``, ``worse`` or empty, ``stars`` its level."""

    text: str
    verdict: str = ""
    stars: str = ""


@dataclass(frozen=True)
class ScoreGrid:
    """The scores of a test set: sentences on what all rows share, columns, and rows by experiment."""

    corpus: str
    test_set: str
    shared: Sequence[str]
    columns: Sequence[ScoreColumn]
    rows: Sequence[tuple[str, Sequence[ScoreCell]]]

    @property
    def hides(self) -> bool:
        """Whether some columns are shown on demand only."""
        return any(not column.first for column in self.columns)


def score_grids(scores: pd.DataFrame) -> list[ScoreGrid]:
    """A grid for each corpus and test set with one of the main metrics; ``scores`` is the long table."""
    metrics = ordered(scores)
    marked = marks(scores)
    grids = []
    chosen = scores[scores["metric"].isin(metrics)]
    for (corpus, test_set), group in chosen.groupby(["corpus", "test_set"], sort=False):
        names = [str(name) for name in group["experiment"].unique()]
        of_experiment = {name: group[group["experiment"] == name] for name in names}
        cells: dict[str, list[ScoreCell]] = {}
        notes: dict[str, str] = {}
        for metric in metrics:
            of_metric = group[group["metric"] == metric]
            if of_metric.empty:
                continue
            lower = lower_is_better(metric, of_metric["better"].iloc[0])
            of_kind = NOTES.get(metric, "%" if "accuracy" in metric else "")
            notes[metric] = "lower is better" if lower else of_kind
            decimals = decimals_of(scores, metric)
            cells[metric] = [
                score_cell(
                    of_experiment[name],
                    metric,
                    decimals,
                    marked.get((str(corpus), str(test_set), name, metric), ""),
                )
                for name in names
            ]
        cells, equal = without_repeats(cells)
        shared = [f"The same as {metric}: {', '.join(others)}." for metric, others in equal.items()]
        for title in ("system", "seeds"):
            texts = [told(of_experiment[name], title) for name in names]
            if len(set(texts)) == 1:
                shared.insert(0, f"{title[0].upper()}{title[1:]}: {texts[0]}.")
            else:
                cells[title] = [ScoreCell(text) for text in texts]
        columns = [ScoreColumn(heading(name), notes.get(name, ""), is_first(name)) for name in cells]
        rows = [(name, [column[row] for column in cells.values()]) for row, name in enumerate(names)]
        grids.append(ScoreGrid(str(corpus), str(test_set), shared, columns, rows))
    return grids


def ordered(scores: pd.DataFrame) -> list[str]:
    """The main metrics, those that matter most first."""
    own = set(scores.loc[scores["better"] != "", "metric"])
    metrics = main_metrics(scores)
    leading = [name for name in metrics if name in FIRST or name in own]
    others = [name for name in metrics if name not in leading]
    return [*leading, *sorted(others, key=lambda name: not is_first(name))]


def is_first(name: str) -> bool:
    """Whether a column is shown at once."""
    return name not in LATER


def score_cell(rows: pd.DataFrame, metric: str, decimals: int, mark: str) -> ScoreCell:
    """The cell of an experiment."""
    text = spread(rows.loc[rows["metric"] == metric, "value"].tolist(), decimals)
    return ScoreCell(text, *VERDICTS.get(mark, ("", "")))


def without_repeats(cells: dict[str, list[ScoreCell]]) -> tuple[dict[str, list[ScoreCell]], dict[str, list[str]]]:
    """The columns without those whose texts equal an earlier column's; and these, by the column they equal."""
    kept: dict[str, list[ScoreCell]] = {}
    equal: dict[str, list[str]] = {}
    for metric, column in cells.items():
        twin = next((name for name, other in kept.items() if [c.text for c in other] == [c.text for c in column]), None)
        if twin is None or "BLEU" not in metric or "BLEU" not in twin:
            kept[metric] = column
        else:
            equal.setdefault(twin, []).append(metric)
    return kept, equal


def told(rows: pd.DataFrame, title: str) -> str:
    """System, or number of seeds, of an experiment."""
    return str(rows["system"].iloc[0]) if title == "system" else str(rows["seed"].nunique())


def heading(name: str) -> str:
    """The title of a column: a metric without ``(all)``."""
    return name.removesuffix(" (all)")


def caption(scores: pd.DataFrame) -> str:
    """The baselines and the meaning of the stars; empty without comparisons."""
    return legend(scores, ", ".join(f"{stars} p < {level}" for stars, (level, _, _) in zip(STARS, LEVELS)))
