"""The report shows what the tables hold, text from corpora stays text, and no script but its own may run."""

import base64
import hashlib
import json
import re
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.scoring.metrics.score import ALL_ITEMS, ItemSubset, Score, item_score
from discourse_nmt.scoring.reports.documents import DocumentContent, ReportDocument
from discourse_nmt.scoring.reports.embedding import json_data, packed
from discourse_nmt.scoring.reports.page import BLOCK, Tables, document_blocks, page
from discourse_nmt.scoring.reports.provenance import Provenance
from discourse_nmt.scoring.reports.runs import ReportRun
from discourse_nmt.scoring.tables.scores import collect, score_table
from discourse_nmt.workflow_scripts.report.report import SCRIPTS, VIEWER, VIEWER_SCRIPTS, page_templates

HOSTILE = "</td><script>alert('x')</script><img src=http://example.org/x onerror=alert(1)>&amp;\"'"
DISTANT = ItemSubset("distance", "2")
BENCHMARKS = ["corpus", "stage", "experiment", "seconds", "cpu", "memory"]
VOID = {"meta", "img", "br", "link", "input", "hr"}


class Reader(HTMLParser):
    """Collects elements, attributes and text, and checks that elements are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader


def scores(experiment: str = "sentence", corpus: str = "demo", signature: str = "nrefs:1|v") -> pd.DataFrame:
    found = [Score("s-BLEU", 31.4159, signature)]
    for subset, right in ((ALL_ITEMS, 62.5), (ItemSubset("phenomenon", "pronoun"), 50.0), (DISTANT, 75.0)):
        found += [
            item_score("contrastive", "accuracy", subset, right, "ties:wrong"),
            item_score("contrastive", "accuracy, lower bound", subset, right - 4.4, "ties:wrong"),
            item_score("contrastive", "accuracy, upper bound", subset, right + 4.2, "ties:wrong"),
            item_score("contrastive", "items", subset, 400, "count"),
            item_score("contrastive", "ties", subset, 0, "count"),
        ]
    return score_table(found, corpus=corpus, experiment=experiment, system="transformer", seed=1, test_set="test")


def metrics() -> pd.DataFrame:
    return pd.DataFrame({"update": [1.0, 2.0, 3.0], "dev_loss": [4.0, None, 3.0], "dev_bleu": [None, None, 12.5]})


def templates() -> dict[str, str]:
    return page_templates()


def scripts() -> tuple[list[str], list[str]]:
    """The parts of the page's script, and those of the viewer's."""
    own, viewer = (
        [(VIEWER / f"{name}.js").read_text(encoding="utf-8") for name in names] for names in (SCRIPTS, VIEWER_SCRIPTS)
    )
    return own, viewer


def filled(name: str, corpus: str, drawn: bool) -> Tables:
    """Tables in which every text is ``name``."""
    benchmarks = pd.DataFrame([(corpus, name, "", 1.5, 1.0, None)] if drawn else [], columns=BENCHMARKS)
    experiments: dict[str, dict[str, Any]] = {
        name: {"system": "transformer", name: name},
        "other": {"system": "transformer", name: 1},
    }
    return Tables(
        scores=collect([(scores(name, corpus, f"signature {name}"), "a"), (scores("other", corpus, "w"), "b")]),
        metrics={ReportRun(corpus, name, 1): metrics()} if drawn else {},
        drops={corpus: pd.DataFrame({"doc_id": [name], "line": [3], "reason": [name], "text": [name]})},
        quality={corpus: pd.DataFrame({"measure": [name], "side": [""], "test": ["1.0"], "remedy": [name]})},
        benchmarks=benchmarks,
        provenance=Provenance(
            {name: name}, experiments, {name: name}, {name: name}, {name: None}, {name: name}, {name: name}
        ),
    )


def report(name: str, corpus: str, *, drawn: bool = True) -> str:
    content: DocumentContent = {"source": [name], "reference": [name], "systems": {name: [name]}}
    document = ReportDocument(corpus, name, name, 1, content)
    return page(templates(), *scripts(), name, filled(name, corpus, drawn), list(document_blocks([document])))


def test_hostile_text_stays_text() -> None:
    reader = read(report(HOSTILE, "c" + HOSTILE))
    assert not {"img", "iframe", "object", "link", "form", "base"} & set(reader.names)
    assert sum(HOSTILE in text for text in reader.text) >= 17
    for _, name, value in reader.attributes:
        assert not name.startswith("on")
        assert name not in ("src", "action", "formaction", "srcdoc")
        if name in ("href", "xlink:href"):
            assert value.startswith("#")


def test_what_texts_of_other_systems_leave_out_is_shown_with_the_scores() -> None:
    tables = filled("gpt", "news", drawn=True)
    names = {"corpus": "news", "experiment": "gpt", "system": "external", "test_set": "test"}
    shown = []
    for omitted in (0, 46):
        counts = score_table([Score("omitted sentences", omitted, "count")], **names, seed=1)
        own = replace(tables, scores=pd.concat([tables.scores, counts], ignore_index=True))
        shown.append(" ".join(read(page(templates(), *scripts(), "gpt", own, [])).text))
    assert "a sentence left out is scored as empty" not in shown[0]
    assert "a sentence left out is scored as empty" in shown[1] and "46" in shown[1]


def test_what_texts_are_like_is_shown_with_its_remedies() -> None:
    text = " ".join(read(report("name", "corpus")).text)
    assert "What the text of corpus is like" in text and "measure side test remedy name" in " ".join(text.split())


PLAIN = read(report("name", "corpus", drawn=False)).names


@settings(max_examples=25, deadline=None)
@given(st.text(alphabet="<>&\"'/!-]{}%# ascriptj\u05d0\u4e2d", max_size=30))
def test_no_text_changes_the_elements_of_the_page(text: str) -> None:
    assert read(report(text + "x", "corpus", drawn=False)).names == PLAIN


def test_only_the_page_s_own_script_may_run() -> None:
    html = report(HOSTILE, "c" + HOSTILE)
    (script,) = re.findall(r'<script type="module" async>(.*?)</script>', html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', html)
    directives = dict(part.split(" ", 1) for part in policy.split("; "))
    # Jinja writes an apostrophe as a reference, which the browser reads as one.
    assert directives["script-src"].replace("&#39;", "'") == f"'sha256-{digest}'"
    assert directives["default-src"] == "'none'"
    assert "<!--" not in script and "</script" not in script and "innerHTML" not in script
    kinds = re.findall(r'<script type="([^"]*)"', html)
    assert sorted(kinds) == ["application/json", "module", "text/plain", "text/plain"]
    assert html.count("<script") == 4


def test_embedded_data_comes_back_and_has_no_markup() -> None:
    value = {HOSTILE: [HOSTILE, "</script>", "<!--", "\u2028 \u2029 \x00 \U0001f469", 1.5, None]}
    for text in (str(json_data(value)), packed(value)):
        assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(str(json_data(value))) == value
    assert json.loads(zlib.decompress(base64.b64decode(packed(value)))) == value
    assert packed(value) == packed(value)


@settings(max_examples=50, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=50))
def test_any_text_can_be_embedded(text: str) -> None:
    assert json.loads(str(json_data([text]))) == [text]
    assert json.loads(zlib.decompress(base64.b64decode(packed([text])))) == [text]


def test_the_page_needs_nothing_from_elsewhere() -> None:
    html = report("sentence", "demo")
    assert "@import" not in html and "url(" not in html.replace("url(#", "")
    namespaces = html.replace("http://www.w3.org/2000/svg", "").replace("http://www.w3.org/1999/xlink", "")
    assert "http" not in namespaces.replace("http-equiv", "")
    assert html == report("sentence", "demo")


def test_every_part_is_in_the_page_and_linked() -> None:
    reader = read(report("sentence", "demo"))
    anchors = {value for _, name, value in reader.attributes if name == "id"}
    links = {value[1:] for _, name, value in reader.attributes if name == "href"}
    assert links == {
        "headline",
        "scores",
        "pictures",
        "contrastive",
        "ablations",
        "curves",
        "viewer",
        "drops",
        "costs",
        "provenance",
    }
    assert links <= anchors
    text = " ".join(reader.text)
    for wanted in ("31.42", "62.5 [58.1, 66.7]", "development loss", "development BLEU", "sentence (base)"):
        assert wanted in text
    assert ("html", "lang", "en") in reader.attributes
    assert reader.names.count("svg") == 4


def test_parts_without_data_are_left_out() -> None:
    html = page(templates(), *scripts(), "empty", Tables(scores=scores().head(1)), [])
    links = {value for _, name, value in read(html).attributes if name == "href"}
    assert links == {"#headline", "#scores", "#drops"}
    assert html.count("<script") == 1 and "block-0" not in html
    assert "Nothing was dropped." in html


def test_documents_are_in_blocks_and_that_of_the_largest_difference_comes_before_the_script() -> None:
    number, shown = 3 * BLOCK - 2, 2 * BLOCK + 3
    listed = [
        ReportDocument(
            "demo",
            "test",
            f"{place}",
            1,
            {"source": [str(place)]},
            {"one": {"bleu": 9.0}, "two": {"bleu": 8.0 - (place == shown)}},
        )
        for place in range(number)
    ]
    blocks = list(document_blocks(iter(listed)))
    assert [len(block.documents) for block in blocks] == [BLOCK, BLOCK, BLOCK - 2]
    html = page(templates(), *scripts(), "title", filled("name", "demo", False), blocks)
    assert re.findall(r'<script type="module"|id="block-(\d+)"', html) == ["2", "", "0", "1"]
    packed_blocks = dict(re.findall(r'id="block-(\d+)">([^<]*)<', html))
    contents = [json.loads(zlib.decompress(base64.b64decode(packed_blocks[f"{block}"]))) for block in range(3)]
    assert [content["source"] for block in contents for content in block] == [[str(place)] for place in range(number)]
    (index,) = re.findall(r'id="documents">([^<]*)<', html)
    assert json.loads(index)["block"] == BLOCK
    assert [entry["name"] for entry in json.loads(index)["documents"]] == [f"{place}" for place in range(number)]


def test_scripts_of_other_languages_are_written_as_they_are() -> None:
    for text in ("我们去公园", "Привет, мир", "שלום עולם", "مرحبا", "नमस्ते"):
        assert text in report(text, "demo", drawn=False)
