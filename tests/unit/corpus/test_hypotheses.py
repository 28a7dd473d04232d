"""Translations by other systems: formats, and files that do not fit their test set."""

import gzip
import json
from pathlib import Path

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.hypotheses import read_hypotheses

LENGTHS = {"b/1": 2, "a": 1, "c": 3}  # not in alphabetical order
TEXTS = {"b/1": ["Eins.", " zwei "], "a": [""], "c": ["Drei \u2028 vier", "fünf", "sechs"]}
LINES = [text for texts in TEXTS.values() for text in texts]


def fault(pattern: Path | str) -> str:
    with pytest.raises(InputError) as caught:
        read_hypotheses(str(pattern), LENGTHS, "test set test of corpus news")
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_the_sentences_in_the_order_of_the_test_set(end: str, tmp_path: Path) -> None:
    path = tmp_path / "gpt.txt"
    path.write_bytes((end.join(LINES) + end).encode())
    assert read_hypotheses(str(path), LENGTHS, "test") == TEXTS


def test_files_of_documents_are_named_by_the_wildcard(tmp_path: Path) -> None:
    for name, texts in TEXTS.items():
        path = tmp_path / f"{name}.de"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    assert read_hypotheses(f"{tmp_path}/**/*.de", LENGTHS, "test") == TEXTS


def test_objects_are_of_sentences_or_documents_in_any_order(tmp_path: Path) -> None:
    path = tmp_path / "gpt.jsonl.gz"
    objects = [
        {"doc_id": "c", "sent_id": 2, "hypothesis": "sechs", "score": 1},
        {"doc_id": "b/1", "hypotheses": TEXTS["b/1"]},
        {"doc_id": "c", "sent_id": 0, "hypothesis": "Drei \u2028 vier"},
        {"doc_id": "a", "hypothesis": "\n".strip()},
        {"doc_id": "c", "sent_id": 1, "hypothesis": "fünf"},
    ]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, objects)).encode()))
    assert read_hypotheses(str(path), LENGTHS, "test") == TEXTS


def test_objects_without_documents_are_in_order(tmp_path: Path) -> None:
    path = tmp_path / "gpt.jsonl"
    path.write_text("".join(json.dumps({"hypothesis": text}) + "\n" for text in LINES), encoding="utf-8")
    assert read_hypotheses(str(path), LENGTHS, "test") == TEXTS


@pytest.mark.parametrize("count", [0, 5, 7])
def test_another_number_of_lines_is_told_with_both_numbers(count: int, tmp_path: Path) -> None:
    path = tmp_path / "gpt.txt"
    path.write_text("x\n" * count, encoding="utf-8")
    assert fault(path).startswith(
        f"{path}: {count} lines, but test set test of corpus news has 6 sentences; write a line"
    )


def test_a_document_of_another_length_is_named(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name, texts in TEXTS.items():
        (tmp_path / f"{name}.de").write_text("x\n" * (len(texts) + (name == "c")), encoding="utf-8")
    pattern = f"{tmp_path}/**/*.de"
    assert fault(pattern).startswith(f"{pattern}: 4 translations of document c, which has 3 sentences; ")
    (tmp_path / "c.de").unlink()
    assert fault(pattern).startswith(f"{pattern}: no file for document c of test set test of corpus news; ")
    (tmp_path / "d.de").touch()
    assert (
        fault(pattern) == f"{tmp_path}/d.de: no document d in test set test of corpus news; its documents are b/1, a, c"
    )


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"doc_id": "a", "hypotheses": ["x"]}'], ": no translation of document b/1 of test set test"),
        (['{"doc_id": "x", "hypotheses": ["x"]}'], ":1: no document x in test set test"),
        (['{"doc_id": ["a"], "hypotheses": ["x"]}'], ":1: no document ['a'] in test set test"),
        (['{"doc_id": "a", "sent_id": 0, "hypothesis": "x"}'] * 2, ":2: sentence 0 of document a occurs twice"),
        (['{"doc_id": "a", "sent_id": "0", "hypothesis": "x"}'], ":1: sent_id '0' is no whole number"),
        (['{"doc_id": "a", "hypothesis": null}'], ":1: no text under hypothesis or hypotheses"),
        (['{"doc_id": "a", "hypothesis": "x"}', '{"hypothesis": "x"}'], ": some objects have a doc_id and some do not"),
        (["", "[1]"], ":2: not a JSON object"),
        (['{"hypothesis": "x"}'], ": 1 lines, but test set test of corpus news has 6 sentences"),
        (["{"], ":1: not JSON (Expecting property name enclosed in double quotes"),
        (['{"hypothesis": "\\u0000"}'], ":1: control character U+0000"),
        (
            [json.dumps({"doc_id": "b/1", "sent_id": number, "hypothesis": ""}) for number in (1, 2)]
            + ['{"doc_id": "a", "hypotheses": [""]}', '{"doc_id": "c", "hypotheses": ["", "", ""]}'],
            ": document b/1 has no sentence 2; sent_id counts from 0",
        ),
    ],
)
def test_faulty_objects_are_one_line(lines: list[str], message: str, tmp_path: Path) -> None:
    path = tmp_path / "gpt.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert fault(path).startswith(f"{path}{message}")


def test_a_file_that_is_no_text_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "gpt.txt"
    path.write_bytes(b"x\n\xff\n")
    assert fault(path).startswith(f"{path}:2: byte 0xff is not UTF-8")
    path.write_bytes(b"x\na\x00\n")
    assert fault(path).startswith(f"{path}:2: control character U+0000")
    assert fault(tmp_path / "absent.txt").startswith(f"{tmp_path}/absent.txt: no such file")
