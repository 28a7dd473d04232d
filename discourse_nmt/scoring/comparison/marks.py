"""Marks of significance in tables: whether a system is better or worse than its baseline.

Marks go by the tests of :attr:`.PValue.sets_mark`. Many systems beside one baseline make a chance finding likely, so
that their p-values are corrected by Holm's method (Holm 1979, A simple sequentially rejective multiple test procedure).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.metrics.score import Difference, PValue, baseline_of, better_of

LOWER_IS_BETTER = ("TER",)
# Level, mark of a system that is better than its baseline, mark of one that is worse.
LEVEL = 0.05
LEVELS = ((LEVEL, "↑", "↓"), (0.01, "⇑", "⇓"))

Name = TypeVar("Name")
Cell = tuple[str, str, str]
"""Corpus, test set and experiment."""


@dataclass(frozen=True)
class TestedDifference:
    """A difference from the baseline, its corrected p-value, and the signature of the test."""

    value: float
    p: float
    signature: str


def lower_is_better(metric: str, signature: str) -> bool:
    """Whether lower scores are better by a metric; the user's own metrics say so in their signature."""
    return metric in LOWER_IS_BETTER or better_of(signature) == "lower"


def verdict(metric: str, tested: TestedDifference) -> str:
    """``better`` or ``worse`` than the baseline by ``metric``; empty if the difference is not significant."""
    if tested.p >= LEVEL:
        return ""
    return "better" if (tested.value < 0) == lower_is_better(metric, tested.signature) else "worse"


def mark(metric: str, difference: float, p: float, signature: str = "") -> str:
    """The mark of a ``difference`` from the baseline by ``metric``; empty if it is not significant."""
    better = (difference < 0) == lower_is_better(metric, signature)
    reached = [up if better else down for level, up, down in LEVELS if p < level]
    return reached[-1] if reached else ""


def holm(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """P-values of several tests, corrected so that the probability of any false finding keeps its level.

    The i-th smallest of n (from 0) is multiplied by n - i, is at least the one before it, and at most 1.
    """
    corrected: dict[Name, float] = {}
    largest = 0.0
    for rank, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[name]))
        corrected[name] = largest
    return corrected


def tested_differences(scores: pd.DataFrame) -> dict[tuple[str, str, str, str], TestedDifference]:
    """The differences whose tests set marks, by corpus, test set, experiment and metric.

    Experiments of several seeds have the test of their mean, or none without it. P-values of one metric are corrected
    for the number of experiments that are compared with the same baseline on the same test set. ``scores`` is a long
    table.

    Raises :class:`InputError`: the table has a p-value without its difference.
    """
    seeds: dict[Cell, set[int]] = {}
    differences: dict[tuple[Cell, int, Difference], float] = {}
    p_values: dict[tuple[Cell, int, PValue], tuple[float, str]] = {}
    for row in scores.to_dict("records"):
        cell = row["corpus"], row["test_set"], row["experiment"]
        seeds.setdefault(cell, set()).add(row["seed"])
        if difference := Difference.parse(row["metric"]):
            differences[cell, row["seed"], difference] = row["value"]
        elif (tested := PValue.parse(row["metric"])) and tested.sets_mark:
            p_values[cell, row["seed"], tested] = row["value"], row["signature"]
    families: dict[tuple[str, str, str | None, str], dict[tuple[Cell, int, PValue], float]] = {}
    for test, (p, signature) in p_values.items():
        cell, _, tested = test
        if tested.pooled == (len(seeds[cell]) > 1):
            families.setdefault((*cell[:2], baseline_of(signature), tested.metric), {})[test] = p
    found = {}
    for test, p in (pair for family in families.values() for pair in holm(family).items()):
        cell, seed, tested = test
        if (cell, seed, tested.difference) not in differences:
            what = f"the table of scores lacks the difference of {tested.metric} of experiment {cell[2]}"
            raise InputError(what, remedy="make it again")
        value = differences[cell, seed, tested.difference]
        found[*cell, tested.metric] = TestedDifference(value, p, p_values[test][1])
    return found


def marks(scores: pd.DataFrame) -> dict[tuple[str, str, str, str], str]:
    """Marks by corpus, test set, experiment and metric; empty where the difference is not significant.

    They are those of :func:`tested_differences`, with its errors.
    """
    return {
        names: mark(names[3], tested.value, tested.p, tested.signature)
        for names, tested in tested_differences(scores).items()
    }


def legend(scores: pd.DataFrame, meaning: str = "") -> str:
    """The baseline of each experiment, and the ``meaning`` of marks, by default arrows; empty without comparisons."""
    experiments_of: dict[str, list[str]] = {}  # by baseline
    units: set[str] = set()
    for row in scores.to_dict("records"):
        baseline, tested = baseline_of(row["signature"]), PValue.parse(row["metric"])
        if baseline and tested and tested.sets_mark:
            units.add(tested.units)
            experiments = experiments_of.setdefault(baseline, [])
            experiments += [row["experiment"]] * (row["experiment"] not in experiments)
    if not experiments_of:
        return ""
    compared = "; ".join(f"{', '.join(experiments)} with {name}" for name, experiments in experiments_of.items())
    meaning = meaning or ", ".join(f"{up} better, {down} worse (p < {level})" for level, up, down in LEVELS)
    several = any(len(experiments) > 1 for experiments in experiments_of.values())
    correction = ", corrected for the number of systems (Holm)" if several else ""
    over = " or ".join(sorted(units))
    return f"Compared: {compared}. {meaning}, by randomisation over {over} of the mean over seeds{correction}."
