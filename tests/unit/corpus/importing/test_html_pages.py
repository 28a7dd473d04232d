"""HTML pages joined by the ids of their blocks: what is text, what is left out and counted, what is refused."""

import re
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.importing.importing import Imported, import_corpus
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.discourse.sentences import sentence_splitters
from tests.unit.corpus.importing.corpus_samples import put, settings

PAGE = '<html><body><p id="menu">Menu</p><div id="text">{}</div></body></html>'


def imported(folder: Path, source: str, target: str, **options: Any) -> Imported:
    """The import of one page with these blocks in its container."""
    split = {}
    for role, blocks in (("source", source), ("target", target)):
        put(folder / role / "a" / "page.html", PAGE.format(blocks))
        split[role] = [f"{folder}/{role}/**/*.html"]
    return import_corpus(plan(settings("html_pages", split, options={"container": "text"} | options)))


def pairs(found: Imported) -> list[tuple[str, str]]:
    (document,) = found.documents["train"]
    return list(zip(document.source.sentences, document.target.sentences))


def reasons(found: Imported) -> list[tuple[str, str]]:
    return sorted((drop.reason, drop.text) for drop in found.drops["train"])


def test_blocks_are_joined_by_id_in_the_order_of_the_source(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        '<h1 id="h">Title</h1><p id="1">One</p><p id="2">Two</p>',
        '<p id="2">Zwei</p><h1 id="h">Titel</h1><p id="1">Eins</p>',
    )
    assert pairs(found) == [("Title", "Titel"), ("One", "Eins"), ("Two", "Zwei")]
    assert [entry.doc_id for entry in found.documents["train"].entries] == ["a/page"]


def test_markup_becomes_text_on_one_line(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        '<p id="1">Choose <span class="menuitem">Table &amp;\n Rows</span>,<br>then <b>OK</b>.</p>',
        '<p id="1"><a href="x">Wählen</a> Sie&nbsp;OK.</p>',
    )
    assert pairs(found) == [("Choose Table & Rows, then OK.", "Wählen Sie OK.")]


def test_what_a_reader_of_the_page_does_not_read_is_no_text(tmp_path: Path) -> None:
    unread = [f"<{name}>{{}}</{name}>" for name in ("script", "style", "textarea")] + ["<template><p>{}</p></template>"]
    source, target = (
        "".join(f'<p id="{row}">{words}{one.format(words)} {words}</p>' for row, one in enumerate(unread))
        for words in ("One", "Eins")
    )
    found = imported(tmp_path, source, target)
    assert pairs(found) == [("One One", "Eins Eins")] * 4
    assert reasons(found) == []


def test_what_is_left_out_is_counted_with_its_reason(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        '<p id="1">One</p><p>No id</p><p id="2">Only here</p><p id="3"> </p><p id="4">Same</p><p id="5">Five</p>',
        '<p id="1">Eins</p><p id="3">Drei</p><p id="4">Same</p><p id="5">Fünf</p><p id="6">Nur hier</p>',
        equal_sides=False,
    )
    assert pairs(found) == [("One", "Eins"), ("Five", "Fünf")]
    assert reasons(found) == [
        ("block on one side only", "Nur hier"),
        ("block on one side only", "Only here"),
        ("block without id", "No id"),
        ("block without text", ""),
        ("equal sides", "Same"),
    ]
    middle = {drop.text: drop.between for drop in found.drops["train"]}
    assert middle["Only here"] and not middle["Nur hier"]


def test_equal_sides_are_kept_unless_told(tmp_path: Path) -> None:
    assert pairs(imported(tmp_path, '<p id="1">API</p>', '<p id="1">API</p>')) == [("API", "API")]


def test_elements_of_skipped_classes_are_left_out_with_all_they_hold(tmp_path: Path) -> None:
    blocks = '<p id="1">{}</p><p id="2" class="small code">x = 1</p><div class="embedded"><p id="1">{}</p></div>'
    found = imported(
        tmp_path, blocks.format("One", "Again"), blocks.format("Eins", "Noch"), skip_classes=["code", "embedded"]
    )
    assert pairs(found) == [("One", "Eins")]
    assert reasons(found) == [("class code", "x = 1"), ("class embedded", "Again")]


def test_text_of_a_skipped_class_inside_a_block_stays(tmp_path: Path) -> None:
    blocks = '<p id="1">{} <span class="code">x = 1</span></p>'
    found = imported(tmp_path, blocks.format("Type"), blocks.format("Tippen Sie"), skip_classes=["code"])
    assert pairs(found) == [("Type x = 1", "Tippen Sie x = 1")]


def test_headings_of_all_levels_are_blocks(tmp_path: Path) -> None:
    blocks = "".join(f'<h{level} id="{level}">{{0}} {level}</h{level}>' for level in range(1, 7))
    found = imported(tmp_path, blocks.format("Part"), blocks.format("Teil"))
    assert pairs(found) == [(f"Part {level}", f"Teil {level}") for level in range(1, 7)]


def test_a_page_without_the_container_has_no_blocks(tmp_path: Path) -> None:
    for role in ("source", "target"):
        put(tmp_path / role / "bare.html", f'<body><p id="1">{role}</p></body>')
    found = imported(tmp_path, '<p id="1">One</p>', '<p id="1">Eins</p>')
    assert pairs(found) == [("One", "Eins")] and reasons(found) == [("page without blocks", "bare")]


def test_pages_are_in_natural_order(tmp_path: Path) -> None:
    split = {}
    for role in ("source", "target"):
        for name in ("page10", "page2", "page1"):
            put(tmp_path / role / f"{name}.html", f'<p id="1">{role} {name}</p>')
        split[role] = [f"{tmp_path}/{role}/*.html"]
    found = import_corpus(plan(settings("html_pages", split)))
    assert [entry.doc_id for entry in found.documents["train"].entries] == ["page1", "page2", "page10"]


def test_a_block_that_is_empty_on_the_target_side_is_left_out(tmp_path: Path) -> None:
    source, target = '<p id="1">One</p><p id="2">Two</p>', '<p id="1">Eins</p><p id="2"> </p>'
    found = imported(tmp_path, source, target)
    assert pairs(found) == [("One", "Eins")] and reasons(found) == [("block without text", "Two")]


def test_each_side_has_a_splitter_of_its_own(tmp_path: Path) -> None:
    for role, blocks in (("source", ("A. B;C.", "D; E")), ("target", ("X; Y.Z;", "V. W"))):
        put(tmp_path / role / "page.html", "".join(f'<p id="{place}">{text}</p>' for place, text in enumerate(blocks)))
    split = {role: [f"{tmp_path}/{role}/*.html"] for role in ("source", "target")}
    values = settings("html_pages", split, options={"split_sentences": True})
    by_mark = {
        "source": lambda texts: [text.split(". ") for text in texts],
        "target": lambda texts: [text.split("; ") for text in texts],
    }
    assert pairs(import_corpus(plan(values), None, by_mark)) == [("A", "X"), ("B;C.", "Y.Z;"), ("D; E", "V. W")]


def test_blocks_become_sentences_where_both_sides_have_as_many(tmp_path: Path) -> None:
    source = '<p id="1">One. Two.</p><p id="2">Three. Four.</p><p id="3">Five</p>'
    target = '<p id="1">Eins. Zwei.</p><p id="2">Drei und vier.</p><p id="3">Fünf</p>'
    for role, blocks in (("source", source), ("target", target)):
        put(tmp_path / role / "page.html", PAGE.format(blocks))
    split = {role: [f"{tmp_path}/{role}/*.html"] for role in ("source", "target")}
    values = settings("html_pages", split, options={"container": "text", "split_sentences": True})
    whole = [("One. Two.", "Eins. Zwei."), ("Three. Four.", "Drei und vier."), ("Five", "Fünf")]
    by_stop = {side: lambda texts: [re.findall(r"\w[^.]*\.?", text) for text in texts] for side in ("source", "target")}
    divided = import_corpus(plan(values), None, by_stop)
    assert pairs(divided) == [("One.", "Eins."), ("Two.", "Zwei."), *whole[1:]]
    assert divided.documents["train"][0].target.lines == [1, 1, 1, 1]
    # A language without a splitter leaves blocks whole.
    assert pairs(import_corpus(plan(values), None, {"source": by_stop["source"]})) == whole


def test_what_becomes_of_blocks_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for role, text in (("source", "One. Two. Three."), ("target", "Eins. Zwei und drei.")):
        put(tmp_path / role / "page.html", PAGE.format(f'<p id="1">{text}</p><p id="2">Text. Links.</p>'))
    split = {role: [f"{tmp_path}/{role}/*.html"] for role in ("source", "target")}
    values = settings("html_pages", split, options={"container": "text", "split_sentences": True})
    with caplog.at_level("INFO"):
        import_corpus(plan(values), None, sentence_splitters({"source": "en", "target": "de"}))
    assert "train: 1 blocks left whole: the sides have different numbers of sentences" in caplog.messages
    assert "train: 1 blocks divided into sentences" in caplog.messages


def test_shipped_splitters_divide_at_marks_only(caplog: pytest.LogCaptureFixture) -> None:
    splitters = sentence_splitters({"source": "en", "target": "de"})
    heading = "Saving a File Under Another Name"
    assert splitters["source"]([heading, "Choose File - Save. Then click OK."]) == [
        [heading],
        ["Choose File - Save.", "Then click OK."],
    ]
    assert splitters["target"](["Wählen Sie Datei. Klicken Sie auf OK."]) == [
        ["Wählen Sie Datei.", "Klicken Sie auf OK."]
    ]
    assert sentence_splitters({"source": "en", "target": "it"}).keys() == {"source"}
    assert "no shipped sentence splitter for it" in caplog.text


def test_a_class_outside_the_container_skips_nothing(tmp_path: Path) -> None:
    for role, text in (("source", "One"), ("target", "Eins")):
        page = f'<body class="code"><div id="text"><p id="1">{text}</p></div></body>'
        put(tmp_path / role / "page.html", page)
    split = {role: [f"{tmp_path}/{role}/*.html"] for role in ("source", "target")}
    options = {"container": "text", "skip_classes": ["code"]}
    assert pairs(import_corpus(plan(settings("html_pages", split, options=options)))) == [("One", "Eins")]


def test_the_innermost_block_counts(tmp_path: Path) -> None:
    found = imported(
        tmp_path,
        '<ul><li id="1">One</li><li id="2"><p id="3">Two</p></li></ul>',
        '<ul><li id="1">Eins</li><li id="2"><p id="3">Zwei</p></li></ul>',
        blocks=["li", "p"],
    )
    assert pairs(found) == [("One", "Eins"), ("Two", "Zwei")] and not reasons(found)


def test_text_beside_an_inner_block_is_counted(tmp_path: Path) -> None:
    item = '<li id="1">{} <b>{}</b><p id="2">{}</p></li>'
    found = imported(
        tmp_path, item.format("Lead", "in:", "Two"), item.format("Vor", "satz:", "Zwei"), blocks=["li", "p"]
    )
    assert pairs(found) == [("Two", "Zwei")] and reasons(found) == [("text beside inner blocks", "Lead in:")]


def test_an_id_that_a_page_repeats_is_joined_in_order(tmp_path: Path) -> None:
    found = imported(
        tmp_path, '<p id="1">One</p><p id="1">Two</p>', '<p id="1">Eins</p><p id="1">Zwei</p><p id="1">Drei</p>'
    )
    assert pairs(found) == [("One", "Eins"), ("Two", "Zwei")]
    assert reasons(found) == [("block on one side only", "Drei")]


def test_pages_of_one_side_and_without_text_are_counted(tmp_path: Path) -> None:
    put(tmp_path / "source" / "alone.html", PAGE.format('<p id="1">One</p>'))
    put(tmp_path / "source" / "empty.html", PAGE.format(""))
    put(tmp_path / "target" / "empty.html", PAGE.format(""))
    found = imported(tmp_path, '<p id="1">One</p>', '<p id="1">Eins</p>')
    assert reasons(found) == [("page on one side only", "alone"), ("page without blocks", "empty")]


def test_sides_without_a_common_page_are_refused(tmp_path: Path) -> None:
    put(tmp_path / "source" / "one.html", PAGE.format('<p id="1">One</p>'))
    put(tmp_path / "target" / "two.html", PAGE.format('<p id="1">Zwei</p>'))
    split = {role: [f"{tmp_path}/{role}/*.html"] for role in ("source", "target")}
    with pytest.raises(InputError, match=r"no target file of this name; wildcards of source and target"):
        import_corpus(plan(settings("html_pages", split)))


def test_a_file_that_is_no_page_is_told(tmp_path: Path) -> None:
    for role in ("source", "target"):
        put(tmp_path / role / "page.html", "")
    split = {role: [f"{tmp_path}/{role}/*.html"] for role in ("source", "target")}
    with pytest.raises(InputError, match=r"page\.html.*not an HTML page"):
        import_corpus(plan(settings("html_pages", split)))
