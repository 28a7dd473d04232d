"""Texts as sentences and gaps: nothing is lost, whatever the layout."""

import logging
import re
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.plain_text import Span, check_text
from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.tokenisers import tokeniser
from discourse_nmt.translation.analysis import sentence_splitter
from discourse_nmt.translation.texts import (
    LONGEST,
    Layout,
    SourceDocument,
    cut_long_sentences,
    documents_of,
)

TEXT = "\nA heading\n\nThe cat sat on the mat. She saw\nthe dog. It was large.\n\n\n  The dog ran.\n"


def test_paragraphs_and_empty_lines_are_kept() -> None:
    (document,) = documents_of(TEXT, "text", "paragraphs", sentence_splitter("en"))
    assert document.sentences == (
        "A heading",
        "The cat sat on the mat.",
        "She saw the dog.",
        "It was large.",
        "The dog ran.",
    )
    numbered = [f"<{number}>" for number in range(5)]
    assert document.with_sentences(numbered) == "\n<0>\n\n<1> <2> <3>\n\n\n  <4>\n"
    assert document.with_sentences(numbered, space="") == "\n<0>\n\n<1><2><3>\n\n\n  <4>\n"


def test_line_ends_of_paragraphs_without_empty_lines_are_kept() -> None:
    (document,) = documents_of("The cat sat.\nThe dog ran.\n", "text", "paragraphs", sentence_splitter("en"))
    assert document.with_sentences(["Eins.", "Zwei."]) == "Eins.\nZwei.\n"


LINE = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\x00\ufeff"), max_size=8)


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LINE).map("\n".join))
def test_lines_give_back_the_text(text: str) -> None:
    checked = check_text(text, "text")
    (document,) = documents_of(checked, "text", "lines")
    assert document.with_sentences(document.sentences) == checked
    assert all(map(has_text, document.sentences))


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LINE.map(lambda line: " ab" + re.sub(r"[\t\u2028\u2029]|\s(?=\s)", "", line))).map("\n".join))
def test_lines_without_marks_are_sentences(text: str) -> None:
    checked = check_text(text, "text")
    (document,) = documents_of(checked, "text", "lines")
    assert document.with_sentences(document.sentences) == checked
    assert list(document.sentences) == [line.strip() for line in checked.split("\n") if line.strip()]


MARKED_LINES = [
    ("- Click OK.", ["Click OK."]),
    ("  * Click OK.", ["Click OK."]),
    ("•\tClick OK.", ["Click OK."]),
    ("– Click OK.", ["Click OK."]),
    ("- [x] Click OK.", ["Click OK."]),
    ("[ ] Click OK.", ["Click OK."]),
    ("\uf0b7\tClick OK.", ["Click OK."]),
    ("☑ Click OK.", ["Click OK."]),
    ("a. Select “all”", ["Select “all”"]),
    ("  i. “Select” all", ["“Select” all"]),
    ("③选择", ["选择"]),
    ("Name\tThe value\t\t5", ["Name", "The value", "5"]),
    ("2. Name\tThe value ", ["Name", "The value"]),
    ("  -v, --verbose      print more", ["-v, --verbose", "print more"]),
    ("--width=N  print it.  Or not", ["--width=N", "print it.  Or not"]),
    ("姓名　　　年龄", ["姓名", "年龄"]),
    ("- Name   Size \t 5", ["Name", "Size", "5"]),
    ("One\u2028two\u2029three", ["One", "two", "three"]),
    ("- One\u2028- two", ["One", "two"]),
    ("2. Select", ["Select"]),
    ("2) Select", ["Select"]),
    ("(ii) Select", ["Select"]),
    ("a) Select", ["Select"]),
    ("## Select", ["Select"]),
    ("> Select", ["Select"]),
    (">>Select", ["Select"]),
    ("> - Select", ["Select"]),
    ("1、选择", ["选择"]),
    ("（二）选择", ["选择"]),
    ("| Name | The value | |", ["Name", "The value"]),
    (r"| a \| b | c", [r"a \| b", "c"]),
    ("|---|:-:|", []),
    ("=====", []),
    ("-", []),
    ("3.", []),
    ("\u200b\u00ad", []),
    # no marks
    ("-5  degrees", ["-5  degrees"]),
    ("It was.    Then it  was", ["It was.    Then it  was"]),
    ("*bold* text", ["*bold* text"]),
    ("#tag", ["#tag"]),
    ("1990. That was it", ["1990. That was it"]),
    ("2.5 million", ["2.5 million"]),
    ("(He) left", ["(He) left"]),
    ("A | B", ["A | B"]),
    ("A. Smith left", ["A. Smith left"]),
    ("z. B. Anna", ["z. B. Anna"]),
    ("s. Seite 3", ["s. Seite 3"]),
    ("a. m. and p. m.", ["a. m. and p. m."]),
    ("a. D. gestellt", ["a. D. gestellt"]),
    ("a. select all", ["a. select all"]),
    ("[1] says so", ["[1] says so"]),
]


@pytest.mark.parametrize("layout", ["lines", "paragraphs"])
@pytest.mark.parametrize(("line", "sentences"), MARKED_LINES)
def test_marks_of_blocks_come_out_as_they_went_in(line: str, sentences: list[str], layout: Layout) -> None:
    (document,) = documents_of(line, "f", layout, whole)
    assert list(document.sentences) == sentences
    assert document.with_sentences(document.sentences) == line
    assert document.with_sentences(document.sentences, space="") == line


def whole(texts: Sequence[str]) -> list[list[Span]]:
    """Every text is one sentence."""
    return [[(0, len(text))] for text in texts]


def test_a_document_of_blocks_gives_back_its_text() -> None:
    text = "\n".join(["# Steps", "", "Do this:", *(line for line, _ in MARKED_LINES), "", "Done. Well\ndone."])
    (document,) = documents_of(text, "f", "paragraphs", sentence_splitter("en"))
    pairs = zip(document.gaps, [*document.sentences, ""])
    assert "".join(gap + sentence for gap, sentence in pairs).replace("\n", " ") == text.replace("\n", " ")
    assert document.sentences[:3] == ("Steps", "Do this:", "Click OK.") and document.sentences[-2:] == (
        "Done.",
        "Well done.",
    )


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It was on\n3. October in it", ["It was on 3. October in it"]),
        ("He went – as\n– always – home", ["He went – as – always – home"]),
        ("Steps\n1. one\ntwo\n2. three", ["one two", "three"]),
        ("a. One\ntwo\nb. Three\nv. Four", ["One two", "Three v. Four"]),
        ("i. One\nii. Two\niv. Three\niii. Four\niv. Five", ["One", "Two iv. Three", "Four", "Five"]),
        ("a. One\nb. Two\ni. Three\nii. Four\nc. Five", ["One", "Two", "Three", "Four", "Five"]),
        ("one\ta\ntwo", ["one", "a", "two"]),
        ("- one\n  two\n- three", ["one   two", "three"]),
        ("# one\ntwo", ["one", "two"]),
        ("-o  one\n    two\n    three\nfour", ["-o", "one     two     three", "four"]),
        ("-o  one\n\n    two", ["-o", "one", "two"]),
        ("-o  one\n    - two", ["-o", "one", "two"]),
        ("a\tb\n  c", ["a", "b", "c"]),
        ("one\u2028two\nthree\u2029four", ["one", "two three", "four"]),
        ("| one |\ntwo", ["one", "two"]),
        ("one\n===\ntwo", ["one", "two"]),
    ],
)
def test_what_continues_a_block(text: str, sentences: list[str]) -> None:
    (document,) = documents_of(text, "f", "paragraphs", whole)
    assert list(document.sentences)[-len(sentences) :] == sentences


@settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(LINE.filter(lambda line: line.strip() != "<d>"), max_size=4), max_size=4))
def test_marked_documents_give_back_the_text(parts: list[list[str]]) -> None:
    text = check_text("".join("\n".join(["<d>", *lines, ""]) for lines in parts), "text")
    documents = documents_of(text, "text", "marked")
    assert "".join(document.with_sentences(document.sentences) for document in documents) == text
    assert len(documents) == max(1, len(parts))
    for document, lines in zip(documents, parts):
        checked = check_text("\n".join(lines), "text").split("\n")
        assert list(document.sentences) == [line.strip() for line in checked if has_text(line)]


def test_names_of_marked_documents() -> None:
    assert [one.name for one in documents_of("<d>\na\n <d> \nb", "f", "marked")] == ["f#1", "f#2"]


@pytest.mark.parametrize("text", ["a\n<d>\nb", "a"])
def test_text_before_the_first_mark_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="f:1: no <d> before 'a'; put <d> on a line"):
        documents_of(text, "f", "marked")


def test_a_nul_is_one_line_that_names_the_line() -> None:
    with pytest.raises(InputError, match=r"^f:2: NUL character; is this a text file\?$"):
        check_text("a\nb\x00", "f")


def test_control_characters_become_blanks_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    assert check_text("\ufeffa\x0bb\r\nc\td", "f") == "a b\nc\td"
    assert check_text("a\rb", "f") == "a\nb" and check_text("a\rb\r\nc\rd\n", "f") == "a b\nc d\n"
    assert caplog.messages == ["f: 1 control characters are read as blanks"]


def test_a_very_long_sentence_is_cut_without_loss(caplog: pytest.LogCaptureFixture) -> None:
    words = [f"w{number}" + ("," if number % 200 == 199 else "") for number in range(10_000)]
    document = SourceDocument.of_sentences(["Short.", " ".join(words), "End."], "f")
    with caplog.at_level(logging.WARNING):
        cut = cut_long_sentences(document, tokeniser(SideSettings("en")))
    assert cut.sentences[0] == "Short." and cut.sentences[-1] == "End."
    assert " ".join(cut.sentences[1:-1]).split() == words
    assert all(len(sentence.split()) <= LONGEST for sentence in cut.sentences)
    assert all(sentence.endswith(",") for sentence in cut.sentences[1:-1])
    assert cut.with_sentences(cut.sentences) == document.with_sentences(document.sentences)
    assert caplog.messages == [f"f: sentence 2 has more than {LONGEST} words; it is translated in 50 parts"]


def test_a_long_word_is_no_long_sentence() -> None:
    document = SourceDocument.of_sentences(["x" * 5000])
    assert cut_long_sentences(document, tokeniser(SideSettings("en"))) == document


def test_a_language_without_splitter_is_told() -> None:
    with pytest.raises(InputError, match="no sentence splitter for the language it; give one sentence per line"):
        sentence_splitter("it")
