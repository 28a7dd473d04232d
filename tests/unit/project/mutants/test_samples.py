"""Random faults: they can be made, they change the code, and the tests that run a line are those of the measurement."""

import ast
import sqlite3
from itertools import islice
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.mutants.executions import WIRING, Executions
from tests.mutants.faults import Fault
from tests.mutants.places import KINDS, places
from tests.mutants.sample import drawn, equivalents

CODE = '''"""A module."""

import logging

from discourse_nmt.base.errors import InputError

LONGEST = 7


def shortened(words: list, rest: list, most: int = LONGEST, few: bool = True) -> list:
    """The words."""
    if most < 1 or not words:
        raise InputError(f"most is {most + 1}")
    logging.info("%d words", 12)
    words.append("x")
    return words[: most - 1] if few else rest


def main(settings) -> None:
    """All."""
    shortened(settings.first, settings.second, few=False)
'''


@pytest.fixture
def made(tmp_path: Path) -> dict[str, list[str]]:
    """By kind, what takes the place of code."""
    (tmp_path / "discourse_nmt").mkdir()
    (tmp_path / "discourse_nmt" / "module.py").write_text(CODE)
    return {kind: [place.new for place in found] for kind, found in places(tmp_path).items()}


def test_places_are_those_of_the_kinds(made: dict[str, list[str]]) -> None:
    assert made == {
        "argument": ["shortened(settings.first, settings.second)"],
        "setting": ["True"],
        "boundary": ["most <= 1", "(most)"],
        "condition": ["(not (most < 1 or not words))", "(not words)", "(most < 1)", "(not (few))"],
        "statement": ["pass", "pass"],
        "swap": ["shortened(settings.second, settings.first, few=False)"],
        "constant": ["8", "False", "2", "2", "True"],
    }


def test_drawn_faults_can_be_made_and_a_seed_draws_the_same() -> None:
    sample = list(islice(drawn(1), 70))
    assert sample == list(islice(drawn(1), 70)) != list(islice(drawn(2), 70))
    assert {kind: sum(place.kind == kind for place in sample) for kind in KINDS} == dict.fromkeys(KINDS, 10)
    for place in sample:
        text = (ROOT / place.file).read_text(encoding="utf-8")
        changed = place.fault(text).made_in(text)
        assert changed != text
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(text)), place


@pytest.mark.parametrize("fault", equivalents(), ids=lambda fault: fault.file)
def test_each_equivalent_fault_can_be_made_and_has_a_reason(fault: Fault) -> None:
    assert fault.name
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    assert fault.made_in(text) != text


def test_tests_of_a_line_come_with_the_ones_that_run_little_else_first(tmp_path: Path) -> None:
    (tmp_path / "discourse_nmt").mkdir()
    (tmp_path / "discourse_nmt" / "module.py").write_text(CODE)
    [place] = [one for one in places(tmp_path)["boundary"] if one.new == "(most)"]
    runs = {
        "tests/unit/test_a.py::test_wide|run": (place.lines.start, 50),
        "tests/unit/test_a.py::test_near|run": (0, 0),
    }
    with sqlite3.connect(tmp_path / "lines") as connection:
        connection.executescript(
            "CREATE TABLE file (id, path); CREATE TABLE context (id, context);"
            "CREATE TABLE line_bits (file_id, context_id, numbits);"
            "INSERT INTO file VALUES (1, 'discourse_nmt/module.py'), (2, 'discourse_nmt/other.py');"
        )
        for number, (test, (_, others)) in enumerate(runs.items()):
            connection.execute("INSERT INTO context VALUES (?, ?)", (number, test))
            for file, bits in ((1, 1 << place.lines.start), (2, (1 << others) - 1)):
                packed = bits.to_bytes(32, "little")
                connection.execute("INSERT INTO line_bits VALUES (?, ?, ?)", (file, number, packed))
    tests = Executions(tmp_path, tmp_path).tests(place)
    assert tests == ["tests/unit/test_a.py::test_near", "tests/unit/test_a.py::test_wide", WIRING]
