"""The names of differences from a baseline and of their p-values, and the marks of significance that tables show.

Marks go by the test that is two-sided and whose units, documents, are independent of each other.
"""

import re

import pandas as pd

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.scoring.tables.scores import COLUMNS

BOOTSTRAP = "paired bootstrap"
RANDOMISATION = "approximate randomisation"
EXACT = "exact randomisation"

LOWER_IS_BETTER = ("TER",)
# Level, mark of a system that is better than its baseline, mark of one that is worse.
LEVELS = ((0.05, "↑", "↓"), (0.01, "⇑", "⇓"))
DECISIVE = re.compile(rf"p(, all seeds)? \((.+), (?:{RANDOMISATION}|{EXACT}) over documents\)")
BASELINE = re.compile(r"\|baseline:([^|]+)\|")


def difference_name(metric: str, pooled: bool) -> str:
    """What the difference of ``metric`` is called; ``pooled`` over several seeds."""
    return f"difference{', all seeds' if pooled else ''} ({metric})"


def p_name(metric: str, test: str, units: str, pooled: bool) -> str:
    """What the p-value of a difference is called; ``units`` are sentences, items or documents."""
    return f"p{', all seeds' if pooled else ''} ({metric}, {test} over {units})"


def mark(metric: str, difference: float, p: float) -> str:
    """The mark of a system whose ``metric`` differs from its baseline's by ``difference``; empty if by chance."""
    better = (difference < 0) == (metric in LOWER_IS_BETTER)
    found = ""
    for level, up, down in LEVELS:
        if p < level:
            found = up if better else down
    return found


def marks(scores: pd.DataFrame) -> dict[tuple[str, str, str, str], str]:
    """Marks by corpus, test set, experiment and metric, empty where the difference may be chance.

    Of several seeds the test of their mean counts; without it they have no mark. ``scores`` is a long table.

    :raises InputError: a p-value without the difference that it is about.
    """
    values = {}
    seeds: dict[tuple[str, str, str], set[int]] = {}
    for row in scores[COLUMNS].to_dict("records"):
        place = row["corpus"], row["test_set"], row["experiment"]
        seeds.setdefault(place, set()).add(row["seed"])
        values[place, row["seed"], row["metric"]] = row["value"]
    found = {}
    for (place, seed, name), p in values.items():
        test = DECISIVE.fullmatch(name)
        if test and bool(test[1]) == (len(seeds[place]) > 1):
            difference = values.get((place, seed, difference_name(test[2], bool(test[1]))))
            if difference is None:
                what = f"the table of scores lacks the difference of {test[2]} of experiment {place[2]}"
                raise InputError(what, remedy="make it again")
            found[*place, test[2]] = mark(test[2], difference, p)
    return found


def legend(scores: pd.DataFrame) -> str:
    """What the marks say, and which experiments are compared with which; empty where none is."""
    baselines: dict[str, list[str]] = {}
    for row in scores[COLUMNS].to_dict("records"):
        baseline = BASELINE.search(row["signature"])
        if baseline and DECISIVE.fullmatch(row["metric"]):
            experiments = baselines.setdefault(baseline[1], [])
            experiments += [row["experiment"]] * (row["experiment"] not in experiments)
    if not baselines:
        return ""
    compared = "; ".join(f"{', '.join(experiments)} with {name}" for name, experiments in baselines.items())
    meaning = ", ".join(f"{up} better, {down} worse (p < {level})" for level, up, down in LEVELS)
    return f"Compared: {compared}. {meaning}, by randomisation over documents of the mean over seeds."
