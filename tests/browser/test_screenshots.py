"""The screenshots of docs/how-to/report.md; ``--screenshots-of results/demo/report.html`` takes them anew."""

from pathlib import Path

import pytest
from selenium import webdriver

from tests.browser.conftest import Page
from tests.conftest import ROOT

# Name, what is at the upper edge, width, height, and colours or paper.
VIEWS = [
    ("report-headline", "", 1000, 900, "light"),
    ("report-pictures", "pictures", 1200, 900, "light"),
    ("report-ranking", "viewer", 1000, 1000, "light"),
    ("report-viewer", "source-title", 1000, 1000, "light"),
    ("report-tree", "drawings", 1000, 620, "dark"),
    ("report-phone", "", 390, 844, "dark"),
    ("report-print", "", 794, 1123, "print"),
]
LARGEST = 200_000  # bytes


@pytest.mark.parametrize(("name", "place", "width", "height", "scheme"), VIEWS, ids=[view[0] for view in VIEWS])
def test_screenshot(
    name: str,
    place: str,
    width: int,
    height: int,
    scheme: str,
    chromium: webdriver.Chrome,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    given = request.config.getoption("--screenshots-of")
    shown = given.resolve() if given else request.getfixturevalue("report")
    page = Page(chromium, shown).open(width, height, scheme)
    page.choose("choose-analysis", "gold")
    page.run("if (arguments[0]) document.getElementById(arguments[0]).scrollIntoView()", place)
    folder = ROOT / "docs" / "images" if given else tmp_path
    folder.mkdir(exist_ok=True)
    assert chromium.save_screenshot(str(folder / f"{name}.png"))
    # A page of one colour would be smaller.
    assert 8000 < (folder / f"{name}.png").stat().st_size < LARGEST
    assert page.errors() == []
