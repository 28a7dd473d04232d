"""Contrastive accuracy: the share of items in which a model prefers the translation that fits its document.

An item is right if the reference scores above every wrong variant (Müller et al. 2018). A tie is wrong: a model that
cannot tell the two apart has not preferred the right one. Ties are counted and reported. A block of items is right if
all its items are (Bawden et al. 2018).
"""

import math
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.metrics.score import (
    ACCURACY,
    ALL_ITEMS,
    BLOCKS,
    BOUNDS,
    DISTANCE,
    FARTHER,
    ITEMS,
    PHENOMENON,
    TIES,
    ItemSubset,
    Score,
    item_score,
)

CONFIDENCE = 0.95
NEAR = 3  # sentences; the largest distance with a subset of its own in ContraPro


def wilson(right: int, items: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Score interval of a binomial share, two numbers from 0 to 1 (Wilson 1927; Newcombe 1998, method 3).

    It holds every share p whose distance from right / items is at most z of p's standard errors; ``items`` is above 0.
    """
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, scale = right / items, 1 + z * z / items
    centre = (share + z * z / (2 * items)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / items + z * z / (4 * items * items))
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    # At the ends the formula is exact, but rounding is not.
    return (0.0 if right == 0 else low), (1.0 if right == items else high)


def variant_scores(rows: pd.DataFrame) -> pd.DataFrame:
    """A ``contrastive_scores`` table, one row per wrong variant, of the scored rows of a ``contrastive`` table.

    The scores of a variant of several sentences are summed: its log-probability given the sentences before the first
    that differs. The sentences before are the same in the right document.
    """
    alone = -1 - pd.Series(range(len(rows)), index=rows.index)  # a row without a variant is a variant of its own
    keys = rows.assign(variant=pd.to_numeric(rows["variant"]).fillna(alone))
    described = {name: (name, "first") for name in ("phenomenon", "distance", "block")}
    scores = {name: (name, "sum") for name in ("right_score", "wrong_score")}
    return keys.groupby(["item_id", "variant"], sort=False).agg(**described, **scores).reset_index()


def judge(scores: pd.DataFrame, *, file: str | Path) -> pd.DataFrame:
    """One row per item: item_id, phenomenon, distance, block, right and tie (both bool).

    ``scores`` is a ``contrastive_scores`` table, where an item with several wrong variants has several rows.

    Raises :class:`InputError`: no items, a score that is not finite, an item with two phenomena, distances or blocks.
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
    groups = rows.groupby("item_id", sort=False)
    items = groups.agg(right=("above", "all"), level=("level", "all"))
    for name in ("phenomenon", "distance", "block"):
        items[name] = groups[name].first()
        mixed = items.index[groups[name].nunique() > 1]
        if len(mixed):
            raise InputError(
                f"item {mixed[0]} has two values of {name}", file=file, remedy="give its rows two item ids"
            )
    items["tie"] = items["level"] & ~items["right"]
    return items.reset_index()[["item_id", "phenomenon", "distance", "block", "right", "tie"]]


def subsets(items: pd.DataFrame, *, file: str | Path) -> Iterator[tuple[ItemSubset, pd.DataFrame]]:
    """The subsets with their items: all, each phenomenon and its parents, each distance, distances above 3, blocks.

    Müller et al. (2018) report distances 0 to 3 and above 3. A block counts as one item.

    Raises :class:`InputError`: a phenomenon has the name of another subset.
    """
    yield ALL_ITEMS, items
    known = items[items["distance"].notna()]
    distances = known.groupby(known["distance"].astype(int))
    others = {ItemSubset(DISTANCE, str(distance)): chosen for distance, chosen in distances}
    if (known["distance"] > NEAR).any():
        others[ItemSubset(FARTHER, str(NEAR))] = known[known["distance"] > NEAR]
    blocks = items[items["block"].notna()].groupby("block", sort=False)
    if blocks.ngroups:
        level = (items["right"] | items["tie"]).groupby(items["block"], sort=False).all()
        right = blocks["right"].all()
        others[ItemSubset(BLOCKS)] = pd.DataFrame({"right": right, "tie": level & ~right})
    taken = {str(subset) for subset in (ALL_ITEMS, *others)}
    names = items["phenomenon"].astype(str)
    parts = [name.split("/") for name in names]
    for phenomenon in sorted({"/".join(part[:end]) for part in parts for end in range(1, len(part) + 1)}):
        if phenomenon in taken:
            raise InputError(f"a phenomenon may not be called {phenomenon!r}", file=file, remedy="rename it")
        yield ItemSubset(PHENOMENON, phenomenon), items[[f"{name}/".startswith(f"{phenomenon}/") for name in names]]
    yield from others.items()


def contrastive_scores(scores: pd.DataFrame, *, file: str | Path) -> list[Score]:
    """Accuracy in per cent with its interval, items and ties: overall, per phenomenon, distance and block."""
    found: list[Score] = []
    for subset, items in subsets(judge(scores, file=file), file=file):
        found += accuracy_scores("contrastive", subset, items["right"], "ties:wrong|")
        found.append(item_score("contrastive", TIES, subset, int(items["tie"].sum()), "count"))
    return found


def accuracy_scores(task: str, subset: ItemSubset, right: "pd.Series[bool]", signature: str) -> list[Score]:
    """Accuracy in per cent of a subset of the items of a task, its interval, and the number of items."""
    items, count = len(right), int(right.sum())
    bounds = [100 * bound for bound in wilson(count, items)]
    percent = f"{signature}interval:Wilson[{CONFIDENCE:.0%}]"
    values = zip((ACCURACY, *BOUNDS), (100 * count / items, *bounds))
    return [
        *(item_score(task, figure, subset, value, percent) for figure, value in values),
        item_score(task, ITEMS, subset, items, "count"),
    ]
