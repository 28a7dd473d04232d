"""Contrastive accuracy and its interval."""

import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.metrics.contrastive import contrastive_scores, variant_scores, wilson


def table(*rows: tuple[str, str, int | None, float, float]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["item_id", "phenomenon", "distance", "right_score", "wrong_score"])
    return frame.assign(block=None)


ITEMS = table(
    ("1", "pronoun", 1, -1.0, -2.0),
    ("2", "pronoun", 2, -3.0, -2.0),
    ("3", "pronoun", 2, -1.0, -5.0),
    ("4", "formality", 1, -2.0, -2.0),  # a tie
    ("5", "formality", 3, -1.0, -1.5),
    ("6", "formality", 3, -1.0, -1.5),  # two wrong variants, one of them preferred
    ("6", "formality", 3, -1.0, -0.5),
)


def values(scores: pd.DataFrame) -> dict[str, float]:
    return {score.metric: score.value for score in contrastive_scores(scores, file="c.parquet")}


def test_accuracy_per_phenomenon_distance_and_overall() -> None:
    found = values(ITEMS)
    assert found["contrastive accuracy (all)"] == 50
    assert found["contrastive accuracy (pronoun)"] == pytest.approx(200 / 3)
    assert found["contrastive accuracy (formality)"] == pytest.approx(100 / 3)
    assert [found[f"contrastive accuracy (distance {distance})"] for distance in (1, 2, 3)] == [50, 50, 50]
    assert [found[f"contrastive items ({name})"] for name in ("all", "pronoun", "formality")] == [6, 3, 3]
    assert [found[f"contrastive ties ({name})"] for name in ("all", "pronoun", "formality")] == [1, 0, 1]


def test_a_tie_is_wrong_and_a_variant_above_is_no_tie() -> None:
    tied = values(table(("1", "p", 0, -1.0, -1.0), ("1", "p", 0, -1.0, -2.0)))
    assert (tied["contrastive accuracy (all)"], tied["contrastive ties (all)"]) == (0, 1)
    beaten = values(table(("1", "p", 0, -1.0, -1.0), ("1", "p", 0, -1.0, -0.5)))
    assert (beaten["contrastive accuracy (all)"], beaten["contrastive ties (all)"]) == (0, 0)


def test_a_part_of_a_phenomenon_counts_for_the_whole() -> None:
    rows = [
        ("1", "a/b/c", 1, 0.0, -1.0),
        ("2", "a/b", 1, -1.0, 0.0),
        ("3", "a", 1, 0.0, -1.0),
        ("4", "ab", 1, 0.0, 1.0),
    ]
    found = values(table(*rows))
    numbers = {name: found[f"contrastive items ({name})"] for name in ("a", "a/b", "a/b/c", "ab")}
    assert numbers == {"a": 3, "a/b": 2, "a/b/c": 1, "ab": 1}
    assert found["contrastive accuracy (a/b)"] == 50


def test_distances_above_three_also_count_together_and_unknown_ones_not_at_all() -> None:
    rows = [(str(number), "p", distance, 0.0, -1.0) for number, distance in enumerate((3, 4, 9, None))]
    found = values(table(*rows))
    numbers = {name: value for name, value in found.items() if name.startswith("contrastive items (distance")}
    assert numbers == {f"contrastive items (distance {name})": 1 for name in ("3", "4", "9")} | {
        "contrastive items (distance above 3)": 2
    }
    assert "contrastive items (distance above 3)" not in values(ITEMS)


def test_a_block_is_right_if_all_its_items_are() -> None:
    rows = [("1", "p", 1, 0.0, -1.0), ("2", "p", 1, 0.0, -1.0), ("3", "p", 1, 0.0, -1.0), ("4", "p", 1, 0.0, 0.0)]
    rows += [("5", "p", 1, 0.0, -1.0), ("6", "p", 1, -1.0, 0.0), ("7", "p", 1, -1.0, 0.0)]
    found = values(table(*rows).assign(block=pd.Series(["a", "a", "b", "b", "c", "c", None])))
    assert found["contrastive items (whole blocks)"] == 3
    assert found["contrastive accuracy (whole blocks)"] == pytest.approx(100 / 3)
    assert found["contrastive ties (whole blocks)"] == 1


def test_a_variant_of_several_sentences_has_their_sum() -> None:
    rows = [
        ("1", 1, 0.0, -1.0),
        ("1", 1, -3.0, -1.0),
        ("1", 2, -1.0, -5.0),
        ("2", None, -1.0, -2.0),
        ("2", None, -1.0, 0.0),
    ]
    frame = pd.DataFrame(rows, columns=["item_id", "variant", "right_score", "wrong_score"])
    found = variant_scores(frame.assign(phenomenon="p", distance=1, block=None))
    assert found["right_score"].tolist() == [-3.0, -1.0, -1.0, -1.0]
    assert found["wrong_score"].tolist() == [-2.0, -5.0, -2.0, 0.0]


def test_order_of_rows_does_not_matter() -> None:
    assert values(ITEMS) == values(ITEMS.iloc[::-1])


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (ITEMS.iloc[:0], "c.parquet: holds no contrastive items"),
        (table(("7", "p", 0, math.nan, -1.0)), "item 7 has a score that is not finite"),
        (table(("7", "p", 0, -1.0, -math.inf)), "item 7 has a score that is not finite"),
        (table(("7", "p", 0, -1.0, -2.0), ("7", "q", 0, -1.0, -2.0)), "item 7 has two values of phenomenon"),
        (
            table(("7", "p", 0, -1.0, -2.0), ("7", "p", 1, -1.0, -2.0)),
            "item 7 has two values of distance",
        ),
        (table(("7", "all", 0, -1.0, -2.0)), "a phenomenon may not be called 'all'"),
        (table(("7", "distance 0", 0, -1.0, -2.0)), "a phenomenon may not be called 'distance 0'"),
    ],
)
def test_unusable_scores_are_input_errors(scores: pd.DataFrame, message: str) -> None:
    with pytest.raises(InputError, match=message):
        contrastive_scores(scores, file="c.parquet")


@pytest.mark.parametrize(
    ("right", "items", "low", "high"),
    # Newcombe 1998, table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_interval_of_newcombe_table_1(right: int, items: int, low: float, high: float) -> None:
    assert wilson(right, items) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 5000).flatmap(lambda items: st.tuples(st.integers(0, items), st.just(items))))
def test_wilson_bounds_are_z_standard_errors_from_the_share(counts: tuple[int, int]) -> None:
    right, items = counts
    low, high = wilson(right, items)
    assert 0 <= low <= right / items <= high <= 1
    for bound in (low, high):
        if 0 < bound < 1:
            distance = abs(right / items - bound)
            assert distance == pytest.approx(1.959963984540054 * math.sqrt(bound * (1 - bound) / items), rel=1e-6)
    # The interval of the wrong items is its mirror image.
    assert wilson(items - right, items) == pytest.approx((1 - high, 1 - low), abs=1e-12)
