"""The first screens of the report in Chromium: headline, tables that fit, pictures; on a phone and on paper."""

import base64
from datetime import UTC, datetime

import pytest

from discourse_nmt import __version__
from discourse_nmt.workflow_scripts.report.facts import commit
from tests.browser.conftest import PLAIN, Page
from tests.unit.scoring.reports.report_run import special_documents

WIDE_LETTERS = """const sheet = document.createElement('style');
sheet.textContent = 'svg, svg text { font-family: "DejaVu Sans Mono", monospace !important; font-stretch: expanded }';
document.head.append(sheet)"""
# Letters that reach beyond their drawing, in pixels.
CUT = """return [...document.querySelectorAll('.discourse-drawing')].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].map((text) => text.getBoundingClientRect())
    .map((box) => Math.max(box.right - frame.right, frame.left - box.left, 0)).filter((beyond) => beyond > 0.5);
})"""
# Letters of charts that reach beyond the page.
OUTSIDE = """return [...document.querySelectorAll('#pictures text, #curves text, #costs text')].filter((text) => {
  const box = text.getBoundingClientRect();
  return box.left < 0 || box.right > document.documentElement.clientWidth;
}).map((text) => text.textContent)"""


def bottom(page: Page, selector: str) -> float:
    return float(str(page.run("return document.querySelector(arguments[0]).getBoundingClientRect().bottom", selector)))


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1200, 900)])
def test_the_first_screen_tells_what_came_out(page: Page, width: int, height: int) -> None:
    page.open(width, height)
    assert page.texts("#headline h2") == ["3 systems against sentence: by s-BLEU 1 worse (p < 0.05)."]
    assert "English → German" in page.texts("#headline .outcome > p")[0]
    assert page.texts("#headline h3")[0] == "trees beside sentence, 1 seed"
    assert bottom(page, "#headline .changes li") <= height
    assert f"{PLAIN + len(special_documents())} documents" in page.texts("#headline .outcome > p")[0]
    assert page.texts("#headline .changes li")[0].split("\n")[1:5] == [
        "s-BLEU",
        "−2.00",
        "30.00 → 28.00",
        "not significant, p = 0.40",
    ]
    facts = page.texts("#headline .fact")
    today = datetime.now(UTC)
    made = f"Report made on {today.day} {today:%B %Y} by discourse-nmt {__version__}{commit()}, on "
    assert facts[-2].startswith(made) and "memory" in facts[-2]
    assert facts[-1] == "Cost: 3 jobs, 6 min one after the other, 2 min of CPU."


def test_the_table_fits_a_phone_and_its_first_column_stays(page: Page) -> None:
    page.open(390, 844)
    assert page.texts("#scores > .grid thead th:not(.later)")[0] == "experiment"
    place = "return document.querySelector('#scores tbody th').getBoundingClientRect().left"
    before = page.run(place)
    page.run("document.querySelector('#scores > .grid').scrollLeft = 200")
    assert page.run(place) == before
    second = "return document.querySelector('#scores tbody td').getBoundingClientRect().left"
    assert float(str(page.run(second))) < float(str(before))


def test_columns_that_matter_less_come_on_demand(page: Page) -> None:
    shown = "return [...document.querySelectorAll('#scores > .grid th[scope=col]')].filter((c) => c.offsetWidth).length"
    few = page.run(shown)
    button = page.driver.find_element("css selector", "#scores .tools button")
    button.click()
    assert int(str(page.run(shown))) > int(str(few)) and button.get_attribute("aria-pressed") == "true"
    # d-BLEU has the values of s-BLEU and is said in words.
    assert "d-BLEU" not in " ".join(page.texts("#scores > .grid th"))
    assert "The same as s-BLEU: d-BLEU (document)." in page.texts("#scores > h3 + p")[0]


def test_lower_is_better_cannot_be_misread(page: Page) -> None:
    assert "TER lower is better" in page.texts("#scores > .grid th")
    assert page.texts("#scores small.better") == ["better**"]  # of TER, which fell
    assert page.texts("#scores small.worse") == ["worse**"]  # of s-BLEU, which fell


@pytest.mark.parametrize(
    ("kind", "first", "row"),
    [
        ("Markdown", "| experiment | s-BLEU |", "| concat | 29.00 worse** |"),
        ("CSV", "experiment,s-BLEU,", "concat,29.00 worse**,"),
        ("LaTeX", "\\begin{tabular}{lrrr}", "concat & 29.00 worse** & "),
    ],
)
def test_tables_are_copied_as_text(page: Page, kind: str, first: str, row: str) -> None:
    buttons = page.driver.find_elements("css selector", "#scores > .tools button")
    next(button for button in buttons if button.text == kind).click()
    text = str(page.run("return document.querySelector('#scores > textarea').value"))
    assert text.startswith(first) and row in text
    assert "later" not in text and "lexical" not in text
    if kind == "LaTeX":
        assert "\\%" in text and text.endswith("\\end{tabular}")


def test_pictures_have_titles_captions_and_full_width(page: Page) -> None:
    titles = page.texts("#pictures h4")
    assert titles == [
        "Differences from the baseline",
        "Contrastive accuracy by phenomenon",
        "Contrastive accuracy by distance",
        "Gain by length of the document",
        "Gain by position in the document",
        "Score and cost",
    ]
    for figure in page.driver.find_elements("css selector", "#pictures figure"):
        assert figure.accessible_name
        drawing = figure.find_element("css selector", "svg")
        assert drawing.size["width"] >= 500 and drawing.size["height"] > 100
    page.open(390, 844)
    for drawing in page.driver.find_elements("css selector", "#pictures svg"):
        assert 300 <= drawing.size["width"] <= 390


def test_curves_and_costs_have_the_full_width(page: Page) -> None:
    for selector in ("#curves figure", "#costs figure"):
        figures = page.driver.find_elements("css selector", selector)
        assert figures
        for figure in figures:
            assert figure.accessible_name
            drawing = figure.find_element("css selector", "svg")
            assert drawing.size["width"] >= 900
    page.open(390, 844)
    for drawing in page.driver.find_elements("css selector", "#curves svg, #costs svg"):
        assert 300 <= drawing.size["width"] <= 390


def test_no_drawing_is_cut_whatever_the_letters(page: Page) -> None:
    page.show(len(special_documents()))
    page.run("for (const fold of document.querySelectorAll('#drawings details')) fold.open = true")
    page.wait_until("return document.querySelectorAll('#drawings svg').length === 2")
    assert page.run(CUT) == []
    page.run(WIDE_LETTERS)
    assert page.run(CUT) == [] and page.run(OUTSIDE) == []
    # The test sees letters that are drawn in the widths of their own font.
    page.run("for (const text of document.querySelectorAll('#drawings text')) text.removeAttribute('textLength')")
    cut = page.run(CUT)
    assert isinstance(cut, list) and max(cut) > 10


def test_a_drawing_is_saved_as_svg_and_png(page: Page) -> None:
    page.run(
        """window.saved = [];
        const own = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blob.arrayBuffer().then((bytes) => saved.push([blob.type,
          btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join(''))])); return own(blob); };
        HTMLAnchorElement.prototype.click = function () { window.named = [...(window.named ?? []), this.download]; }"""
    )
    for button in page.driver.find_elements("css selector", "#drawings details[open] button"):
        button.click()
    page.wait_until("return (window.named ?? []).length === 2")
    saved = page.run("return window.saved")
    assert isinstance(saved, list)
    by_type = {kind: base64.b64decode(content) for kind, content in saved}
    assert by_type["image/svg+xml"].startswith(b"<svg") and by_type["image/png"].startswith(b"\x89PNG")
    width = int.from_bytes(by_type["image/png"][16:20], "big")
    assert width == 2 * int(float(str(page.run("return document.querySelector('#drawings svg').width.baseVal.value"))))
    assert [str(name).rpartition(".")[2] for name in page.run("return window.named")] == ["svg", "png"]  # type: ignore[attr-defined]


def test_paper_shows_the_results_without_controls(page: Page) -> None:
    page.open(794, 1123, "print")
    visible = (
        "return [...document.querySelectorAll(arguments[0])].filter((part) => part.getClientRects().length).length"
    )
    assert page.run(visible, "nav, .controls, select, button, input, #ranking") == 0
    assert (
        page.run(visible, "#headline h2, #scores > .grid, #pictures svg, #translations table")
        == 2 + len(page.texts("#pictures h4")) + 1
    )
    assert int(str(page.run("return document.documentElement.scrollWidth"))) <= 794
    wide = (
        "return [...document.querySelectorAll('#scores > .grid')].every((grid) => grid.scrollWidth <= grid.clientWidth)"
    )
    assert page.run(wide)
    assert page.run("return getComputedStyle(document.body).color") == "rgb(0, 0, 0)"


def test_nothing_in_the_file_leads_outside_of_it(page: Page) -> None:
    links = page.run(
        "return [...document.querySelectorAll('[href], [src]')].map((part) => part.getAttribute('href') ?? part.src)"
    )
    assert isinstance(links, list) and links and all(link.startswith("#") for link in links)
