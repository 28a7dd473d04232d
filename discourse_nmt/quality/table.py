"""The table that tells what the text of a corpus is like: a row for each measure, with its remedy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd


@dataclass(frozen=True)
class Finding:
    """A measure with its value for each split that has one, and what to do if it is out of the ordinary."""

    measure: str
    side: str
    """``source`` or ``target``; empty for a measure of both."""
    values: Mapping[str, float]
    remedies: Mapping[str, str] = field(default_factory=dict)
    """By split; none for those that are as they should be."""

    def remedy(self) -> str:
        """The remedies, each once, with the splits that need it unless all do."""
        splits: dict[str, list[str]] = {}
        for split, remedy in self.remedies.items():
            splits.setdefault(remedy, []).append(split)
        return "; ".join(
            remedy if len(names) == len(self.values) else f"{', '.join(names)}: {remedy}"
            for remedy, names in splits.items()
        )


def table(findings: Sequence[Finding], splits: Sequence[str]) -> pd.DataFrame:
    """One row per finding: measure, side, the value of each split, remedy; all cells are text."""
    rows = [
        [one.measure, one.side, *(_cell(one.values.get(split)) for split in splits), one.remedy()] for one in findings
    ]
    return pd.DataFrame(rows, columns=["measure", "side", *splits, "remedy"])


def aligned(findings: Sequence[Finding], splits: Sequence[str]) -> list[str]:
    """The same without remedies, as lines of text with aligned columns."""
    frame = table(findings, splits)
    rows = [[*frame.columns[:-1]], *(row[:-1] for row in frame.to_numpy().tolist())]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [_row(row, widths) for row in rows]


def warnings(findings: Sequence[Finding]) -> list[str]:
    """A message for each remedy, with the measures that are out of the ordinary."""
    measures: dict[str, list[str]] = {}
    for one in findings:
        if one.remedies:
            measures.setdefault(one.remedy(), []).append(f"{one.measure}{one.side and f', {one.side}'}")
    return [f"{'; '.join(names)}: {remedy}" for remedy, names in measures.items()]


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}"


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Names to the left, numbers to the right."""
    texts = [cell.ljust(width) for cell, width in zip(cells[:2], widths)]
    return "  ".join([*texts, *(cell.rjust(width) for cell, width in zip(cells[2:], widths[2:]))]).rstrip()
