"""The list of faults of `make mutants`: each can be made in the code of today, and names tests that are there."""

import re

import pytest

from tests.conftest import ROOT
from tests.mutants.faults import Fault, faults

FAULTS = faults()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_each_fault_can_be_made(fault: Fault) -> None:
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    assert fault.made_in(text) != text
    assert fault.tests
    for test in fault.tests:
        path, _, name = test.partition("::")
        assert path.startswith("tests/unit/")
        assert re.search(rf"^def {name or 'test_'}", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), test


def test_names_are_distinct() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)


def test_a_place_that_is_there_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="occurs 2 times; bring faults"):
        Fault("twice", "a.py", "x", "y", ()).made_in("x = x")
