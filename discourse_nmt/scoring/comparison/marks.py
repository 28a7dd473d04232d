"""Marks of significance in tables: whether a system is better or worse than its baseline.

Marks go by the tests of :func:`marking`. Many systems beside one baseline make a chance finding likely, so
that their p-values are corrected by Holm's method (Holm 1979, A simple sequentially rejective multiple test procedure).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.comparison.unlearnt import beside_unlearnt
from discourse_nmt.scoring.metrics.score import EXACT, MIXED, POOLED, RANDOMISATION

LOWER_IS_BETTER = ("TER",)
# Level, mark of a system that is better than its baseline, mark of one that is worse.
LEVEL = 0.05
LEVELS = ((LEVEL, "↑", "↓"), (0.01, "⇑", "⇓"))

Name = TypeVar("Name")
EXPERIMENT = ["corpus", "test_set", "experiment"]
# Columns that tell differences apart, and those that tests which are corrected together share.
DIFFERENCE = [*EXPERIMENT, "seed", "compared", "pooled"]
FAMILY = ["corpus", "test_set", "baseline", "compared"]


@dataclass(frozen=True)
class TestedDifference:
    """A difference from the ``baseline`` and its corrected p-value.

    ``better`` is the direction of a metric that the user runs.
    """

    value: float
    p: float
    baseline: str
    better: str


def lower_is_better(metric: str, better: str) -> bool:
    """Whether lower scores are better by a metric; ``better`` is the direction of one that the user runs."""
    return metric in LOWER_IS_BETTER or better == "lower"


def verdict(metric: str, tested: TestedDifference) -> str:
    """``better`` or ``worse`` than the baseline by ``metric``; empty if the difference is not significant."""
    if tested.p >= LEVEL:
        return ""
    return "better" if (tested.value < 0) == lower_is_better(metric, tested.better) else "worse"


def mark(metric: str, difference: float, p: float, better: str = "") -> str:
    """The mark of a ``difference`` from the baseline by ``metric``; empty if it is not significant."""
    gained = (difference < 0) == lower_is_better(metric, better)
    reached = [up if gained else down for level, up, down in LEVELS if p < level]
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
    differences = scores[(scores["compared"] != "") & (scores["test"] == "")].set_index(DIFFERENCE)["value"].to_dict()
    found = {}
    for _, family in marking(scores, of_all_seeds=True).groupby(FAMILY, sort=False):
        corrected = holm(dict(enumerate(family["value"])))
        for number, row in enumerate(family.to_dict("records")):
            experiment, metric, key = row["experiment"], row["compared"], tuple(row[name] for name in DIFFERENCE)
            if key not in differences:
                what = f"the table of scores lacks the difference of {metric} of experiment {experiment}"
                raise InputError(what, remedy="make it again")
            tested = TestedDifference(differences[key], corrected[number], row["baseline"], row["better"])
            found[row["corpus"], row["test_set"], experiment, metric] = tested
    return found


def marking(scores: pd.DataFrame, *, of_all_seeds: bool = False) -> pd.DataFrame:
    """The rows of tests that set marks: two-sided ones over units that are independent of each other.

    Comparisons with a run in which nothing was learnt have none. With ``of_all_seeds``, of experiments with several
    seeds only the tests of their mean.
    """
    randomised = scores["test"].isin([RANDOMISATION, EXACT]) & scores["units"].isin(["documents", "groups", "lines"])
    chosen = randomised | (scores["test"] == MIXED)
    chosen &= ~beside_unlearnt(scores)
    if of_all_seeds:
        seeds = scores.groupby(EXPERIMENT)["seed"].transform("nunique")
        chosen &= (scores["pooled"] == POOLED) == (seeds > 1)
    return scores[chosen]


def marks(scores: pd.DataFrame) -> dict[tuple[str, str, str, str], str]:
    """Marks by corpus, test set, experiment and metric; empty where the difference is not significant.

    They are those of :func:`tested_differences`, with its errors.
    """
    return {
        names: mark(names[3], tested.value, tested.p, tested.better)
        for names, tested in tested_differences(scores).items()
    }


def legend(scores: pd.DataFrame, meaning: str = "") -> str:
    """The baseline of each experiment, and the ``meaning`` of marks, by default arrows; empty without comparisons."""
    tests = marking(scores, of_all_seeds=True)
    experiments_of = {
        str(baseline): list(compared.unique())
        for baseline, compared in tests.groupby("baseline", sort=False)["experiment"]
    }
    if not experiments_of:
        return ""
    compared = "; ".join(f"{', '.join(experiments)} with {name}" for name, experiments in experiments_of.items())
    meaning = meaning or ", ".join(f"{up} better, {down} worse (p < {level})" for level, up, down in LEVELS)
    several = any(len(experiments) > 1 for experiments in experiments_of.values())
    correction = ", corrected for the number of systems (Holm)" if several else ""
    kinds = tests.assign(how=["a mixed model" if test == MIXED else "randomisation" for test in tests["test"]])
    how = [f"{how} over {units}" for how, units in sorted(set(zip(kinds["how"], kinds["units"])))]
    tested = f"{meaning}, by {' or '.join(how)} of the mean over seeds{correction}"
    return f"Compared: {compared}. {tested}. {trainings_note(scores)}"


def trainings_note(scores: pd.DataFrame) -> str:
    """The line that tells whether verdicts are about other trainings, too; empty without comparisons."""
    tests = marking(scores, of_all_seeds=True)
    fixed = tests["test"] != MIXED
    said = []
    if not fixed.all():
        said.append("Seeds are a random factor: verdicts are about other trainings, too.")
    if fixed.any():
        names = ", ".join(tests.loc[fixed, "experiment"].unique())
        said.append(f"For {names}, verdicts hold for these trainings only: others may differ.")
    return " ".join(said)
