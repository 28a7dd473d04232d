"""Contenders of a benchmark take turns, and its figures are those of their own rounds."""

import time
from functools import partial

import pytest

from benchmarks.rounds import Rounds, alternate, machine


def test_contenders_take_turns_after_a_warm_up_that_is_not_timed() -> None:
    calls: list[tuple[str, int]] = []

    def contender(name: str, item: int) -> int:
        calls.append((name, item))
        return 10 * item

    rounds = alternate({name: partial(contender, name) for name in "ab"}, [1, 2], warm_up=0)
    assert calls == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)]
    assert rounds.results == {"a": [10, 20], "b": [10, 20]}
    assert {name: len(seconds) for name, seconds in rounds.seconds.items()} == {"a": 2, "b": 2}


def test_time_is_that_of_the_processor() -> None:
    def busy(seconds: float) -> None:
        start = time.process_time()
        while time.process_time() - start < seconds:
            pass

    rounds = alternate({"sleeping": time.sleep, "busy": busy}, [0.05], warm_up=0.0)
    assert rounds.total("busy") >= 0.05 > 5 * rounds.total("sleeping")


def test_figures_are_total_best_and_the_median_of_the_ratios_of_each_round() -> None:
    rounds = Rounds[None]({"ours": [1.0, 2.0, 4.0], "plain": [3.0, 2.0, 6.0]}, {}, (0.5, 1.25))
    assert rounds.total("ours") == 7
    assert rounds.best("ours") == 1
    assert rounds.ratio("ours", "plain") == 1.5
    assert rounds.ratio("ours", "ours") == 1
    assert rounds.conditions == f"rounds: 3, on {machine()}; load 0.5 before, 1.2 after"


def test_no_rounds_are_an_error() -> None:
    with pytest.raises(ValueError, match="no rounds"):
        alternate({"a": abs}, [], warm_up=0)
