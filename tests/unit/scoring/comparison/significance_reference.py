"""Tests of significance word by word: texts are exchanged or drawn again, and scored from the beginning each time."""

from itertools import product

import numpy as np
from sacrebleu.metrics.base import Metric

Document = list[str]  # its sentences


def score(metric: Metric, hypotheses: list[Document], references: list[Document]) -> float:
    """The metric of all sentences of some documents."""
    texts, wanted = ([line for document in side for line in document] for side in (hypotheses, references))
    return metric.corpus_score(texts, [wanted]).score


def randomisation(
    metric: Metric,
    system: list[list[Document]],
    baseline: list[list[Document]],
    references: list[Document],
    trials: int,
    seed: int,
) -> float:
    """Approximate randomisation over documents; ``system`` and ``baseline`` have a translation for each seed."""

    def difference(exchanged: list[bool]) -> float:
        differences = []
        for own, other in zip(system, baseline):
            first = [theirs if swap else mine for swap, mine, theirs in zip(exchanged, own, other)]
            second = [mine if swap else theirs for swap, mine, theirs in zip(exchanged, own, other)]
            differences.append(score(metric, first, references) - score(metric, second, references))
        return abs(sum(differences) / len(differences))

    observed = difference([False] * len(references))
    draws = np.random.default_rng(seed).integers(2, size=(trials, len(references)), dtype=bool)
    reached = sum(difference(list(draw)) >= observed - 1e-9 for draw in draws)
    return (reached + 1) / (trials + 1)


def bootstrap(
    metric: Metric,
    system: list[Document],
    baseline: list[Document],
    references: list[Document],
    samples: int,
    seed: int,
) -> float:
    """Paired bootstrap over documents, its p-value as sacrebleu computes it."""
    draws = np.random.default_rng(seed).choice(len(references), size=(samples, len(references)), replace=True)
    differences = []
    for draw in draws:
        own, other, wanted = ([side[place] for place in draw] for side in (system, baseline, references))
        differences.append(abs(score(metric, own, wanted) - score(metric, other, wanted)))
    observed = abs(score(metric, system, references) - score(metric, baseline, references))
    mean = sum(differences) / samples
    return (sum(one - mean > observed for one in differences) + 1) / (samples + 1)


def sign_test(differences: list[int]) -> float:
    """The share of all assignments of signs under which the sum is as far from zero."""
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, differences)))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(one >= abs(sum(differences)) for one in sums) / len(sums)
