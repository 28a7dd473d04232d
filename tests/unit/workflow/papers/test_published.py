"""Published tables: complete, and number by number those of the specification's result tables."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.papers.published import NOT_PRINTED, published_names, published_papers, published_table

# The specification's section of each paper's results.
SECTIONS = {
    "rst_transformer": "### 3.1",
    "discourse_positions": "### 3.2",
    "document_graph": "### 3.3",
    "multitask": "### 3.4",
    "theme_rheme_cache": "### 3.5",
}
VALUE = re.compile(r"-|\d+(\.\d+)?(↑|\*{1,3})?")


@pytest.mark.parametrize("name", published_names())
def test_a_row_has_a_value_for_each_column(name: str) -> None:
    table = published_table(name)
    assert table.rows and len(set(table.columns)) == len(table.columns)
    for row, values in table.rows.items():
        assert len(values) == len(table.columns), row
        assert all(map(VALUE.fullmatch, values)), row


def numbers(values: Sequence[str]) -> list[float]:
    return [float(value.rstrip("↑*")) for value in values if value != NOT_PRINTED]


def occurs(wanted: Sequence[float], line: str) -> bool:
    """Whether the numbers stand in a line of the specification, in order, with others between."""
    found = iter(float(number) for number in re.findall(r"\d+(?:\.\d+)?", line))
    return all(any(number == other for other in found) for number in wanted)


@pytest.mark.parametrize("name", published_names())
def test_every_number_is_the_specification_s(name: str, specification: Path) -> None:
    paper = name.partition(".")[0]
    text = (specification / "06-baselines-and-results.md").read_text(encoding="utf-8")
    section = text.partition(SECTIONS[paper])[2].partition("\n### ")[0]
    for row, values in published_table(name).rows.items():
        wanted = numbers(values)
        if name == "multitask.table_5":  # in per cent
            wanted = [round(number / 100, 2) for number in wanted]
        assert any(occurs(wanted, line) for line in section.splitlines()), row


def test_every_paper_of_the_specification_has_its_file() -> None:
    assert published_papers() == sorted(SECTIONS)
    assert len(published_names()) == 30


@pytest.mark.parametrize(
    ("name", "message"),
    [("rst_transform.table_2", "did you mean rst_transformer?"), ("multitask.table_22", "did you mean table_2?")],
)
def test_a_mistyped_name_gets_the_nearest_one(name: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        published_table(name)
