"""Tests of the difference in consistency of address between a system and its baseline.

A unit's statistics are 100 times the pairs that agree, and the pairs with a verdict: a translation in which a sentence
has no form of *you* has fewer pairs than another.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from discourse_nmt.scoring.comparison.comparison import Comparison, Resampling
from discourse_nmt.scoring.comparison.significance import (
    MeanScore,
    Statistics,
    approximate_randomisation,
    mean_difference,
    summed_by_unit,
)
from discourse_nmt.scoring.metrics.address.address_consistency import Verdict, metric_of, signature_of, verdicts
from discourse_nmt.scoring.metrics.score import RANDOMISATION, Score

FEWEST_UNITS = 2  # with a pair that has a verdict, in every translation


def consistency_tests(
    system: Sequence[pd.DataFrame],
    baseline: Sequence[pd.DataFrame],
    sentences: pd.DataFrame,
    languages: tuple[str, str],
    comparison: Comparison,
    resampling: Resampling,
) -> list[Score]:
    """Compare the consistency of address by one speaker, and by any.

    ``system`` and ``baseline`` hold one table of :func:`.pair` for each pair of seeds; ``sentences`` and ``languages``
    are those of :func:`.verdicts`. A kind of pairs is left out where a translation has verdicts in fewer than
    :data:`FEWEST_UNITS` units.
    """
    told = [[verdicts(sentences, pairs, languages) for pairs in side] for side in (system, baseline)]
    scores, metric, signature = [], MeanScore(), signature_of(languages)
    for kind in told[0][0]:
        own, other = ([_statistics(one[kind], comparison) for one in side] for side in told)
        if any((rows[:, 1] > 0).sum() < FEWEST_UNITS for rows in (*own, *other)):
            continue
        name = metric_of(kind)
        totals = [[rows.sum(0) for rows in side] for side in (own, other)]
        scores.append(comparison.difference(name, mean_difference(metric, *totals), signature))
        if comparison.random_trainings:
            scores.append(comparison.p_of_trainings(name, metric, own, other, signature))
            continue
        value = approximate_randomisation(metric, own, other, resampling.trials, resampling.seed)
        drawn = f"{signature}|ar:{resampling.trials}|seed:{resampling.seed}"
        scores.append(comparison.p(name, RANDOMISATION, comparison.units, value, drawn))
    return scores


def _statistics(told: Sequence[Verdict], comparison: Comparison) -> Statistics:
    units = comparison.units_of([verdict.doc_id for verdict in told])
    rows = [(100.0 * (verdict.equal is True), float(verdict.equal is not None)) for verdict in told]
    return summed_by_unit(np.array(rows), units)
