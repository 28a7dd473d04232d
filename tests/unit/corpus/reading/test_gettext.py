"""References of gettext catalogues: the pages and lines of messages, as different programs write them."""

from collections import Counter
from pathlib import Path

import pytest

from discourse_nmt.corpus.importing.importing import Imported, import_corpus
from discourse_nmt.corpus.importing.plan import plan
from tests.unit.corpus.importing.corpus_samples import put, settings

HEAD = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'


def read(folder: Path, *entries: str) -> Imported:
    path = put(folder / "guide.po", HEAD + "\n\n".join(entries) + "\n")
    return import_corpus(plan(settings("gettext", {"files": [path]})))


def pages(imported: Imported) -> dict[str, list[str]]:
    return {document.doc_id: document.source.sentences for document in imported.documents["train"]}


def entry(reference: str, text: str) -> str:
    return f'#: {reference}\nmsgid "{text}"\nmsgstr "{text.upper()}"'


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("C/index.docbook:24(title)", "C/index.docbook:7(para)"),
        ("C/index.docbook:24(None)", "C/index.docbook:7(listitem/para)"),
        ("C/index.docbook:24 (title)", "C/index.docbook:7 (para)"),
        ("C/index.docbook:24(title), C/index.docbook:30(para)", "C/index.docbook:7(para),"),
        ("C/index.docbook:24", "C/index.docbook:7"),
    ],
)
def test_the_element_behind_a_line_names_no_page(first: str, second: str, tmp_path: Path) -> None:
    found = pages(read(tmp_path, entry(first, "later"), entry(second, "earlier")))
    assert {page: list(dict.fromkeys(texts)) for page, texts in found.items()} == {
        "guide/C/index.docbook": ["earlier", "later"]
    }


def test_a_message_belongs_to_each_page_once_for_each_line(tmp_path: Path) -> None:
    imported = read(
        tmp_path, entry("C/a.xml:4(para) C/b.xml:9(para) C/a.xml:2(title)", "one"), entry("C/a.xml:3", "two")
    )
    assert pages(imported) == {"guide/C/a.xml": ["one", "two", "one"], "guide/C/b.xml": ["one"]}


def test_isolated_names_may_have_spaces(tmp_path: Path) -> None:
    found = pages(read(tmp_path, entry("\u2068C/my own page.page\u2069:7 C/a.page:30", "one")))
    assert found == {"guide/C/my own page.page": ["one"], "guide/C/a.page": ["one"]}


def test_what_is_no_text_of_a_page_is_left_out_and_counted(tmp_path: Path) -> None:
    image = '#: C/a.xml:0(None)\nmsgid "@@image: \'figures/a.png\'; md5=abc"\nmsgstr "x"'
    credits = '#: C/a.xml:0(None)\nmsgid "translator-credits"\nmsgstr "Ann"'
    obsolete = [
        '#~ msgid "gone"\n#~ msgstr "weg"',
        '#, fuzzy\n#~| msgid "before"\n#~ msgctxt "x"\n#~ msgid "b"\n#~ msgstr "B"',
    ]
    unseen = '#: C/a.xml:3(para)\nmsgid "unseen"\nmsgstr "\u200b"'
    imported = read(tmp_path, entry("C/a.xml:4(para)", "one"), image, credits, unseen, *obsolete)
    assert pages(imported) == {"guide/C/a.xml": ["one"]}
    reasons = Counter(drop.reason for drop in imported.drops["train"])
    assert reasons == {"metadata": 2, "untranslated": 1}
