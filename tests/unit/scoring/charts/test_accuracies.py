"""Points of the pictures of accuracy: intervals of one seed, deviations of several."""

import re

import pandas as pd
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.scoring.charts.accuracies import accuracy_points, by_distance, by_phenomenon
from discourse_nmt.scoring.metrics.score import (
    ACCURACY,
    ALL_ITEMS,
    BLOCKS,
    BOUNDS,
    DISTANCE,
    FARTHER,
    PHENOMENON,
    ItemSubset,
    item_score,
)
from discourse_nmt.scoring.tables.scores import score_table


def scores(*values: float, without: str = "") -> pd.DataFrame:
    """An experiment with an accuracy for each seed, and intervals of ten points on both sides but for ``without``."""
    figures = {ACCURACY: 0, BOUNDS[0]: -10, BOUNDS[1]: 10}
    found = [
        item_score("contrastive", figure, ALL_ITEMS, value + more, "ties:wrong")
        for value in values
        for figure, more in figures.items()
        if figure != without
    ]
    return score_table(found, corpus="c", experiment="trees", system="s", seed=1, test_set="test")


def test_one_seed_has_its_interval_and_several_their_deviation() -> None:
    one, several = (accuracy_points(table, "contrastive", ["trees"]) for table in (scores(60), scores(60, 62)))
    assert one.values.tolist() == [["trees", "all", "", 60, 50, 70]]
    assert several.values.tolist() == [["trees", "all", "", 61, pytest.approx(61 - 2**0.5), pytest.approx(61 + 2**0.5)]]


@pytest.mark.parametrize("bound", BOUNDS)
def test_an_accuracy_of_one_seed_needs_its_interval(bound: str) -> None:
    with pytest.raises(InputError, match="the table of scores lacks an interval of accuracy; make it again"):
        accuracy_points(scores(60, without=bound), "contrastive", ["trees"])
    assert len(accuracy_points(scores(60, 62, without=bound), "contrastive", ["trees"])) == 1


def test_each_picture_has_the_subsets_of_its_kind() -> None:
    names = [(PHENOMENON, "pronoun"), (DISTANCE, "1"), (DISTANCE, "10"), (FARTHER, "3"), (BLOCKS, "")]
    subsets = [ALL_ITEMS, *(ItemSubset(*name) for name in names)]
    found = [item_score("contrastive", figure, subset, 50, "v") for subset in subsets for figure in (ACCURACY, *BOUNDS)]
    table = score_table(found, corpus="c", experiment="trees", system="s", seed=1, test_set="test")
    points = accuracy_points(table, "contrastive", ["trees"])
    drawings = {"by phenomenon": by_phenomenon(points), "by distance": by_distance(points)}
    dots = re.compile(
        r'aria-label="[^"]*(?:subset|decides): ([^;"]+)[^"]*" role="graphics-symbol" aria-roledescription="point"'
    )
    assert {name: dots.findall(drawing) for name, drawing in drawings.items()} == {
        "by phenomenon": ["all", "pronoun"],
        "by distance": ["1", "10"],
    }
    assert by_distance(points[points["subset"] != "10"]) == ""
