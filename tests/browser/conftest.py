"""A report of hostile, non-Latin and many documents, and the headless Chromium that shows it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from benchmarks.workflow.chromium import headless
from discourse_nmt.base.errors import InputError
from tests.conftest import ROOT
from tests.unit.scoring.reports.report_run import plain_documents, special_documents, write_run

PLAIN = 500  # plain documents beside the special ones, which come first
LENGTH, LONG, LONG_LENGTH = 8, 10, 12  # their sentences, but for the last ten, which are longer


def pytest_addoption(parser: pytest.Parser) -> None:
    what = "take the screenshots of docs/images, of this report; otherwise they are of a made-up one and are not kept"
    parser.addoption("--screenshots-of", type=Path, metavar="REPORT", help=what)
    what = "beginning of their names, report if not given"
    parser.addoption("--screenshots-named", default="report", metavar="NAME", help=what)
    what = "take docs/images/serve.png of a page with this model folder; can be repeated"
    parser.addoption("--screenshot-model", type=Path, action="append", default=[], metavar="FOLDER", help=what)


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page that the command makes of a run with these documents."""
    folder = tmp_path_factory.mktemp("report")
    longer = dict(list(plain_documents(PLAIN, LONG_LENGTH).items())[-LONG:])
    # The systems differ most in the last document, which is in the last block.
    longer[f"doc-{PLAIN - 1}"] = ["A short text."] * LONG_LENGTH
    options = write_run(folder, special_documents() | plain_documents(PLAIN, LENGTH) | longer)
    documents = str(PLAIN + len(special_documents()))
    words = [sys.executable, "-m", "discourse_nmt.workflow_scripts.report.report", *options, "--documents", documents]
    subprocess.run([*words, "--output", str(folder / "report.html")], cwd=ROOT, check=True)
    return folder / "report.html"


@pytest.fixture(scope="session")
def chromium() -> Iterator[webdriver.Chrome]:
    """Chromium without a window; the tests are skipped where it is not installed."""
    try:
        started = headless()
    except InputError as error:
        pytest.skip(str(error))
    yield started
    started.quit()


class Page:
    """The report in a browser."""

    def __init__(self, driver: webdriver.Chrome, path: Path) -> None:
        self.driver, self.path = driver, path

    def open(self, width: int = 1200, height: int = 900, scheme: str = "light", address: str = "") -> "Page":
        """Load the page in a window of so many pixels, light, dark or as printed; wait for the viewer's document."""
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        printed = scheme == "print"
        features = [{"name": "prefers-color-scheme", "value": "light" if printed else scheme}]
        media = {"media": "print" if printed else "", "features": features}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.driver.get("about:blank")  # another address of one page would not load it anew
        self.driver.get(self.path.as_uri() + address)
        self.wait_until("return document.getElementById('viewer').dataset.shown !== undefined")
        self.wait_until("return document.getElementById('choose-document').length > 0")  # filled last
        return self

    def wait_until(self, script: str, *arguments: object) -> None:
        """Wait until a script returns true."""
        WebDriverWait(self.driver, 60, 0.05).until(lambda _: self.run(script, *arguments))

    def run(self, script: str, *arguments: object) -> object:
        """What a script returns."""
        return self.driver.execute_script(script, *arguments)

    def wait_for(self, number: int) -> None:
        """Wait until the viewer shows the document ``number``."""
        self.wait_until("return document.getElementById('viewer').dataset.shown === arguments[0]", str(number))

    def choose(self, name: str, value: str) -> None:
        """Choose a value of a list, as a user does."""
        self.run(
            "const list = document.getElementById(arguments[0]); list.value = arguments[1];"
            "list.dispatchEvent(new Event('change'))",
            name,
            value,
        )

    def show(self, number: int) -> None:
        """Show the document ``number``."""
        self.choose("choose-document", str(number))
        self.wait_for(number)

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that a selector finds, as they are in the document."""
        found = self.run("return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector)
        assert isinstance(found, list)
        return found

    def press(self, keys: str, at: str = "#next-document") -> None:
        """Press keys while an element has the focus."""
        element = self.driver.find_element(By.CSS_SELECTOR, at)
        self.run("arguments[0].focus()", element)
        element.send_keys(keys)

    def errors(self) -> list[str]:
        """What the console has said since it was last asked, which should be nothing."""
        return [entry["message"] for entry in self.driver.get_log("browser")]


@pytest.fixture
def page(chromium: webdriver.Chrome, report: Path) -> Iterator[Page]:
    """The report as it is when it has been opened; the test fails if the console says anything."""
    opened = Page(chromium, report).open()
    opened.show(0)
    yield opened
    assert opened.errors() == []
