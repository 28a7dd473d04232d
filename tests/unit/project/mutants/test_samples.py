"""Random faults: they can be made, they change the code, and the tests that run a line are those of the measurement."""

import ast
import os
import sqlite3
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.mutants import executions
from tests.mutants.executions import WIRING, Executions, measure, moves, opened
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
    words.append("x" if random() < 0.5 else "y")
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
        "condition": [
            "(not (most < 1 or not words))",
            "(not words)",
            "(most < 1)",
            "(not (random() < 0.5))",
            "(not (few))",
        ],
        "statement": ["pass", "pass"],
        "swap": ["shortened(settings.second, settings.first, few=False)"],
        "constant": ["8", "False", "2", "0.25", "2", "True"],
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
        "tests/unit/test_a.py::test_wide": (place.lines.start, 50),
        "tests/unit/test_a.py::test_near": (place.lines.start, 0),
    }
    with closing(opened(tmp_path)) as connection, connection:
        for test, (line, others) in runs.items():
            for file, bits in (("discourse_nmt/module.py", 1 << line), ("discourse_nmt/other.py", (1 << others) - 1)):
                row = ("tests/unit/test_a.py", test, file, bits.to_bytes(32, "little"))
                connection.execute("INSERT INTO runs VALUES (?, ?, ?, ?)", row)
    tests = Executions(tmp_path, tmp_path).tests(place)
    assert tests == ["tests/unit/test_a.py::test_near", "tests/unit/test_a.py::test_wide", WIRING]


@pytest.mark.parametrize(
    ("old", "new", "run", "expected"),
    [
        ("a b c", "a b c", {1, 3}, {1, 3}),
        ("a b c", "x a b c", {1, 3}, {2, 4}),
        ("a b c", "a b x c", {2}, {2, 3}),
        ("a b c", "a b x c", {3}, {4}),
        ("a b c", "a x y c", {2}, {2, 3}),
        ("a b c", "a c", {1, 2, 3}, {1, 2}),
        ("a b c", "", {1, 2}, set()),
    ],
)
def test_lines_of_changed_code_move(old: str, new: str, run: set[int], expected: set[int]) -> None:
    move = moves(*("\n".join(text.split()) for text in (old, new)))
    assert move(sum(1 << line for line in run)) == sum(1 << line for line in expected)


def test_only_changed_tests_are_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hangs leaves no lines, and the others theirs."""
    module, tests = tmp_path / "discourse_nmt" / "module.py", tmp_path / "tests" / "unit"
    for folder in (module.parent, tests):
        folder.mkdir(parents=True)
    module.write_text("one = 1\n")
    for name in ("a", "b"):
        (tests / f"test_{name}.py").write_text("")
    done: list[str] = []

    def tested(checkout: Path, words: list[str], seconds: float) -> tuple[int, str]:
        assert checkout == tmp_path and seconds and "--cov=discourse_nmt" in words
        done.append(words[0])
        with closing(sqlite3.connect(os.environ["COVERAGE_FILE"])) as connection, connection:
            connection.executescript(
                "CREATE TABLE file (id, path); CREATE TABLE context (id, context);"
                "CREATE TABLE line_bits (file_id, context_id, numbits);"
                "INSERT INTO file VALUES (1, 'discourse_nmt/module.py');"
                f"INSERT INTO context VALUES (1, ''), (2, '{words[0]}::test|setup'), (3, '{words[0]}::test|run');"
                "INSERT INTO line_bits VALUES (1, 1, x'08'), (1, 2, x'02'), (1, 3, x'04');"
            )
        return (-27 if words[0].endswith("_b.py") else 0), ""

    monkeypatch.setattr(executions, "tested", tested)

    def lines() -> dict[str, dict[str, int]]:
        measure(tmp_path, tmp_path / "kept")
        return dict(Executions(tmp_path / "kept", tmp_path).lines_of_test)

    assert lines() == {"discourse_nmt/module.py": {"tests/unit/test_a.py::test": 0b110}}
    assert lines() and done == ["tests/unit/test_a.py", "tests/unit/test_b.py"]
    module.write_text("\none = 1\n")
    assert lines() == {"discourse_nmt/module.py": {"tests/unit/test_a.py::test": 0b100}}
    assert len(done) == 2
    (tests / "test_b.py").write_text("two = 2")
    (tests / "test_a.py").unlink()
    assert lines() == {} and done[2:] == ["tests/unit/test_b.py"]
