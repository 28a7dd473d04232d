"""The report obeys the rules of axe-core, in light and dark colours, on a desktop and on a phone."""

from importlib.resources import files

import pytest
from selenium import webdriver

from tests.browser.conftest import Page

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(driver: webdriver.Chrome) -> list[str]:
    """The broken rules of the shown page with the first places."""
    driver.set_script_timeout(300)
    driver.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE})
    found = driver.execute_async_script(
        "const done = arguments[1]; axe.run(document, arguments[0]).then((result) => done(result.violations.map("
        "({id, nodes}) => `${id}: ${nodes.length}, ${nodes.slice(0, 3).map((n) => n.target + n.html.slice(0, 90))}`)))",
        RULES,
    )
    return list(found)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_axe_finds_nothing(page: Page, width: int, scheme: str) -> None:
    page.open(width, 844, scheme)
    page.show(3)
    assert violations(page.driver) == []


def test_axe_sees_a_fault(page: Page) -> None:
    page.run("document.querySelector('#search').closest('label').replaceWith(document.querySelector('#search'))")
    assert any(found.startswith("label: ") for found in violations(page.driver))
