"""Tests of the consistency of address: a worked example, seeds as a random factor, translations without verdicts."""

import numpy as np
import pandas as pd
import pytest

from discourse_nmt.scoring.comparison.comparison import Comparison, Resampling
from discourse_nmt.scoring.comparison.consistency import consistency_tests
from discourse_nmt.scoring.comparison.significance import MeanScore, approximate_randomisation, mixed_model
from discourse_nmt.scoring.metrics.score import Score
from tests.unit.scoring.metrics.address.address_examples import YOU, Line, table

SPOKEN: list[list[Line]] = [
    [(f"{document} {line}", "du", "Ann", 0) for line in ("one", "two", "three")] for document in range(6)
]
SCENES = table(*SPOKEN)
FEW = Resampling(samples=10, trials=200, seed=5)
SAME = "address consistency (same speaker)"
GOOD = ["du du du", "ihr ihr ihr", "du du -", "du du du", "du du ihr", "ihr ihr ihr"]
BAD = ["du ihr du", "ihr du ihr", "du - -", "du ihr du", "du du ihr", "ihr du du"]
WORSE = ["du ihr du", "ihr du ihr", "du - -", "du ihr du", "du ihr du", "ihr du ihr"]


def translated(forms: list[str]) -> pd.DataFrame:
    return SCENES[["doc_id", "sent_id"]].assign(hypothesis=[YOU[form] for form in " ".join(forms).split()])


def compared(system: list[list[str]], baseline: list[list[str]], comparison: Comparison) -> list[Score]:
    own, other = ([translated(forms) for forms in side] for side in (system, baseline))
    return consistency_tests(own, other, SCENES, ("en", "de"), comparison, FEW)


def rows(*documents: tuple[int, int]) -> np.ndarray:
    """Statistics of documents with so many equal pairs, of so many with a verdict."""
    return np.array([(100.0 * equal, decided) for equal, decided in documents])


ROWS = {
    "good": rows((2, 2), (2, 2), (1, 1), (2, 2), (1, 2), (2, 2)),
    "bad": rows((0, 2), (0, 2), (0, 0), (0, 2), (1, 2), (1, 2)),
    "worse": rows((0, 2), (0, 2), (0, 0), (0, 2), (0, 2), (0, 2)),
}


def test_a_difference_is_that_of_shares_and_tested_over_documents() -> None:
    scores = {score.metric: score for score in compared([GOOD], [BAD], Comparison("sentence", [(1, 2)]))}
    difference = scores[f"difference ({SAME})"]
    assert difference.value == pytest.approx(100 * 10 / 11 - 100 * 2 / 10)
    assert difference.signature == "forms:de|items:source+reference|baseline:sentence|seeds:1/2"
    p = scores[f"p ({SAME}, approximate randomisation over documents)"]
    assert p.value == approximate_randomisation(MeanScore(), [ROWS["good"]], [ROWS["bad"]], 200, 5) < 0.15
    assert p.signature == "forms:de|items:source+reference|ar:200|seed:5|baseline:sentence|seeds:1/2"


def test_seeds_are_a_random_factor_unless_they_are_fixed() -> None:
    seeds = [(1, 1), (2, 2)]
    scores = {score.metric: score for score in compared([GOOD, GOOD], [BAD, WORSE], Comparison("sentence", seeds))}
    sides = [ROWS["good"], ROWS["good"]], [ROWS["bad"], ROWS["worse"]]
    name = f"p, all seeds ({SAME}, mixed model over documents and seeds)"
    assert scores[name].value == mixed_model(MeanScore(), *sides)
    assert scores[f"difference, all seeds ({SAME})"].value == pytest.approx(100 * 10 / 11 - 100 * 1 / 10)
    fixed = compared([GOOD, GOOD], [BAD, WORSE], Comparison("sentence", seeds, trainings="fixed"))
    [value] = [score.value for score in fixed if "p, all seeds" in score.metric and "same" in score.metric]
    assert value == approximate_randomisation(MeanScore(), *sides, 200, 5)


def test_groups_are_units() -> None:
    grouped = compared([GOOD], [BAD], Comparison("sentence", [(1, 1)], groups="d(?=[0-2])"))
    values = {score.metric: score.value for score in grouped}
    first = [np.concatenate([rows[:3].sum(0, keepdims=True), rows[3:]]) for rows in (ROWS["good"], ROWS["bad"])]
    expected = approximate_randomisation(MeanScore(), first[:1], first[1:], 200, 5)
    assert values[f"p ({SAME}, approximate randomisation over groups)"] == expected
    assert expected != approximate_randomisation(MeanScore(), [ROWS["good"]], [ROWS["bad"]], 200, 5)


@pytest.mark.parametrize(("documents", "tested"), [(1, False), (2, True)])
def test_without_verdicts_in_two_documents_nothing_is_tested(documents: int, tested: bool) -> None:
    silent = [*GOOD[:documents], *["- - -"] * (6 - documents)]
    assert bool(compared([silent], [BAD], Comparison("sentence", [(1, 1)]))) == tested
    assert bool(compared([BAD], [silent], Comparison("sentence", [(1, 1)]))) == tested


def test_corpora_without_speakers_and_scenes_have_no_tests() -> None:
    own = [translated(GOOD)]
    silent = SCENES.assign(speaker=None, scene=None)
    assert consistency_tests(own, own, silent, ("en", "de"), Comparison("sentence", [(1, 1)]), FEW) == []
