"""The report in Chromium: the viewer shows what the tables hold, text stays text, and the console is silent."""

import json
import random

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

from discourse_nmt.workflow_scripts.report.report import VIEWER
from tests.browser.conftest import PLAIN, Page
from tests.unit.scoring.reports.report_run import SCRIPTS, SYSTEMS, altered, special_documents

SPECIAL = len(special_documents())
# The text of each sentence without the numbers of units and chains.
SENTENCES = """return JSON.stringify([...document.querySelectorAll('#source-text li')].map((line) => {
  const copy = line.cloneNode(true);
  for (const mark of copy.querySelectorAll('.edu, .chain-number')) mark.remove();
  return copy.textContent;
}))"""


def sentences(page: Page) -> list[str]:
    return list(json.loads(str(page.run(SENTENCES))))


def test_first_view_is_complete(page: Page) -> None:
    timing = page.run(
        "const paint = performance.getEntriesByName('first-contentful-paint')[0].startTime;"
        "const load = performance.getEntriesByType('navigation')[0].loadEventEnd; return [paint, load]"
    )
    print(f"first paint and load (ms): {timing}")
    assert sentences(page) == SCRIPTS
    assert len(page.texts("#choose-document option")) == PLAIN + SPECIAL
    assert page.texts("#choose-document optgroup option")[0] == "<b>scripts</b>"
    assert page.run("return performance.getEntriesByType('resource').length") == 0


def test_the_tree_and_the_dependencies_are_drawn(page: Page) -> None:
    assert page.texts("#drawings summary") == ["RST tree", "Discourse dependencies"]
    assert len(page.texts("#drawings svg")) == 1  # the other is drawn when it is opened
    page.run("document.querySelectorAll('#drawings summary')[1].click()")
    WebDriverWait(page.driver, 60, 0.05).until(lambda _: len(page.texts("#drawings svg")) == 2)
    for drawing in page.driver.find_elements(By.CSS_SELECTOR, "#drawings svg"):
        assert drawing.size["width"] > 200 and drawing.size["height"] > 100
        numbers = [text.text for text in drawing.find_elements(By.CSS_SELECTOR, "text[text-anchor=end]")]
        assert numbers == [str(number + 1) for number in range(len(SCRIPTS))]
    page.show(1)
    assert len(page.texts("#drawings svg")) == 2  # what was open stays open


@pytest.mark.parametrize("number", range(1, SPECIAL))
def test_hostile_text_stays_text(page: Page, number: int) -> None:
    title = page.driver.title
    page.show(number)
    given = list(special_documents().values())[number]
    assert sentences(page) == given
    references = page.texts("#translations td:nth-child(3)")
    assert [json.dumps(text) for text in references] == [json.dumps(text) for text in given]
    for selector in (
        "script",
        "img",
        "iframe",
        "object",
        "style:not(svg style)",
        "[onload]",
        "[onerror]",
        "a:not([href^='#'])",
    ):
        assert page.texts(f"#viewer {selector}") == []
    assert page.driver.title == title
    assert page.run("return document.querySelectorAll('svg[onload]').length") == 0


def test_an_injected_script_does_not_run(page: Page) -> None:
    page.run(
        "const script = document.createElement('script'); script.textContent = 'window.injected = 1';"
        "document.body.append(script);"
        "const box = document.createElement('div'); box.innerHTML = '<img src=x onerror=\"window.injected = 2\">';"
        "document.body.append(box)"
    )
    assert page.run("return new Promise((done) => setTimeout(() => done(window.injected ?? null), 300))") is None
    assert any("Content Security Policy" in message for message in page.errors())


def test_a_test_set_of_sources_alone_has_no_column_of_references(page: Page) -> None:
    names = ("elements", "differences", "translations")
    shown = page.run(
        "\n".join((VIEWER / f"{name}.js").read_text(encoding="utf-8") for name in names)
        + "const content = {source: ['a'], reference: [null], systems: {one: ['Es war.'], other: ['Er war.']}};"
        "const box = document.createElement('div');"
        "showTranslations(box, content, ['one', 'other'], 'reference');"
        "return ['th', 'td', 'mark'].map((tag) => [...box.querySelectorAll(tag)].map((cell) => cell.textContent))"
    )
    assert shown == [["no.", "source", "one", "other"], ["1", "a", "Es war.", "Er war."], ["Es", "Er"]]


def test_omitted_sentences_and_added_texts_are_marked(page: Page) -> None:
    names = ("elements", "differences", "translations")
    shown = page.run(
        "\n".join((VIEWER / f"{name}.js").read_text(encoding="utf-8") for name in names)
        + "const content = {source: ['a', 'b'], reference: [null, null],"
        "systems: {one: ['Es war.', ''], other: ['', '']},"
        "alignments: {one: {omitted: [1], added: [[0, '<b>'], [2, 'Ende.']], problem: null},"
        "other: {omitted: [0, 1], added: [], problem: 'the output is empty'}}};"
        "const box = document.createElement('div');"
        "showTranslations(box, content, ['one', 'other'], 'other');"
        "return [...box.querySelectorAll('td')].map((cell) => cell.textContent)"
    )
    first = ["1", "a", "added <b>Es war.", "the output is emptyomitted"]
    assert shown == [*first, "2", "b", "omittedadded Ende.", "omitted"]


def test_switching_systems_shows_their_translations_and_marks_differences(page: Page) -> None:
    page.show(SPECIAL)
    texts = sentences(page)
    page.choose("compare-with", "reference")
    assert page.texts("#translations th") == ["no.", "source", "reference", *SYSTEMS[:2]]
    for number, system in enumerate(SYSTEMS):
        page.choose("second-system", system)
        columns = page.texts("#translations th")
        assert columns[-1] == system
        assert page.texts(f"#translations td:nth-child({len(columns)})") == [altered(text, number) for text in texts]
    page.choose("second-system", "concat")
    # The last word is replaced, and its full stop with it.
    assert page.texts("#translations td:nth-child(5) mark") == ["something"] * len(texts)
    assert page.texts("#translations td:nth-child(4) mark") == []
    assert page.texts("#translations td:nth-child(3) mark") == ["here."] * len(texts)
    page.choose("first-system", "trees")
    page.choose("compare-with", "other")
    assert page.texts("#translations td:nth-child(3) mark") == []
    assert page.texts("#translations td:nth-child(4) mark") == ["here."] * len(texts)
    assert page.texts("#translations td:nth-child(5) mark") == ["Sentence", "something"] * len(texts)


def test_contrastive_items_have_scores_and_verdicts(page: Page) -> None:
    page.show(SPECIAL)
    assert page.texts("#items td:nth-child(2)") == ["pronoun, 1 back"]
    assert page.texts("#items td:nth-child(4) mark") == ["wrong"]
    assert page.texts("#items .verdict") == ["✓ right", "= tie"]
    page.choose("first-system", "trees")
    assert page.texts("#items .verdict") == ["✗ wrong", "= tie"]
    assert page.texts("#items td:nth-child(5)") == ["-1.00, -0.50 ✗ wrong"]


def test_themes_chains_and_links_are_shown_on_hover(page: Page) -> None:
    page.show(SPECIAL)
    words = page.driver.find_elements(By.CSS_SELECTOR, "#source-text li:nth-child(2) [data-word]")
    ActionChains(page.driver).move_to_element(words[0]).perform()
    # Neighbours and the first words of the sentences around it.
    assert len(page.texts("#source-text .linked")) == 3
    told = page.texts("#word-links")[0]
    assert told.startswith("Sentence: ") and "adjacency → 1" in told
    assert "coreference → Sentence" in told and "coreference ← Sentence" in told
    assert "chain 1" in told and "theme-topical" in told
    assert len(page.texts("#source-text .mention.lit")) == len(page.texts("#source-text .mention"))
    ActionChains(page.driver).move_to_element(page.driver.find_element(By.ID, "swap-systems")).perform()
    assert page.texts("#source-text .linked, #source-text .lit") == []


def test_keys_do_what_the_list_of_keys_says(page: Page) -> None:
    assert len(page.texts("#keys dt")) == len(page.texts("#keys dd")) >= 11
    page.press("n")
    page.wait_for(1)
    page.press("p")
    page.wait_for(0)
    page.press("p")  # there is none before the first
    assert page.texts("#choose-analysis option") == ["gold", "other"]
    page.press("a")
    assert page.run("return document.getElementById('choose-analysis').value") == "other"
    assert page.texts("#drawings summary") == []
    page.press("s")
    assert page.texts("#translations th")[3:] == ["concat", "sentence"]
    page.press("f")
    assert page.texts("#translations th")[3:] == ["trees", "sentence"]
    for layer in range(1, 5):
        page.press(str(layer))
    hidden = page.run("return document.getElementById('source-text').className")
    assert set(str(hidden).split()) == {"source", "hide-edus", "hide-themes", "hide-chains", "hide-links"}
    page.press("n", at="#choose-analysis")  # a list takes its keys for itself
    assert page.run("return document.getElementById('viewer').dataset.shown") == "0"


def test_arrow_keys_walk_through_the_words(page: Page) -> None:
    page.show(SPECIAL)
    page.press(Keys.ARROW_RIGHT * 3 + Keys.ARROW_LEFT, at="#source-text")
    assert page.texts("#source-text .current") == ["0"]
    assert page.texts("#word-links")[0].startswith("0: ")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_no_document_makes_the_page_scroll_sideways(page: Page, width: int, scheme: str) -> None:
    page.open(width, 844, scheme)
    for number in range(SPECIAL + 1):
        page.show(number)
        assert int(str(page.run("return document.documentElement.scrollWidth"))) <= width
    colours = page.run("const style = getComputedStyle(document.body); return [style.color, style.backgroundColor]")
    dark, light = "rgb(29, 34, 40)", "rgb(228, 230, 232)"
    assert isinstance(colours, list) and colours[0] == (dark if scheme == "light" else light)


def test_every_control_has_a_name_and_every_link_a_target(page: Page) -> None:
    controls = page.driver.find_elements(By.CSS_SELECTOR, "select, button, input, [role=region], [role=group]")
    assert len(controls) > 15
    assert all(control.accessible_name for control in controls if control.is_displayed())
    missing = (
        "return [...document.querySelectorAll('a[href^=\"#\"]')]"
        ".filter((a) => !a.hash.includes('/') && !document.querySelector(a.hash)).length"
    )
    assert page.run(missing) == 0
    assert page.run("return document.querySelectorAll('main').length") == 1


def test_many_documents_are_shown_one_after_the_other(page: Page) -> None:
    shown = page.run(
        """const done = arguments[arguments.length - 1], viewer = document.getElementById('viewer');
        return (async () => {
          const times = [];
          for (let number = 100; number < 150; number++) {
            const began = performance.now();
            const list = document.getElementById('choose-document');
            list.value = number;
            list.dispatchEvent(new Event('change'));
            while (viewer.dataset.shown !== `${number}`) await new Promise(requestAnimationFrame);
            times.push(performance.now() - began);
          }
          return [times.length, Math.max(...times)];
        })()"""
    )
    print(f"documents shown, longest (ms): {shown}")
    assert isinstance(shown, list) and shown[0] == 50
    assert page.texts("#document-title") == [f"Document doc-{149 - SPECIAL:03}"]
    assert page.texts("#viewer-status")[0].startswith("8 sentences")


def longest(left: list[str], right: list[str]) -> int:
    """Length of a longest common subsequence, by its recurrence."""
    lengths = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for row, one in enumerate(left):
        for column, other in enumerate(right):
            beside = max(lengths[row][column + 1], lengths[row + 1][column])
            lengths[row + 1][column + 1] = lengths[row][column] + 1 if one == other else beside
    return lengths[-1][-1]


def test_marked_words_are_those_outside_of_a_longest_common_subsequence(page: Page) -> None:
    source = random.Random(1)
    pairs = [[[source.choice("abcd") for _ in range(source.randrange(12))] for _ in range(2)] for _ in range(200)]
    script = (VIEWER / "differences.js").read_text(encoding="utf-8")
    kept = page.run(f"{script}\nreturn arguments[0].map(([left, right]) => common(left, right))", pairs)
    assert isinstance(kept, list)
    for (left, right), marks in zip(pairs, kept, strict=True):
        assert len(marks) == len(left)
        remaining = iter(right)
        assert all(word in remaining for word, mark in zip(left, marks) if mark)  # a subsequence of both
        assert sum(marks) == longest(left, right)
