"""Whether a system differs from its baseline by more than chance: tests on the statistics of their segments.

Statistics are a matrix of whole numbers: a row per unit that is resampled, and the columns that sacrebleu counts for
a measure (for BLEU lengths and n-grams). A document's row is the sum of its segments'. Rows of system and baseline are
of the same units. P-values are the probability of a difference as large as that if neither translated better.
"""

from collections.abc import Callable, Sequence
from copy import copy

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.base import Metric
from sacrebleu.significance import Result, _paired_ar_test, _paired_bs_test

from discourse_nmt.scoring.metrics.bleu import Measure

Statistics = NDArray[np.float64]

# Differences of scores, in points, that only rounding tells apart.
ROUNDING = 1e-9
BLOCK = 1000  # trials whose statistics are summed at a time, which bounds memory


def statistics(measure: Measure, hypotheses: list[str], references: list[str]) -> Statistics:
    """Sacrebleu's sufficient statistics, a row per segment."""
    return np.array(measure.metric._extract_corpus_statistics(hypotheses, [references]), dtype=float)


def summed(rows: NDArray, units: Sequence[str]) -> NDArray:
    """The sums of the rows of each unit, in the order in which the units occur; ``units`` names one for every row."""
    places = {unit: place for place, unit in enumerate(dict.fromkeys(units))}
    sums = np.zeros((len(places), *rows.shape[1:]), dtype=rows.dtype)
    np.add.at(sums, [places[unit] for unit in units], rows)
    return sums


def paired_bootstrap(metric: Metric, system: Statistics, baseline: Statistics, samples: int, seed: int) -> float:
    """Sacrebleu's paired bootstrap resampling (Koehn 2004; Riezler and Maxwell 2005).

    It draws units with replacement and counts the ``samples`` in which the absolute difference exceeds its mean by
    more than the observed one: a single tail. Of equal statistics the p-value is 1, not sacrebleu's 1 / (samples + 1).
    """
    return _by_sacrebleu(_paired_bs_test, metric, system, baseline, samples, seed)


def sacrebleu_randomisation(metric: Metric, system: Statistics, baseline: Statistics, trials: int, seed: int) -> float:
    """Sacrebleu's approximate randomisation, which counts the ``trials`` whose difference exceeds the observed one.

    Of equal statistics the p-value is 1, not sacrebleu's 1 / (trials + 1).
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
    # Sacrebleu's tests take texts and begin with their statistics; here these are there already, of any unit.
    vars(resampled)["_extract_corpus_statistics"] = lambda rows, references: rows
    information = {"": (baseline, resampled._aggregate_and_compute(baseline.tolist()))}
    _, results = test(information, "", system, None, {"": resampled}, repetitions, -1, seed)
    value = results[""].p_value
    assert value is not None
    return value


def approximate_randomisation(
    metric: Metric, system: Sequence[Statistics], baseline: Sequence[Statistics], trials: int, seed: int
) -> float:
    """Two-sided approximate randomisation (Noreen 1989) of the mean score over seeds; one matrix for each seed.

    A trial exchanges system and baseline in a random half of the units, in all seeds alike. The p-value is the share of
    trials, the observed outcome among them, whose difference reaches the observed one. For one seed and without ties
    it is that of :func:`sacrebleu_randomisation`, which leaves ties out and so finds too much where few units differ.
    """
    chance = np.random.default_rng(seed).integers(2, size=(trials, len(system[0])), dtype=bool)
    observed = abs(mean_difference(metric, [rows.sum(0) for rows in system], [rows.sum(0) for rows in baseline]))
    reached = 1
    for block in np.array_split(chance, -(-trials // BLOCK)):
        mixed = [(block @ other + ~block @ own, block @ own + ~block @ other) for own, other in zip(system, baseline)]
        for trial in range(len(block)):
            sides = [first[trial] for first, _ in mixed], [second[trial] for _, second in mixed]
            reached += abs(mean_difference(metric, *sides)) >= observed - ROUNDING
    return reached / (trials + 1)


def mean_difference(metric: Metric, system: Sequence[Statistics], baseline: Sequence[Statistics]) -> float:
    """The mean difference of scores over seeds; statistics are those of the whole test set."""
    score = metric._compute_score_from_stats
    pairs = zip(system, baseline, strict=True)
    return sum(score(own.tolist()).score - score(other.tolist()).score for own, other in pairs) / len(system)


def exact_randomisation(differences: NDArray[np.int64]) -> float:
    """The two-sided p-value of a sum of whole numbers of which each may as well have the other sign.

    It is what :func:`approximate_randomisation` would give with infinitely many trials, computed exactly. Differences
    of -1, 0 and 1 make it the exact test of McNemar (1947).
    """
    sizes = np.abs(differences[differences != 0])
    chance = np.ones(1)  # chance[n]: that the units that have changed sign sum up to n
    for size in sizes:
        chance = (np.pad(chance, (0, size)) + np.pad(chance, (size, 0))) / 2
    sums = sizes.sum() - 2 * np.arange(len(chance))
    return min(1.0, float(chance[np.abs(sums) >= abs(differences.sum())].sum()))
