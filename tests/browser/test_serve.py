"""The page of ``discourse-nmt serve`` in headless Chromium, with two models."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

from tests.conftest import ROOT
from tests.unit.translation.folders import make_folder

# Of the demo's domain, for models of the demo.
DEMO_TEXT = (
    "This is only a short message from home. Although outside Leon trained, I cooked alone. I did so for the last time "
    "in June. Everybody was surprised by that.\n\nOn top of that, I am writing to you, Mrs Braun, because Mia cannot "
    "come on Sunday. You will find our house at the end of the street."
)
TEXT = "<b>Anna</b> saw the dog because she was there.\n\nShe liked it. It ran away."


def answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address).close()
    except URLError:
        return False
    return True


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("models")
    models = [path.resolve() for path in pytestconfig.getoption("--screenshot-model")]
    models = models or [make_folder(folder / "first"), make_folder(folder / "second", "concat")]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "discourse_nmt", "serve", "--port", str(port), "--device", "cpu"]
    options = [word for model in models for word in ("--model", str(model))]
    with subprocess.Popen([*words, *options], cwd=ROOT, env={**os.environ, "OMP_NUM_THREADS": "1"}) as server:
        address = f"http://127.0.0.1:{port}/"
        while not answers(address):
            assert server.poll() is None, "the server has ended"
            time.sleep(0.1)
        yield address
        server.terminate()


@pytest.fixture
def driver(chromium: webdriver.Chrome, address: str) -> Iterator[webdriver.Chrome]:
    chromium.get(address)
    yield chromium
    assert [entry["message"] for entry in chromium.get_log("browser")] == []


def translate(driver: webdriver.Chrome, text: str) -> str:
    box = driver.find_element(By.ID, "text")
    box.clear()
    box.send_keys(text)
    driver.find_element(By.ID, "translate").click()
    status = driver.find_element(By.ID, "status")
    WebDriverWait(driver, 120, 0.1).until(lambda _: status.text not in ("", "Translating …"))
    return status.text


def texts(driver: webdriver.Chrome, selector: str) -> list[str]:
    found: list[str] = driver.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector
    )
    return found


def test_a_file_is_translated_in_its_format_and_saved(driver: webdriver.Chrome, tmp_path: Path) -> None:
    page = "<!-- x -->\r\n<p>Anna saw the <b>dog</b>.\r\n"
    (tmp_path / "page.html").write_bytes(page.encode())
    driver.find_element(By.ID, "file").send_keys(str(tmp_path / "page.html"))
    box = driver.find_element(By.ID, "text")
    WebDriverWait(driver, 10, 0.1).until(lambda _: box.get_property("value"))
    driver.find_element(By.ID, "translate").click()
    WebDriverWait(driver, 120, 0.1).until(lambda _: driver.find_elements(By.CSS_SELECTOR, "#texts a"))
    for text in texts(driver, "#texts pre"):
        assert text.startswith("<!-- x -->\r\n<p>") and text.endswith("\r\n") and "</b>" in text
    links = driver.find_elements(By.CSS_SELECTOR, "#texts a")
    assert [link.get_attribute("download") for link in links] == ["page.html", "page.html"]
    assert all(str(link.get_attribute("href")).startswith("blob:") for link in links)
    translate(driver, TEXT)
    WebDriverWait(driver, 10, 0.1).until(lambda _: not driver.find_elements(By.CSS_SELECTOR, "#texts a"))


def test_a_file_may_be_dropped_on_the_form(driver: webdriver.Chrome) -> None:
    """Text that is dragged there is left to the browser."""
    drop = """
        const data = new DataTransfer();
        if (arguments[0]) data.items.add(new File([arguments[1]], arguments[0]));
        else data.setData("text/plain", arguments[1]);
        const fire = (name) => {
            const event = new DragEvent(name, { dataTransfer: data, bubbles: true, cancelable: true });
            return !document.getElementById("text").dispatchEvent(event);
        };
        const form = document.getElementById("form").classList;
        const taken = fire("dragover"), shown = form.contains("dropping");
        return [taken, shown, fire("drop"), form.contains("dropping")];
    """
    assert driver.execute_script(drop, "", "dragged words") == [False] * 4
    assert driver.execute_script(drop, "notes.md", "# Anna\n\nShe saw the *dog*.\n") == [True, True, True, False]
    box = driver.find_element(By.ID, "text")
    WebDriverWait(driver, 10, 0.1).until(lambda _: box.get_property("value"))
    assert str(box.get_property("value")).startswith("# Anna")
    assert driver.execute_script("return document.getElementById('file').files[0].name") == "notes.md"


def test_translations_stand_side_by_side_with_their_differences(driver: webdriver.Chrome) -> None:
    assert re.match(r"3 sentences in [\d.]+ s\.", translate(driver, TEXT))
    columns = texts(driver, "#translations th")
    assert columns[:2] == ["no.", "source"] and len(columns) == 4 and len(set(columns)) == 4
    rows = texts(driver, "#translations tbody td:nth-child(2)")
    assert rows == ["<b>Anna</b> saw the dog because she was there.", "She liked it.", "It ran away."]
    assert texts(driver, "#translations mark"), "untrained models differ"
    own = columns[2]
    driver.execute_script(
        "const list = document.getElementById('compare-with'); list.value = arguments[0];"
        "list.dispatchEvent(new Event('change'))",
        own,
    )
    assert texts(driver, "#translations td:nth-child(3) mark") == [], "a model is not compared with itself"
    assert texts(driver, "#translations td:nth-child(4) mark")


def test_units_chains_and_the_tree_are_drawn(driver: webdriver.Chrome) -> None:
    translate(driver, TEXT)
    assert len(texts(driver, "#source-text .edu")) >= 3
    assert texts(driver, "#source-text .mention"), "chains"
    assert texts(driver, "#source-text .theme-topical")
    assert texts(driver, "#drawings details[open] svg text"), "the tree is open"
    driver.find_element(By.ID, "layer-edus").click()
    assert "hide-edus" in str(driver.find_element(By.ID, "source-text").get_attribute("class"))
    assert driver.find_elements(By.CSS_SELECTOR, "#source-text b") == [], "text is no markup"


def test_a_second_text_replaces_the_first(driver: webdriver.Chrome) -> None:
    translate(driver, TEXT)
    driver.execute_script("document.getElementById('status').textContent = ''")
    assert translate(driver, "The cat sat on the mat.").startswith("1 sentence in")
    assert texts(driver, "#translations tbody td:nth-child(2)") == ["The cat sat on the mat."]


def test_screenshot(driver: webdriver.Chrome, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    screen = {"width": 1000, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    assert translate(driver, DEMO_TEXT).startswith("6 sentences in")
    driver.execute_script("document.getElementById('viewer').scrollIntoView()")
    folder = ROOT / "docs" / "images" if pytestconfig.getoption("--screenshot-model") else tmp_path
    assert driver.save_screenshot(str(folder / "serve.png"))
    assert (folder / "serve.png").stat().st_size > 8000, "a page of one colour would be smaller"
