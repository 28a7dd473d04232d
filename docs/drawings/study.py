"""The picture of docs/study.md: the shares of its tables, each with one standard deviation over trainings.

The page is what it is drawn from, so that no number stands twice.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt import ROOT
from docs.drawings.svg import Point, picture, rectangle, straight, text, wrapped

PAGE = "docs/study.md"
TABLE = re.compile(r"^(English-\w+),.*\n\n((?:\|.*\|\n)+)", re.MULTILINE)
CELL = re.compile(r"(\*\*)?(\d+\.\d)(?: ± (\d+\.\d))?(?(1)\*\*)$")
LABEL, PANEL, GAP, MARGIN = 250.0, 200.0, 34.0, 24.0  # widths: row names, one measure, between two, around all
ROW, HEADING = 34.0, 46.0  # heights: a row, the names above the first one
LETTERS = 40  # of a name that fit into a line
LEAST, MOST = 20.0, 100.0  # percent, at the ends of a panel


@dataclass(frozen=True)
class Share:
    """A cell: mean and standard deviation in percent, and whether it is printed bold, as a gain beyond chance."""

    mean: float
    deviation: float
    bold: bool


@dataclass(frozen=True)
class Results:
    """A table of the page: its pair, the measures in percent, and the shares of each row, None where it has none."""

    pair: str
    measures: list[str]
    rows: dict[str, list[Share | None]]


def share(cell: str) -> Share | None:
    """The share of a cell; :class:`ValueError` if the cell has something else."""
    if not cell:
        return None
    if not (parts := CELL.match(cell)):
        raise ValueError(f"{PAGE}: no share in the cell {cell!r}")
    bold, mean, deviation = parts.groups()
    return Share(float(mean), float(deviation or 0), bool(bold))


def tables(page: str) -> list[Results]:
    """The tables of results on the page, in its order."""
    results: list[Results] = []
    for pair, table in TABLE.findall(page):
        header, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines())
        in_percent = [column for column, title in enumerate(header) if title.endswith("(%)")]
        results.append(
            Results(
                pair,
                [header[column].removesuffix(" (%)") for column in in_percent],
                {row[0].replace("`", ""): [share(row[column]) for column in in_percent] for row in rows},
            )
        )
    return results


def study_picture() -> str:
    """The file of the picture."""
    pairs = tables((ROOT / PAGE).read_text(encoding="utf-8"))
    parts: list[str] = []
    top = MARGIN
    for results in pairs:
        parts += _drawn(results, top)
        top += HEADING + ROW * len(results.rows) + GAP
    width = _left(len(pairs[0].measures)) - GAP + MARGIN
    note = "Points: means of trainings, or the one value of a rule and of translators; bars: one standard deviation."
    note += " Filled: a gain beyond chance."
    parts.append(text(Point(MARGIN, top), note, "small"))
    names = ", ".join(results.pair for results in pairs)
    return picture("Does the document help?", f"{names}: the tables of the page as points", width, top + MARGIN, parts)


def _left(panel: int) -> float:
    """The left side of a panel, by its number from 0, in pixels."""
    return MARGIN + LABEL + panel * (PANEL + GAP)


def _drawn(results: Results, top: float) -> Iterator[str]:
    first, bottom = top + HEADING, top + HEADING + ROW * len(results.rows)
    yield text(Point(MARGIN, top + 14), results.pair, "name")
    for panel, measure in enumerate(results.measures):
        yield text(Point(_left(panel), top + 14), f"{measure} (%)", "rule")
        for mark in range(int(LEAST), int(MOST) + 1, 20):
            x = _across(panel, mark)
            yield text(Point(x, top + 34), str(mark), "small", "middle")
            yield straight(Point(x, first - 6), Point(x, bottom - 6), head=False, style="grid")
    for row, (name, shares) in enumerate(results.rows.items()):
        middle = first + ROW * (row + 0.5) - 6
        lines = wrapped(name, LETTERS)
        for line, words in enumerate(lines):
            yield text(Point(MARGIN, middle + 4 + 14 * (line - (len(lines) - 1) / 2)), words)
        for panel, drawn in enumerate(shares):
            if drawn:
                low, high = (_across(panel, drawn.mean + side * drawn.deviation) for side in (-1, 1))
                yield straight(Point(low, middle), Point(high, middle), head=False)
                corner = Point(_across(panel, drawn.mean) - 5, middle - 5)
                yield rectangle(corner, 10, 10, "head" if drawn.bold else "box")


def _across(panel: int, percent: float) -> float:
    """Where a share stands in the panel of its measure, in pixels from the left side of the picture."""
    return round(_left(panel) + PANEL * (percent - LEAST) / (MOST - LEAST), 1)
