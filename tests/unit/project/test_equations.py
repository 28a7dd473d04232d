"""docs/equations.md: every numbered equation of the five papers has a row, and every row names a symbol that exists."""

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "equations.md").read_text(encoding="utf-8")
ROW = re.compile(r"\| ([0-9.]+) \| [^|]+ \| `([\w.]+)` \| \[([\w/]+\.py)\]\(\.\./([\w/]+\.py)\) \|")
# The numbered equations that the specifications of the papers print or name.
NUMBERED = {"01": range(1, 14), "02": range(4, 6), "03": range(1, 17), "04": range(2, 20), "05": range(1, 11)}


def section(paper: str) -> str:
    """The rows of a paper."""
    return PAGE.partition(f"\n## {paper}: ")[2].partition("\n## ")[0]


def symbols(path: Path) -> set[str]:
    """Functions, classes and methods (``Class.method``) of a file."""
    found = set[str]()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_numbered_equation_has_a_row(paper: str) -> None:
    assert [int(number) for number, *_ in ROW.findall(section(paper))] == list(NUMBERED[paper])


@pytest.mark.parametrize("row", ROW.findall(PAGE), ids=lambda row: f"{row[0]} {row[1]}")
def test_every_row_names_a_symbol_that_exists(row: tuple[str, str, str, str]) -> None:
    _, symbol, shown, linked = row
    assert shown == linked
    assert symbol in symbols(ROOT / linked), f"{linked} has no {symbol}"


def test_every_line_of_a_table_is_a_row() -> None:
    lines = [line for line in PAGE.splitlines() if re.match(r"\| [0-9]", line)]
    assert len(lines) == len(ROW.findall(PAGE)) == 1 + sum(map(len, NUMBERED.values()))


@pytest.mark.parametrize("paper", NUMBERED)
def test_the_numbers_are_those_of_the_specification(paper: str, specification: Path) -> None:
    (path,) = specification.glob(f"{paper}-*.md")
    tags = re.findall(r"\\tag\{([0-9]+)(?:[–-]([0-9]+))?[^}]*\}", path.read_text(encoding="utf-8"))
    tagged = {number for first, last in tags for number in range(int(first), int(last or first) + 1)}
    assert tagged <= set(NUMBERED[paper])
