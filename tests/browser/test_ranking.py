"""The comparison of two systems in Chromium: documents by difference, search, and addresses of sentences."""

from urllib.parse import unquote

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from discourse_nmt.scoring.reports.page import BLOCK
from discourse_nmt.workflow_scripts.report.report import VIEWER
from tests.browser.conftest import LENGTH, LONG, LONG_LENGTH, PLAIN, Page
from tests.unit.scoring.reports.report_run import HOSTILE, ONLINE, SYSTEMS, altered, special_documents

SPECIAL = len(special_documents())


def column(page: Page, number: int) -> list[str]:
    return page.texts(f"#ranking td:nth-child({number})")


def numbers(page: Page, number: int) -> list[float]:
    return [float(text.replace("−", "-")) for text in column(page, number)]


def test_the_viewer_opens_where_the_systems_differ_most(page: Page) -> None:
    page.open()
    first = column(page, 1)[0]
    assert page.texts("#document-title") == [f"Document {first}"]
    assert page.texts("#ranking th")[:5] == ["document", "sentences", *SYSTEMS[:2], "difference"]
    differences = [abs(value) for value in numbers(page, 5)]
    assert differences == sorted(differences, reverse=True) and differences[0] > 0
    assert set(numbers(page, 3)) == {100.0}  # the translation is the reference
    assert numbers(page, 4) == [100 + difference for difference in numbers(page, 5)]


def test_the_block_of_the_first_document_is_read_first(page: Page) -> None:
    page.open()
    blocks = page.run("return [...document.querySelectorAll('[id^=block-]')].map((block) => block.id)")
    shown = int(str(page.run("return document.getElementById('viewer').dataset.shown")))
    assert isinstance(blocks, list) and len(blocks) == -(-(PLAIN + SPECIAL) // BLOCK)
    assert blocks[0] == f"block-{shown // BLOCK}" != "block-0"


def test_orders_systems_and_the_number_of_documents_can_be_chosen(page: Page) -> None:
    page.choose("choose-order", "given")
    assert column(page, 1)[: SPECIAL + 1] == [*special_documents(), "doc-000"]
    assert len(column(page, 1)) == 10
    page.driver.find_element(By.ID, "more-documents").click()
    assert len(column(page, 1)) == 60
    page.choose("second-system", "sentence")
    assert set(numbers(page, 5)) == {0.0}
    page.choose("choose-order", "loss")
    page.choose("second-system", "trees")
    losses = numbers(page, 5)
    assert losses == sorted(losses) and losses[0] < 0


def test_items_won_and_lost_are_counted(page: Page) -> None:
    # The item of each document: sentence is right, concat has a tie, trees is wrong.
    page.choose("choose-order", "lost")
    assert set(column(page, 7)) == {"1"} and set(column(page, 6)) == {"0"}
    page.press("s")
    assert set(column(page, 6)) == {"1"} and set(column(page, 7)) == {"0"}
    page.choose("first-system", "trees")
    page.choose("second-system", "concat")
    assert page.texts("#ranking th")[-1] == "difference"  # nothing is won or lost


def test_systems_from_outside_are_compared_too(page: Page) -> None:
    page.choose("first-system", "concat")
    page.choose("second-system", ONLINE)
    assert set(numbers(page, 5)) == {0.0}
    page.choose("first-system", "sentence")
    assert min(numbers(page, 5)) < 0
    page.show(SPECIAL)
    assert page.texts("#translations th")[-1] == ONLINE
    assert page.texts("#items td:last-child") == ["–"]  # it scores no items


def test_only_differing_sentences_are_shown_below_their_context(page: Page) -> None:
    page.show(SPECIAL)
    page.choose("second-system", "trees")
    page.driver.find_element(By.ID, "only-differing").click()
    rows = page.texts("#translations tbody tr")
    assert len(rows) == 8
    assert page.texts("#translations tbody tr:nth-child(2) .context") == ["Sentence 0 of document 0 is here."]
    page.choose("second-system", "sentence")
    page.choose("first-system", "sentence")
    assert len(page.texts("#translations tbody tr")) == 8  # one system has no difference to choose by
    page.choose("first-system", "concat")
    page.choose("second-system", ONLINE)
    assert page.texts("#translations") == ["The systems translate every sentence alike."]


def test_sentences_have_one_number_and_an_address(page: Page) -> None:
    page.open(address="#test/doc-007/3")
    assert page.texts("#document-title") == ["Document doc-007"]
    assert page.texts("#translations .gone-to td:first-child") == ["3"]
    assert page.texts("#translations .gone-to td:nth-child(2)") == ["Sentence 2 of document 7 is here."]
    assert page.run("return document.querySelector('#source-text li.gone-to').textContent.includes('Sentence 2')")
    assert page.run(
        "return getComputedStyle(document.querySelector('#source-text ol')).counterReset === 'list-item 0'"
    ) or (page.run("return document.querySelector('#source-text ol').start") == 1)
    place = page.run("return document.querySelector('#translations .gone-to').getBoundingClientRect().top")
    assert 0 <= float(str(place)) <= 900
    page.driver.find_element(By.CSS_SELECTOR, "#translations tbody tr:nth-child(5) a").click()
    page.wait_until("return document.querySelector('#translations .gone-to td').textContent === '5'")
    assert str(page.run("return location.hash")) == "#test/doc-007/5"


def test_an_address_may_name_the_corpus(page: Page) -> None:
    page.open(address="#demo/test/doc-007/3")
    assert page.texts("#document-title") == ["Document doc-007"]
    assert page.texts("#translations .gone-to td:first-child") == ["3"]


def test_addresses_name_the_corpus_where_there_are_several(page: Page) -> None:
    script = (VIEWER / "addresses.js").read_text(encoding="utf-8")
    listed = [{"corpus": corpus, "testSet": "test", "name": "1/2"} for corpus in ("a", "b")]
    found = page.run(
        f"const INDEX = {{documents: arguments[0]}};\n{script}\n"
        "return [addressOf(1, 4), placeOf(addressOf(1, 4)), placeOf(addressOf(0)), placeOf('#test/1%2F2/4')]",
        listed,
    )
    places = [{"number": 1, "sentence": 4}, {"number": 0, "sentence": None}]
    assert found == ["#b/test/1%2F2/4", *places, None]


def test_documents_of_the_list_are_links(page: Page) -> None:
    page.choose("choose-order", "given")
    page.driver.find_element(By.CSS_SELECTOR, "#ranking tr:nth-child(2) a").click()
    page.wait_for(1)
    assert unquote(str(page.run("return location.hash"))) == f"#test/{HOSTILE[0]}"
    page.open(address=str(page.run("return location.hash")))
    assert page.texts("#document-title") == [f"Document {HOSTILE[0]}"]
    for broken in ("#test/none", "#demo/test/none", "#%", "#scores"):
        page.open(address=broken)


def test_search_finds_names_sources_and_translations(page: Page) -> None:
    box = page.driver.find_element(By.ID, "search")
    done = f"{PLAIN + SPECIAL} of {PLAIN + SPECIAL} documents searched"
    box.send_keys("document 17 IS" + Keys.ENTER)
    page.wait_until("return document.getElementById('search-status').textContent.endsWith(arguments[0])", done)
    assert page.texts("#found a") == [f"doc-017, {sentence}" for sentence in range(1, 9)]
    assert page.texts("#found mark")[0] == "document 17 is"
    page.driver.find_element(By.CSS_SELECTOR, "#found li:nth-child(2) a").click()
    page.wait_for(SPECIAL + 17)
    box.clear()
    special = [text for texts in special_documents().values() for text in texts]
    plain = LENGTH * (PLAIN - LONG) + LONG_LENGTH * LONG
    altered_sentences = plain + sum("something" in altered(text, 1) for text in special)
    box.send_keys("something" + Keys.ENTER)  # in translations only
    page.wait_until("return document.getElementById('search-status').textContent.endsWith(arguments[0])", done)
    assert page.texts("#search-status")[0].startswith(f"{altered_sentences} found, the first 50 are listed")
    assert len(page.texts("#found li")) == 50


def test_layers_are_offered_where_the_analysis_has_them(page: Page) -> None:
    offered = "return [...document.querySelectorAll('#layers label')].filter((label) => !label.hidden).length"
    page.choose("choose-analysis", "gold")
    assert page.run(offered) == 4
    page.choose("choose-analysis", "other")  # themes alone
    assert page.run(offered) == 1
