"""Names of the phenomena of ContraCAT's templates: what tells their folders apart."""

from pathlib import Path

import pytest

from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.suites.contracat import phenomena


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["a/b/en.txt"], ["b"]),
        (["a/b/en.txt", "a/b/more.txt"], ["b", "b"]),
        (["a/b/en.txt", "a/c/en.txt"], ["b", "c"]),
        (["a/b/x/en.txt", "a/c/x/en.txt"], ["b/x", "c/x"]),
        (["suite.zip::a/b/en.txt", "suite.zip::a/b/c/en.txt"], ["b", "b/c"]),
        (["en.txt"], ["en"]),
    ],
)
def test_a_phenomenon_is_named_after_its_folders_below_those_of_all(files: list[str], names: list[str]) -> None:
    assert phenomena([Source(file, None, Path(file)) for file in files]) == names
