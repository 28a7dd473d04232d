"""Controls, invisible characters and line ends behave alike in every format of a corpus."""

import logging
import re
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import expand
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.hypotheses import read_hypotheses
from discourse_nmt.corpus.importing.drafts import draft
from discourse_nmt.corpus.importing.importing import import_corpus
from discourse_nmt.corpus.importing.plan import plan
from tests.unit.corpus.importing.corpus_samples import WRITERS, put, settings


def documents(values: dict[str, Any]) -> list[Document]:
    return list(import_corpus(plan(values)).documents["train"])


def sample(name: str, folder: Path, character: str) -> dict[str, Any]:
    """A sample corpus in a format, with ``character`` inside a sentence."""
    folder.mkdir(exist_ok=True)
    pairs = {"1": [(f"good{character}day", "guten Tag"), ("two", "zwei")], "2": [("three", "drei"), ("four", "vier")]}
    return WRITERS[name](folder, pairs)


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_a_control_character_is_a_blank_in_every_format(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    values = sample(name, tmp_path, "\x07")
    with caplog.at_level(logging.WARNING):
        sentences = {sentence for document in documents(values) for sentence in document.source.sentences}
    assert "good day" in sentences
    told = [message for message in caplog.messages if message.endswith("control characters are read as blanks")]
    assert len(told) == 1 and re.search(": [12] control", told[0])  # XML has the source in a <hyp>, too
    with pytest.raises(InputError, match=r"(:\d+|turn 1): control character U\+0007; remove the character or set"):
        documents(values | {"control_characters": "error"})


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_no_format_reads_a_nul_character(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"(:\d+|turn 1): control character U\+0000; is this a text file\?"):
        documents(sample(name, tmp_path, "\x00"))


def test_escaped_controls_are_counted_as_well(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = "".join(f'{{"doc_id": "{n}", "source": "a\\u0001b\\u0002", "target": "A"}}\n' for n in range(2))
    values = settings("table", {"files": [put(tmp_path / "a.jsonl", rows)]}, options={"layout": "jsonl"})
    assert [document.source.sentences for document in documents(values)] == [["a b"], ["a b"]]
    assert "warning: train: 4 control characters are read as blanks" in caplog.messages


def test_controls_of_translations_are_blanks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "hypotheses.txt"
    path.write_bytes(b"a\x0bb\nc\x1f\n")
    assert read_hypotheses(str(path), {"d": 2}, "test") == {"d": ["a b", "c "]}
    assert caplog.messages == [f"{path}: 2 control characters are read as blanks"]
    lines = tmp_path / "hypotheses.jsonl"
    lines.write_text('{"hypothesis": "a\\u0007b"}\n')
    assert read_hypotheses(str(lines), {"d": 1}, "test") == {"d": ["a b"]}


INVISIBLE = ["\u200b", "\u2060 \ufeff", "\u00ad", "\u200e", " \u3000", "\u061c\u180e"]


@pytest.mark.parametrize("line", INVISIBLE)
def test_a_line_without_visible_text_parts_documents(line: str, tmp_path: Path) -> None:
    source, target = (put(tmp_path / f"a.{side}", f"{side}1\n{line}\n{side}2\n\n{side}3\n") for side in ("en", "de"))
    found = documents(settings("blank_lines", {"source": [source], "target": [target]}))
    assert [document.source.sentences for document in found] == [["en1"], ["en2"], ["en3"]]
    rows = f"source\ttarget\na\tA\n{line}\t{line}\nb\tB\n"
    values = settings("table", {"files": [put(tmp_path / "a.tsv", rows)]}, options={"documents": "blank_lines"})
    assert [document.source.sentences for document in documents(values)] == [["a"], ["b"]]


@pytest.mark.parametrize("line", INVISIBLE)
def test_a_side_without_visible_text_is_empty(line: str, tmp_path: Path) -> None:
    files = {
        "source": [put(tmp_path / "a.en", "<d>\na\nb\n")],
        "target": [put(tmp_path / "a.de", f"<d>\n{line}\nB\n")],
    }
    with pytest.raises(InputError, match=r"a\.de:2: empty sentence on the target side"):
        documents(settings("marked", files))
    [document] = documents(settings("marked", files, empty_sentences="drop"))
    assert document.source.sentences == ["b"]
    with pytest.raises(InputError, match="blank here, but text in"):
        documents(settings("blank_lines", files))


def test_a_draft_without_visible_text_is_a_full_stop() -> None:
    import pandas as pd

    sentences = pd.DataFrame({"doc_id": ["d"] * 2, "sent_id": [0, 1], "source": ["a", "b"], "target": ["A", "B"]})
    translations = sentences[["doc_id", "sent_id"]].assign(rank=0, hypothesis=["\u200b", " x "])
    assert draft(sentences, translations)["target"].tolist() == [".", "x"]


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
@pytest.mark.parametrize("last", [True, False])
def test_lines_end_as_on_any_machine(end: str, last: bool, tmp_path: Path) -> None:
    lines = ["doc_id\tsource\ttarget", *(f"d{n}\tGood day {n}.\tGuten Tag {n}." for n in range(4))]
    text = end.join(lines) + (end if last else "")
    [file] = expand(put(tmp_path / "a.tsv", text))
    assert list(file.lines()) == lines
    assert file.text().split("\n")[: len(lines)] == lines
    values = settings("table", {"files": [file.name]})
    assert [document.doc_id for document in documents(values)] == ["d0", "d1", "d2", "d3"]


def test_a_return_inside_a_line_ends_none_where_lines_end_in_line_feeds(tmp_path: Path) -> None:
    [file] = expand(put(tmp_path / "a.txt", "a\rb\nc\r\n"))
    assert list(file.lines()) == ["a\rb", "c"]  # the import makes a blank of it
