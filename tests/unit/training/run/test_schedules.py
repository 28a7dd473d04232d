"""Learning rates against the formulae written out."""

import math
from typing import Any

import pytest

from discourse_nmt.training.run.schedules import learning_rate
from discourse_nmt.training.settings import TrainingSettings

UPDATES = [1, 2, 50, 99, 100, 101, 400, 999, 1000, 1001, 5000]


def rates(**keys: Any) -> dict[int, float]:
    made = TrainingSettings(**{"learning_rate": 0.002, "warmup_updates": 100, "max_updates": 1000, **keys})
    return {update: learning_rate(made, update, width=64) for update in UPDATES}


def warming(update: int, initial: float = 0.0) -> float:
    return initial + (0.002 - initial) * update / 100


def test_inverse_square_root() -> None:
    for update, rate in rates(schedule="inverse_square_root").items():
        expected = warming(update) if update < 100 else 0.002 * math.sqrt(100) / math.sqrt(update)
        assert rate == pytest.approx(expected, rel=1e-12)


def test_noam() -> None:
    for update, rate in rates(schedule="noam").items():
        assert rate == pytest.approx(0.002 * 64**-0.5 * min(update**-0.5, update * 100**-1.5), rel=1e-12)


def test_constant() -> None:
    for update, rate in rates(schedule="constant", warmup_initial_rate=1e-4).items():
        assert rate == pytest.approx(warming(update, 1e-4) if update < 100 else 0.002, rel=1e-12)


@pytest.mark.parametrize("power", [1.0, 2.0])
def test_polynomial(power: float) -> None:
    for update, rate in rates(schedule="polynomial", final_rate=1e-5, polynomial_power=power).items():
        left = max(0, 1000 - update) / (1000 - 100)
        expected = warming(update) if update < 100 else 1e-5 + (0.002 - 1e-5) * left**power
        assert rate == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("schedule", ["inverse_square_root", "constant", "polynomial"])
def test_the_peak_is_reached_when_warmup_ends(schedule: str) -> None:
    assert rates(schedule=schedule)[100] == pytest.approx(0.002)
    assert max(rates(schedule=schedule).values()) == pytest.approx(0.002)


def test_no_warmup() -> None:
    assert rates(schedule="inverse_square_root", warmup_updates=0)[400] == pytest.approx(0.002 / 20)
    assert rates(schedule="constant", warmup_updates=0)[1] == 0.002
    assert rates(schedule="noam", warmup_updates=0)[400] == pytest.approx(0.002 / 8 / 20)
