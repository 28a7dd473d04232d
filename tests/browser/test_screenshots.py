"""The screenshots of docs/how-to/report.md, on a desktop, a phone and paper.

``--screenshots-of results/demo/report.html`` takes them anew, of any report; with ``--screenshots-named study`` they
are ``docs/images/study-*.png``. ``-k phone`` takes one of them.
"""

from pathlib import Path

import pytest
from selenium import webdriver

from tests.browser.conftest import Page
from tests.conftest import ROOT

# Name, what is at the upper edge, width, height, and colours or paper.
VIEWS = [
    ("headline", "", 1000, 900, "light"),
    ("pictures", "pictures", 1200, 900, "light"),
    ("ranking", "viewer", 1000, 1000, "light"),
    ("viewer", "source-title", 1000, 1000, "light"),
    ("tree", "drawings", 1000, 620, "dark"),
    ("phone", "", 390, 844, "dark"),
    ("print", "", 794, 1123, "print"),
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
    if "gold" in page.texts("#choose-analysis option"):
        page.choose("choose-analysis", "gold")
    page.run("document.getElementById(arguments[0])?.scrollIntoView()", place)
    folder = ROOT / "docs" / "images" if given else tmp_path
    folder.mkdir(exist_ok=True)
    picture = folder / f"{request.config.getoption('--screenshots-named')}-{name}.png"
    assert chromium.save_screenshot(str(picture))
    # A page of one colour would be smaller.
    assert 8000 < picture.stat().st_size < LARGEST
    assert page.errors() == []
