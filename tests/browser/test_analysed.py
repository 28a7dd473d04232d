"""The page of ``discourse-nmt analyse`` in Chromium: it opens on a picture, which is saved by a click."""

import subprocess
import sys
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("analysed")
    text = "Ann has a dog, and she loves it. Because it barks, her neighbours moved away."
    words = [sys.executable, "-m", "discourse_nmt", "analyse", "-", "--output", str(folder)]
    subprocess.run(words, input=text, text=True, cwd=ROOT, check=True)
    return folder / "index.html"


def test_the_page_opens_on_a_picture_that_is_saved_by_a_click(chromium: webdriver.Chrome, analysed: Path) -> None:
    chromium.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    chromium.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    chromium.get(analysed.as_uri())
    drawings = chromium.find_elements(By.CSS_SELECTOR, "svg.discourse-drawing")
    assert len(drawings) == 4
    assert [drawing.is_displayed() for drawing in drawings] == [True, False, False, False]
    assert drawings[0].location["y"] < 400
    titles = [summary.get_attribute("textContent") for summary in chromium.find_elements(By.CSS_SELECTOR, "summary")]
    assert titles[1:] == ["RST tree", "Discourse dependencies", "Coreference chains", "Themes and rhemes"]
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
