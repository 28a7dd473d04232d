"""The screenshots of docs/how-to/report.md; ``--screenshots-of results/demo/report.html`` takes them anew."""

from pathlib import Path

import pytest
from selenium import webdriver

from tests.browser.conftest import Page
from tests.conftest import ROOT

# Name, what is at the upper edge, width, height and colours.
VIEWS = [
    ("report-scores", "scores", 1000, 720, "light"),
    ("report-viewer", "viewer", 1000, 1000, "light"),
    ("report-tree", "drawings", 1000, 620, "dark"),
    ("report-translations", "translations", 1000, 760, "light"),
    ("report-phone", "viewer", 390, 844, "dark"),
]


@pytest.mark.parametrize(("name", "place", "width", "height", "scheme"), VIEWS, ids=[view[0] for view in VIEWS])
def test_screenshot(
    name: str,
    place: str,
    width: int,
    height: int,
    scheme: str,
    chromium: webdriver.Chrome,
    report: Path,
    tmp_path: Path,
    pytestconfig: pytest.Config,
) -> None:
    given = pytestconfig.getoption("--screenshots-of")
    page = Page(chromium, given.resolve() if given else report).open(width, height, scheme)
    page.choose("choose-analysis", "gold")
    page.run("document.getElementById(arguments[0]).scrollIntoView()", place)
    folder = ROOT / "docs" / "images" if given else tmp_path
    folder.mkdir(exist_ok=True)
    assert chromium.save_screenshot(str(folder / f"{name}.png"))
    # A page of one colour would be smaller.
    assert (folder / f"{name}.png").stat().st_size > 8000
    assert page.errors() == []
