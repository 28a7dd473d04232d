"""Aliases of YAML make much of a few lines: a configuration is counted before anything walks through it."""

import time
from typing import Any

import pytest
import yaml

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.checks.sizes import DEEPEST, MOST_VALUES, check_size
from tests.conftest import ROOT

LISTS = "a0: &a0 [x]\n" + "".join(
    f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 10)}]\n" for number in range(1, 30)
)
MAPPINGS = "a0: &a0 {x: 1}\n" + "".join(
    f"a{number}: &a{number} {{{', '.join(f'k{one}: *a{number - 1}' for one in range(10))}}}\n"
    for number in range(1, 30)
)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return {"settings": value}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (yaml.safe_load(LISTS), f"stands for more than {MOST_VALUES:,} values; remove aliases"),
        (yaml.safe_load(MAPPINGS), f"stands for more than {MOST_VALUES:,} values; remove aliases"),
        (yaml.safe_load("x: &x [*x]"), "x.0 holds itself; remove the alias"),
        (yaml.safe_load("x: &x {y: {z: *x}}"), "x.y.z holds itself; remove the alias"),
        (nested(DEEPEST + 1), f"nested more than {DEEPEST} deep"),
        (nested(100_000), f"nested more than {DEEPEST} deep"),
        ({"where": "x" * 1_000_000}, "where: a text of 1,000,000 characters"),
        ({"x": list(range(MOST_VALUES))}, "x stands for more than"),
    ],
)
def test_too_much_is_refused_at_once(config: Any, message: str) -> None:
    start = time.process_time()
    with pytest.raises(InputError) as caught:
        check_size(config)
    assert message in str(caught.value) and "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
    assert time.process_time() - start < 2


def test_every_preset_is_far_from_the_limits() -> None:
    for path in [ROOT / "config.yaml", *(ROOT / "config").rglob("*.yaml")]:
        check_size({str(number): yaml.safe_load(path.read_text(encoding="utf-8")) for number in range(5)})
