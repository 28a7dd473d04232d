"""The page of ``discourse-nmt analyse`` in Chromium: it opens on a picture, which is saved by a click."""

import subprocess
import sys
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.browser.test_accessibility import violations
from tests.browser.test_overview import CUT, WIDE_LETTERS
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("analysed")
    text = "Ann has a dog, and she loves it. Because it barks, her neighbours moved away."
    words = [sys.executable, "-m", "discourse_nmt", "analyse", "-", "--output", str(folder)]
    subprocess.run(words, input=text, text=True, cwd=ROOT, check=True)
    return folder / "index.html"


def open_page(chromium: webdriver.Chrome, path: Path, width: int = 1200, scheme: str = "light") -> None:
    screen = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 600}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})
    chromium.get(path.as_uri())


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1200, "light")])
def test_axe_finds_nothing_and_no_drawing_is_cut(
    chromium: webdriver.Chrome, analysed: Path, width: int, scheme: str
) -> None:
    open_page(chromium, analysed, width, scheme)
    chromium.execute_script("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert violations(chromium) == []
    assert chromium.execute_script(CUT) == []
    chromium.execute_script(WIDE_LETTERS)
    assert chromium.execute_script(CUT) == []
    assert chromium.execute_script("return document.documentElement.scrollWidth") <= width


def test_links_lead_to_files_and_the_page_asks_for_nothing_else(chromium: webdriver.Chrome, analysed: Path) -> None:
    open_page(chromium, analysed)
    links = [link.get_attribute("href") or "" for link in chromium.find_elements(By.CSS_SELECTOR, "a[href]")]
    folder = analysed.parent.as_uri()
    assert {f"{folder}/stdin.rs3", f"{folder}/stdin.conllu", f"{folder}/tables/rst.parquet"} <= set(links)
    for drawing in (link for link in links if link.endswith(".svg")):
        chromium.get(drawing)
        assert chromium.execute_script("return document.documentElement.localName") == "svg"
    open_page(chromium, analysed)
    assert chromium.execute_script("return performance.getEntriesByType('resource').length") == 0
    fold = chromium.find_element(By.CSS_SELECTOR, "details.legend")
    assert not fold.find_element(By.CSS_SELECTOR, "svg").is_displayed()
    fold.find_element(By.TAG_NAME, "summary").click()
    assert all(sample.is_displayed() for sample in fold.find_elements(By.CSS_SELECTOR, "svg"))


def test_the_page_opens_on_a_picture_that_is_saved_by_a_click(chromium: webdriver.Chrome, analysed: Path) -> None:
    open_page(chromium, analysed)
    drawings = chromium.find_elements(By.CSS_SELECTOR, "svg.discourse-drawing")
    assert len(drawings) == 4
    assert [drawing.is_displayed() for drawing in drawings] == [True, False, False, False]
    assert drawings[0].location["y"] < 400
    titles = [summary.get_attribute("textContent") for summary in chromium.find_elements(By.CSS_SELECTOR, "summary")]
    assert titles[:2] == ["Legend", "Files of all documents, and weights of the analysers"]
    assert titles[3:] == ["RST tree", "Discourse dependencies", "Coreference chains", "Themes and rhemes"]
    folder = analysed.parent / "saved"
    chromium.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})
    for button in chromium.find_elements(By.CSS_SELECTOR, ".sheet details[open] .controls button"):
        button.click()
    wanted = [folder / f"RST-tree-of-stdin.{ending}" for ending in ("svg", "png")]
    chromium.set_script_timeout(60)
    for _ in range(300):
        if all(path.is_file() for path in wanted):
            break
        chromium.execute_async_script("setTimeout(arguments[0], 100)")
    assert wanted[0].read_text(encoding="utf-8").startswith("<svg")
    assert wanted[1].read_bytes().startswith(b"\x89PNG")
    assert [entry["message"] for entry in chromium.get_log("browser")] == []
