"""Some damaged files for every reader, the same in each run; make fuzz reads many more."""

import pytest

from tests.fuzz.readers import readers
from tests.fuzz.running import fuzz

INPUTS = 40


@pytest.mark.parametrize("name", readers())
def test_the_sample_itself_is_read(name: str) -> None:
    readers()[name].read(readers()[name].files)


@pytest.mark.parametrize("name", readers())
def test_a_damaged_file_is_read_or_refused(name: str) -> None:
    read, refused = fuzz(readers()[name], INPUTS, random=False)
    assert read + refused >= INPUTS and refused > 0
