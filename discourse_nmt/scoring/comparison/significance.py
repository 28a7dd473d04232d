"""Tests of the difference between a system and its baseline, on the statistics of their segments.

Statistics are a matrix of whole numbers, with one row per unit that is resampled and the columns that sacrebleu counts
for a measure (for BLEU lengths and n-grams). The row of a document is the sum of its segments' rows. Row i of system
and baseline is of the same unit. A p-value is the probability of a difference at least as large if neither system is
better.
"""

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, Protocol

import numpy as np
from mpmath import betainc
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.base import Score as SacrebleuScore
from sacrebleu.significance import Result, _paired_ar_test, _paired_bs_test

from discourse_nmt.scoring.metrics.bleu import Measure

Statistics = NDArray[np.float64]


class Aggregate(Protocol):
    """The part of sacrebleu's ``Metric`` that computes a score from the summed statistics of a test set."""

    def _compute_score_from_stats(self, stats: list[Any]) -> Any:
        """An object with the attribute ``score``."""


class MeanScore:
    """The mean of scores, from their sum and their number, in the form of sacrebleu's metrics."""

    def _compute_score_from_stats(self, stats: list[Any]) -> SacrebleuScore:
        return SacrebleuScore("mean", stats[0] / stats[1])


ROUNDING = 1e-9  # differences of scores, in points, up to which they are equal but for rounding
BLOCK = 1000  # trials whose statistics are summed at a time; bounds memory


def statistics(measure: Measure, hypotheses: list[str], references: list[str]) -> Statistics:
    """Sacrebleu's sufficient statistics, one row per segment."""
    return np.array(measure.metric._extract_corpus_statistics(hypotheses, [references]), dtype=float)


def summed_by_unit(rows: NDArray, units: Sequence[str]) -> NDArray:
    """The sum of the rows of each unit, by first occurrence of the units; ``units`` has the unit of each row."""
    index_of_unit = {unit: index for index, unit in enumerate(dict.fromkeys(units))}
    sums = np.zeros((len(index_of_unit), *rows.shape[1:]), dtype=rows.dtype)
    np.add.at(sums, [index_of_unit[unit] for unit in units], rows)
    return sums


def paired_bootstrap(metric: Metric, system: Statistics, baseline: Statistics, samples: int, seed: int) -> float:
    """Sacrebleu's paired bootstrap resampling (Koehn 2004; Riezler and Maxwell 2005).

    It draws units with replacement and counts the ``samples`` whose absolute difference exceeds the mean absolute
    difference by more than the observed difference: a one-tailed test. For equal statistics the p-value is 1, not
    sacrebleu's 1 / (samples + 1).
    """
    return _by_sacrebleu(_paired_bs_test, metric, system, baseline, samples, seed)


def sacrebleu_randomisation(metric: Metric, system: Statistics, baseline: Statistics, trials: int, seed: int) -> float:
    """Sacrebleu's approximate randomisation, which counts the ``trials`` whose difference exceeds the observed one.

    For equal statistics the p-value is 1, not sacrebleu's 1 / (trials + 1).
    """
    return _by_sacrebleu(_paired_ar_test, metric, system, baseline, trials, seed)


def _by_sacrebleu(
    test: Callable[..., tuple[str, dict[str, Result]]],
    metric: Metric,
    system: Statistics,
    baseline: Statistics,
    repetitions: int,
    seed: int,
) -> float:
    if np.array_equal(system, baseline):
        return 1.0
    resampled = copy(metric)
    # Sacrebleu's tests take texts and extract their statistics first. Here they get statistics, of any unit.
    vars(resampled)["_extract_corpus_statistics"] = lambda rows, references: rows
    information = {"": (baseline, resampled._aggregate_and_compute(baseline.tolist()))}
    _, results = test(information, "", system, None, {"": resampled}, repetitions, -1, seed)
    value = results[""].p_value
    assert value is not None
    return value


def approximate_randomisation(
    metric: Aggregate, system: Sequence[Statistics], baseline: Sequence[Statistics], trials: int, seed: int
) -> float:
    """Two-sided approximate randomisation (Noreen 1989) of the mean score over seeds; one matrix for each seed.

    A trial exchanges system and baseline in a random half of the units, the same units for all seeds. The p-value is
    the share of trials, the observed outcome among them, whose difference is at least the observed one. For one seed
    and without ties it equals :func:`sacrebleu_randomisation`, which does not count ties: its p-values are too small
    where few units differ.
    """
    exchanged = np.random.default_rng(seed).integers(2, size=(trials, len(system[0])), dtype=bool)
    observed = abs(mean_difference(metric, [rows.sum(0) for rows in system], [rows.sum(0) for rows in baseline]))
    reached = 1
    for block in np.array_split(exchanged, -(-trials // BLOCK)):
        mixed = [(block @ other + ~block @ own, block @ own + ~block @ other) for own, other in zip(system, baseline)]
        for trial in range(len(block)):
            sides = [first[trial] for first, _ in mixed], [second[trial] for _, second in mixed]
            reached += abs(mean_difference(metric, *sides)) >= observed - ROUNDING
    return reached / (trials + 1)


def mixed_model(metric: Aggregate, system: Sequence[Statistics], baseline: Sequence[Statistics]) -> float:
    """The two-sided p-value of the mean difference over seeds, where units and seeds are both random factors.

    The :func:`contributions` are a two-way layout without replicates. The variance of their mean is that of seeds plus
    that of units less that of the rest, which both have in them; no component is taken as negative. Degrees of freedom
    are those of Satterthwaite (1946). ``system`` and ``baseline`` have one matrix for each seed. With one seed or one
    unit, and for equal scores, it is 1. Where all seeds and units differ by as much, it is the least p-value that
    exchanging so many units can have: two units that agree are no proof.
    """
    gained = contributions(metric, system, baseline)
    seeds, units = gained.shape
    totals = [[rows.sum(0) for rows in side] for side in (system, baseline)]
    difference = mean_difference(metric, *totals)
    if min(seeds, units) < 2 or abs(difference) <= ROUNDING:
        return 1.0
    of_seeds, of_units = gained.mean(axis=1), gained.mean(axis=0)
    rest = gained - of_seeds[:, None] - of_units + gained.mean()
    freedom = np.array([seeds - 1, units - 1, (seeds - 1) * (units - 1)])
    squares = np.array(
        [units * of_seeds.var(ddof=1), seeds * of_units.var(ddof=1), (rest**2).sum() / ((seeds - 1) * (units - 1))]
    )
    variance = max(squares[0], squares[2]) + max(squares[1], squares[2]) - squares[2]
    if variance <= ROUNDING**2:
        return float(2.0 ** (1 - units))
    satterthwaite = variance**2 / (squares**2 / freedom).sum()
    statistic = difference**2 * seeds * units / variance
    return float(betainc(satterthwaite / 2, 0.5, 0, satterthwaite / (satterthwaite + statistic), regularized=True))


def contributions(metric: Aggregate, system: Sequence[Statistics], baseline: Sequence[Statistics]) -> Statistics:
    """What each unit contributes to the difference of scores of each seed: a row per seed, a column per unit.

    They are the pseudo-values of the jackknife (Tukey 1958), which make a score of a whole test set a mean over units.
    """
    score = metric._compute_score_from_stats

    def pseudo_values(rows: Statistics) -> Statistics:
        total, units = rows.sum(0), len(rows)
        if units < 2:
            return np.array([score(total.tolist()).score])
        without = np.array([score(left.tolist()).score for left in total - rows])
        return units * score(total.tolist()).score - (units - 1) * without

    return np.array([pseudo_values(own) - pseudo_values(other) for own, other in zip(system, baseline, strict=True)])


def mean_difference(metric: Aggregate, system: Sequence[Statistics], baseline: Sequence[Statistics]) -> float:
    """The mean difference of scores over seeds; each vector of statistics is that of a whole test set."""
    score = metric._compute_score_from_stats
    pairs = zip(system, baseline, strict=True)
    return sum(score(own.tolist()).score - score(other.tolist()).score for own, other in pairs) / len(system)


def exact_randomisation(differences: NDArray[np.int64]) -> float:
    """The two-sided p-value of a sum of whole numbers whose signs are random under the null hypothesis.

    It is the limit of :func:`approximate_randomisation` for infinitely many trials, computed exactly. With differences
    of -1, 0 and 1 it is the exact test of McNemar (1947).
    """
    sizes = np.abs(differences[differences != 0])
    probability = np.ones(1)  # probability[n]: the units with a changed sign sum up to n
    for size in sizes:
        probability = (np.pad(probability, (0, size)) + np.pad(probability, (size, 0))) / 2
    sums = sizes.sum() - 2 * np.arange(len(probability))
    return min(1.0, float(probability[np.abs(sums) >= abs(differences.sum())].sum()))
