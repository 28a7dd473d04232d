"""Outputs of other systems: lines of sentences and texts of documents are told apart by their form."""

import json
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.outputs import Output, read_output

LENGTHS = {"b/1": 2, "a": 1, "c": 3}  # not in alphabetical order
TEXTS = {"b/1": "Eins. Zwei.", "a": "Drei.", "c": "Vier.\n\nFünf \u2028 sechs."}
SENTENCES = {"b/1": ["Eins.", "Zwei."], "a": [""], "c": ["Vier.", "Fünf.", "Sechs."]}


def read(path: Path | str, lengths: dict[str, int] | None = None) -> Output:
    return read_output(str(path), LENGTHS if lengths is None else lengths, "test set test")


def objects(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def of_documents(texts: dict[str, str]) -> list[dict[str, Any]]:
    return [{"doc_id": name, "hypothesis": text} for name, text in texts.items()]


def test_an_object_for_each_document_has_its_text(tmp_path: Path) -> None:
    rows = of_documents(dict(reversed(TEXTS.items())))
    found = read(objects(tmp_path / "gpt.jsonl", *rows))
    assert found == Output(texts=TEXTS) and list(found.texts) == list(LENGTHS)


def test_marks_of_paragraphs_are_line_ends_and_control_characters_are_blanks(tmp_path: Path) -> None:
    marked = {**TEXTS, "c": '<p class="a">Vier.</P><br/>Fünf\t\x1f<pre>\rsechs.'}
    assert read(objects(tmp_path / "gpt.jsonl", *of_documents(marked))).texts["c"] == "\nVier.\n\nFünf\t <pre> sechs."


@pytest.mark.parametrize(
    "rows",
    [
        [{"doc_id": name, "hypotheses": texts} for name, texts in SENTENCES.items()],
        [
            {"doc_id": name, "sent_id": number, "hypothesis": text}
            for name, texts in SENTENCES.items()
            for number, text in enumerate(texts)
        ],
        [{"doc_id": name, "hypothesis": text} for name, texts in SENTENCES.items() for text in texts],
        [{"hypothesis": text} for texts in SENTENCES.values() for text in texts],
    ],
)
def test_objects_of_sentences_are_no_texts(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    assert read(objects(tmp_path / "gpt.jsonl", *rows)) == Output(sentences=SENTENCES)


def test_documents_of_one_sentence_have_lines(tmp_path: Path) -> None:
    path = objects(tmp_path / "gpt.jsonl", *of_documents({"a": "Ja.", "b": "Nein. Doch."}))
    assert read(path, {"a": 1, "b": 1}) == Output(sentences={"a": ["Ja."], "b": ["Nein. Doch."]})


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({**TEXTS, "d": "Neu."}, "gpt.jsonl:4: no document d in test set test; its documents are b/1, a, c"),
        ({"b/1": "Eins.", "c": "Zwei."}, "gpt.jsonl: no translation of document a of test set test"),
        ({**TEXTS, "c": "Vier.\nFünf\0."}, "gpt.jsonl:3: control character U+0000; is this a text file?"),
    ],
)
def test_objects_that_do_not_fit_are_one_line(texts: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(objects(tmp_path / "gpt.jsonl", *of_documents(texts)))
    assert str(caught.value).endswith(message)


def test_files_of_documents_are_texts_where_one_has_another_number_of_lines(tmp_path: Path) -> None:
    for name, texts in SENTENCES.items():
        path = tmp_path / f"{name}.de"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    assert read(f"{tmp_path}/**/*.de") == Output(sentences=SENTENCES)
    (tmp_path / "c.de").write_text("Vier. Fünf.\n\nSechs.\nSieben.\n", encoding="utf-8")
    assert read(f"{tmp_path}/**/*.de") == Output(
        texts={"b/1": "Eins.\nZwei.", "a": "", "c": "Vier. Fünf.\n\nSechs.\nSieben."}
    )


def test_blank_lines_divide_the_texts_of_one_file(tmp_path: Path) -> None:
    path = tmp_path / "gpt.txt"
    path.write_text("\nEins. Zwei.\n\n \nDrei.\n\nVier.\nFünf.\nSechs.\n", encoding="utf-8")
    assert read(path) == Output(texts={"b/1": "Eins. Zwei.", "a": "Drei.", "c": "Vier.\nFünf.\nSechs."})
    path.write_text("Eins.\nZwei.\n\nVier.\nFünf.\nSechs.\n", encoding="utf-8")
    assert read(path) == Output(sentences=SENTENCES)


@pytest.mark.parametrize(
    ("text", "lengths"), [("Eins. Zwei.\n\nDrei.\n", LENGTHS), ("Eins.\nZwei.\nDrei.\n", {"a": 2})]
)
def test_other_numbers_of_blocks_and_lines_fit_nothing(text: str, lengths: dict[str, int], tmp_path: Path) -> None:
    path = tmp_path / "gpt.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"3 lines, but test set test has \d sentences; write a line for each"):
        read(path, lengths)
