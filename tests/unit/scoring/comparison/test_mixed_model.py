"""The test over units and seeds: its parts literally, its level by simulation, and where it is used."""

import numpy as np
import pytest
from numpy.typing import NDArray

from discourse_nmt.scoring.comparison.significance import (
    MeanScore,
    Statistics,
    approximate_randomisation,
    contributions,
    exact_randomisation,
    mixed_model,
    statistics,
    summed_by_unit,
)
from discourse_nmt.scoring.metrics.bleu import bleu
from tests.unit.scoring.metrics.test_bleu import GERMAN, worsen

EXPERIMENTS = 400


def as_statistics(gained: NDArray) -> tuple[list[Statistics], list[Statistics]]:
    """System and baseline whose differences are ``gained``, a row for each seed and a column for each unit."""
    ones = np.ones(gained.shape[1])
    return [np.stack([row, ones], axis=1) for row in gained], [np.stack([0 * row, ones], axis=1) for row in gained]


def p_of(gained: NDArray) -> float:
    return mixed_model(MeanScore(), *as_statistics(gained))


def test_contributions_to_a_mean_are_the_scores_and_to_bleu_those_of_leaving_a_document_out() -> None:
    gained = np.random.default_rng(1).normal(size=(3, 7))
    assert contributions(MeanScore(), *as_statistics(gained)) == pytest.approx(gained)
    measure, references = bleu("BLEU", "de", False), GERMAN * 2
    names = [str(place // 2) for place in range(len(references))]
    texts = worsen(references, 1), worsen(references, 2)
    own, other = (summed_by_unit(statistics(measure, side, references), names) for side in texts)
    (found,) = contributions(measure.metric, [own], [other])

    def difference(left_out: str) -> float:
        kept = [place for place, name in enumerate(names) if name != left_out]
        wanted = [references[place] for place in kept]
        first, second = (measure.score([side[place] for place in kept], wanted).value for side in texts)
        return first - second

    units = len(found)
    assert units == len(set(names)) > 2
    for place, name in enumerate(dict.fromkeys(names)):
        assert found[place] == pytest.approx(units * difference("") - (units - 1) * difference(name))


@pytest.mark.parametrize(("number", "quantile"), [(3, 4.302653), (5, 2.776445), (11, 2.228139)])
def test_with_one_source_of_chance_it_is_students_test(number: int, quantile: float) -> None:
    """Published quantiles of 97.5 % with 2, 4 and 10 degrees of freedom; every unit alike, then every seed alike."""
    chance = np.random.default_rng(number).normal(size=number)
    moved = chance - chance.mean() + quantile * chance.std(ddof=1) / number**0.5
    assert p_of(np.repeat(moved[:, None], 6, axis=1)) == pytest.approx(0.05, abs=1e-6)
    assert p_of(np.repeat(moved[None], 6, axis=0)) == pytest.approx(0.05, abs=1e-6)
    assert p_of(-np.repeat(moved[None], 6, axis=0)) == pytest.approx(0.05, abs=1e-6)


def test_one_seed_one_unit_and_equal_systems_are_no_evidence() -> None:
    gained = 5 + np.random.default_rng(1).normal(size=(3, 7))
    assert p_of(gained) < 0.01
    assert p_of(gained[:1]) == p_of(gained[:, :1]) == p_of(0 * gained) == 1


@pytest.mark.parametrize(("units", "least"), [(2, 0.5), (7, 2**-6)])
def test_few_units_that_all_differ_alike_are_little_evidence(units: int, least: float) -> None:
    alike = np.ones((3, units))
    assert p_of(alike) == p_of(-alike) == least
    assert exact_randomisation(np.ones(units, np.int64)) == least


@pytest.mark.parametrize("seeds", [3, 5, 10])
@pytest.mark.parametrize("of_trainings", [0.0, 0.4])
def test_it_keeps_its_level_where_trainings_differ(seeds: int, of_trainings: float) -> None:
    """Neither system is better, in points of BLEU: a training of the study moves by 0.3 to 0.5.

    A test that takes the trainings as they are calls too many of these differences significant.
    """
    chance = np.random.default_rng(seeds)
    units, found, of_fixed = 40, 0, 0
    for experiment in range(EXPERIMENTS):
        gained = chance.normal(0, of_trainings, (seeds, 1)) + chance.normal(0, 0.15 * units**0.5, (1, units))
        sides = as_statistics(gained + chance.normal(0, 0.25 * units**0.5, (seeds, units)))
        found += mixed_model(MeanScore(), *sides) <= 0.05
        of_fixed += approximate_randomisation(MeanScore(), *sides, 39, experiment) <= 0.05
    # Three standard errors around 5 per cent; with little variance between trainings it finds fewer.
    assert (7 if of_trainings else 2) <= found <= 33
    assert not of_trainings or of_fixed > found + 13
