"""Contrastive accuracy: how often a model prefers the translation that fits its document.

An item is right if the reference scores above every wrong variant of it (Müller et al. 2018). A tie is wrong:
a model that cannot tell the two apart has not preferred the right one; ties are counted and reported.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist

import pandas as pd

from corpus.errors import InputError
from scoring.bleu import Score

CONFIDENCE = 0.95


def wilson(right: int, items: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Score interval of a binomial share, two numbers from 0 to 1 (Wilson 1927; Newcombe 1998, method 3).

    It holds every share p that is within z of its own standard errors of right / items; ``items`` is above 0.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, scale = right / items, 1 + z * z / items
    centre = (share + z * z / (2 * items)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / items + z * z / (4 * items * items))
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    # At the ends the formula is exact but its rounding is not.
    return (0.0 if right == 0 else low), (1.0 if right == items else high)


def judge(scores: pd.DataFrame, *, file: str | Path) -> pd.DataFrame:
    """One row per item: item_id, phenomenon, distance, right and tie (both bool).

    ``scores`` is a ``contrastive_scores`` table, where an item with several wrong variants has several rows.

    :raises InputError: no items, a score that is not finite, or one item with two phenomena or distances.
    """
    if scores.empty:
        raise InputError("holds no contrastive items", file=file)
    numbers = scores[["right_score", "wrong_score"]]
    unusable = scores[~numbers.map(math.isfinite).all(axis=1)]
    if len(unusable):
        item = unusable.iloc[0]["item_id"]
        raise InputError(f"item {item} has a score that is not finite", file=file, remedy="train the model again")
    rows = scores.assign(
        above=scores["right_score"] > scores["wrong_score"],
        level=scores["right_score"] >= scores["wrong_score"],
    )
    items = rows.groupby("item_id", sort=False).agg(
        phenomenon=("phenomenon", "first"),
        distance=("distance", "first"),
        kinds=("phenomenon", "nunique"),
        distances=("distance", "nunique"),
        right=("above", "all"),
        level=("level", "all"),
    )
    mixed = items[(items["kinds"] > 1) | (items["distances"] > 1)]
    if len(mixed):
        raise InputError(
            f"item {mixed.index[0]} has two phenomena or two distances",
            file=file,
            remedy="give its rows different item ids",
        )
    items["tie"] = items["level"] & ~items["right"]
    return items.reset_index()[["item_id", "phenomenon", "distance", "right", "tie"]]


def subsets(items: pd.DataFrame, *, file: str | Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Name and items of: all, each phenomenon, each distance."""
    yield "all", items
    distances = items.groupby("distance")
    by_distance = {f"distance {chosen['distance'].iloc[0]}": chosen for _, chosen in distances}
    for phenomenon, chosen in items.groupby(items["phenomenon"].astype(str)):
        if phenomenon == "all" or phenomenon in by_distance:
            raise InputError(f"a phenomenon may not be called {phenomenon!r}", file=file, remedy="rename it")
        yield str(phenomenon), chosen
    yield from by_distance.items()


def contrastive_scores(scores: pd.DataFrame, *, file: str | Path) -> list[Score]:
    """Accuracy in per cent with its interval, items and ties: overall, per phenomenon and per distance."""
    found: list[Score] = []
    percent = f"ties:wrong|interval:Wilson[{CONFIDENCE:.0%}]"
    for name, items in subsets(judge(scores, file=file), file=file):
        right, number = int(items["right"].sum()), len(items)
        low, high = wilson(right, number)
        found += [
            Score(f"contrastive accuracy ({name})", 100 * right / number, percent),
            Score(f"contrastive accuracy, lower bound ({name})", 100 * low, percent),
            Score(f"contrastive accuracy, upper bound ({name})", 100 * high, percent),
            Score(f"contrastive items ({name})", number, "count"),
            Score(f"contrastive ties ({name})", int(items["tie"].sum()), "count"),
        ]
    return found
