"""Many damaged files for every reader, other ones in each run."""

import pytest

from tests.fuzz.readers import readers
from tests.fuzz.running import fuzz


@pytest.mark.parametrize("name", readers())
def test_a_damaged_file_is_read_or_refused(
    name: str, counts: dict[str, tuple[int, int]], request: pytest.FixtureRequest
) -> None:
    counts[name] = fuzz(readers()[name], request.config.getoption("--inputs"), random=True)
    assert counts[name][1] > 0, "a reader that refuses nothing is not tested"
