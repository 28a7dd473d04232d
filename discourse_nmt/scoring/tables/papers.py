"""Tables of papers: measured scores beside the published ones, as text."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from discourse_nmt.scoring.comparison.marks import legend, lower_is_better, tested_differences
from discourse_nmt.scoring.comparison.unlearnt import unlearnt_note
from discourse_nmt.scoring.tables.narrow import MISSING, grid
from discourse_nmt.scoring.tables.summary import spread

# Level, and its stars, which papers print.
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
WORSE = "↓"
MEANING = f"*, **, *** better, {WORSE}*, {WORSE}**, {WORSE}*** worse (p < 0.05, 0.01, 0.001)"
LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "±": "$\\pm$",
    "↑": "$\\uparrow$",
    "↓": "$\\downarrow$",
    "λ": "$\\lambda$",
    "–": "--",
    "<": "$<$",
    ">": "$>$",
}


@dataclass(frozen=True)
class MeasuredCell:
    """A published number as text, and what is measured beside it; without an experiment nothing is.

    ``numbers``, one for each seed, are those that no table of scores has. ``mean_of`` are the numbers of columns of the
    same row, whose mean the cell has.
    """

    published: str
    corpus: str = ""
    experiment: str = ""
    test_set: str = ""
    metric: str = ""
    mean_of: Sequence[int] = ()
    numbers: Sequence[float] | None = None


@dataclass(frozen=True)
class PaperComparison:
    """A table as text: for each row its name, and for each column what is measured and what is published."""

    title: str
    notes: Sequence[str]
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[str, str]]]]

    def has_published(self, column: int) -> bool:
        """Whether the paper has a number in a column."""
        return any(cells[column][1] != MISSING for _, cells in self.rows)

    def cells(self) -> pd.DataFrame:
        """The table with a column of measured and one of published numbers for each column of the paper."""
        heads, shown = ["system"], []
        for number, name in enumerate(self.columns):
            heads += [name, f"{name}, published"] if self.has_published(number) else [name]
            shown += [(number, 0), (number, 1)] if self.has_published(number) else [(number, 0)]
        rows = [[name, *(cells[column][kind] for column, kind in shown)] for name, cells in self.rows]
        return pd.DataFrame(rows, columns=heads)


def comparison(
    title: str,
    notes: Sequence[str],
    columns: Sequence[str],
    rows: Mapping[str, Sequence[MeasuredCell]],
    scores: pd.DataFrame,
) -> PaperComparison:
    """The table of ``rows`` from ``scores``, a long table; marks are those of tests against each one's baseline."""
    marked = stars(scores)
    values = {
        (str(names[0]), str(names[1]), str(names[2]), str(names[3])): group.sort_values("seed")["value"].tolist()
        for names, group in scores.groupby(["corpus", "test_set", "experiment", "metric"], sort=False)
    }
    shown = []
    for name, cells in rows.items():
        keys = [(cell.corpus, cell.test_set, cell.experiment, cell.metric) for cell in cells]
        found = [
            list(cell.numbers) if cell.numbers is not None else values.get(key, []) for cell, key in zip(cells, keys)
        ]
        texts = []
        for number, (cell, key) in enumerate(zip(cells, keys)):
            of_cell = _means([found[one] for one in cell.mean_of]) if cell.mean_of else found[number]
            mark = "" if cell.mean_of or cell.numbers is not None else marked.get(key, "")
            text = spread(of_cell, _decimals([of_row[number].published for of_row in rows.values()]))
            texts.append((" ".join(filter(None, [text, mark])), MISSING if cell.published == "-" else cell.published))
        shown.append((name, texts))
    experiments = {cell.experiment for cells in rows.values() for cell in cells}
    of_experiments = scores[scores["experiment"].isin(experiments)]
    said = [unlearnt_note(of_experiments), *notes, legend(of_experiments, MEANING)]
    return PaperComparison(title, [*filter(None, said)], columns, shown)


def stars(scores: pd.DataFrame) -> dict[tuple[str, str, str, str], str]:
    """Stars by corpus, test set, experiment and metric, with an arrow before those of a worse system."""
    found = {}
    for (corpus, test_set, experiment, metric), tested in tested_differences(scores).items():
        reached = next((sign for level, sign in STARS if tested.p < level), "")
        better = (tested.value < 0) == lower_is_better(metric, tested.better)
        found[corpus, test_set, experiment, metric] = reached and (reached if better else WORSE + reached)
    return found


def _means(columns: Sequence[Sequence[float]]) -> list[float]:
    """The mean over columns for each seed; none where a column lacks a seed that another one has."""
    if len({len(values) for values in columns}) != 1:
        return []
    return [statistics.mean(of_seed) for of_seed in zip(*columns)]


def _decimals(published: Sequence[str]) -> int:
    """The decimals of published numbers, two where there are none."""
    numbers = [text.rstrip("*↑↓") for text in published if text != "-"]
    return max((len(number.partition(".")[2]) for number in numbers), default=2)


def markdown_of_paper(table: PaperComparison) -> str:
    """Title, table and notes."""
    return "\n\n".join([f"**{table.title}**", grid(table.cells()), *table.notes]) + "\n"


def latex_of_paper(table: PaperComparison) -> str:
    """A table of LaTeX with the rules of the package booktabs; notes stand in its caption."""
    published = [table.has_published(number) for number in range(len(table.columns))]
    heads = [rf"\multicolumn{{{1 + both}}}{{c}}{{{escaped(name)}}}" for name, both in zip(table.columns, published)]
    kinds = ["measured & published" if both else "measured" for both in published]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{l{'r' * (len(published) + sum(published))}}}",
        r"\toprule",
        rf"& {' & '.join(heads)} \\",
        rf"& {' & '.join(kinds)} \\",
        r"\midrule",
    ]
    for name, cells in table.rows:
        texts = [escaped(text) for cell, both in zip(cells, published) for text in (cell if both else cell[:1])]
        lines.append(rf"{escaped(name)} & {' & '.join(texts)} \\")
    caption = " ".join(escaped(text) for text in (f"{table.title}.", *table.notes))
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A text that LaTeX prints as it is."""
    return "".join(LATEX.get(sign, sign) for sign in text)
