"""Keys that are there twice in a configuration."""

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.checks.repeated_keys import check_repeated_keys

REPEATED = """
run: x # a comment
common: &common {a: 1, b: 2}
experiments:
  one: {<<: *common, a: 3, <<: *common}
  two: &two
    - {a: 1}
    - {a: 2}
  three: *two
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (REPEATED, None),
        (REPEATED + "run: y\n", ":10: run is there already, in line 2; rename or remove one of them"),
        (REPEATED + "  'two': {}\n", ":10: experiments.two is there already, in line 6"),
        (REPEATED.replace("- {a: 2}", "- a: 2\n      a: 2"), ":9: experiments.two.a is there already, in line 8"),
        ("a: {b: 1, b: 2}", ":1: a.b is there already, in line 1"),
        ("{not yaml", None),
        ("a: &a [*a]", None),
    ],
)
def test_a_key_that_is_there_twice_is_told_with_its_lines(text: str, message: str | None) -> None:
    if message is None:
        check_repeated_keys(text, "my.yaml")
        return
    with pytest.raises(InputError) as caught:
        check_repeated_keys(text, "my.yaml")
    assert str(caught.value).startswith(f"my.yaml{message}")
