"""ParaDocs: which lines become which documents, as the authors' program has it."""

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.importing.importing import Imported, import_corpus
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.readers.paradocs import FIELDS
from tests.unit.corpus.importing.corpus_samples import put, settings

Row = dict[str, str]


def row(text: str, document: str = "d1", start: int = 0, end: int = 1, **fields: str) -> Row:
    values = dict.fromkeys(FIELDS, "1") | {"src": text, "tgt": text.upper(), "src_docid": document, "tgt_docid": "t"}
    return values | {"src_start_id": str(start), "src_end_id": str(end)} | fields


def imported(folder: Path, rows: list[Row], **options: Any) -> Imported:
    text = "".join("\t".join(fields[name] for name in FIELDS) + "\n" for fields in rows)
    split = {"files": [put(folder / "part.gz", text)]}
    return import_corpus(plan(settings("paradocs", split, options=options, filters={"splits": []})))


def texts(found: Imported) -> dict[str, list[str]]:
    return {document.doc_id: document.source.sentences for document in found.documents["train"]}


def test_consecutive_lines_of_a_document_are_one_piece(tmp_path: Path) -> None:
    rows = [row("a", "d1", 0, 3), row("b", "d1", 5, 7), row("c", "d1", 10, 12), row("e", "d1", 12, 14), row("f", "d2")]
    found = imported(tmp_path, rows)
    assert texts(found) == {"train-1+0": ["a", "b"], "train-1+1": ["c", "e"]}
    assert [document.target.sentences for document in found.documents["train"]] == [["A", "B"], ["C", "E"]]
    assert [(drop.reason, drop.sentences) for drop in found.drops["train"]] == [("least_sentences", 1)]


def test_the_other_language_may_be_the_source(tmp_path: Path) -> None:
    assert texts(imported(tmp_path, [row("a"), row("b")], swap=True)) == {"train-1+0": ["A", "B"]}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"src_paragraph_id": "None"}, "place in the document not known"),
        ({"duplication_count": "101"}, "most_duplicates"),
        ({"tgt_lid_prob": "0.49"}, "least_language"),
        ({"tgt": " "}, "empty sentence"),
    ],
)
def test_a_line_that_is_not_fit_ends_a_piece_and_is_counted(fields: Row, reason: str, tmp_path: Path) -> None:
    found = imported(tmp_path, [row("a"), row("b"), row("c") | fields, row("e"), row("f")])
    assert list(texts(found).values()) == [["a", "b"], ["e", "f"]]
    assert [(drop.reason, drop.line, drop.text) for drop in found.drops["train"]] == [(reason, 3, "c")]


@pytest.mark.parametrize(
    "place",
    [f"{side}_{name}" for side in ("src", "tgt") for name in ("paragraph_id", "sentence_id", "start_id", "end_id")],
)
def test_a_line_without_one_of_its_places_ends_a_piece(place: str, tmp_path: Path) -> None:
    found = imported(tmp_path, [row("a"), row("b"), row("c") | {place: "None"}, row("e"), row("f")])
    assert list(texts(found).values()) == [["a", "b"], ["e", "f"]]


def test_lines_at_the_limits_are_fit(tmp_path: Path) -> None:
    limits = {"duplication_count": "100", "src_lid_prob": "0.5", "sim_score_two": "0.5"}
    rows = [row("a") | limits, row("b") | limits]
    assert list(texts(imported(tmp_path, rows, least_similarity=0.5)).values()) == [["a", "b"]]


def test_another_target_document_begins_a_piece(tmp_path: Path) -> None:
    rows = [row("a"), row("b"), row("c") | {"tgt_docid": "u"}, row("e") | {"tgt_docid": "u"}]
    assert list(texts(imported(tmp_path, rows)).values()) == [["a", "b"], ["c", "e"]]


def test_documents_are_numbered_through_all_files(tmp_path: Path) -> None:
    files = []
    for number in (1, 2):
        lines = ["\t".join(row(text, f"d{number}")[name] for name in FIELDS) + "\n" for text in "ab"]
        files.append(put(tmp_path / f"part{number}", "".join(lines)))
    found = import_corpus(plan(settings("paradocs", {"files": files}, filters={"splits": []})))
    assert list(texts(found)) == ["train-1+0", "train-2+0"]


def test_dissimilar_pieces_are_left_out(tmp_path: Path) -> None:
    rows = [row("a", sim_score_two="0.4"), row("b", sim_score_two="0.8"), row("c", "d2"), row("e", "d2")]
    assert list(texts(imported(tmp_path, rows, least_similarity=0.7)).values()) == [["c", "e"]]


def literal(rows: list[Row]) -> list[list[str]]:
    """The pieces by the rules, each written down for pairs of neighbours."""

    def fit(fields: Row) -> bool:
        return int(fields["duplication_count"]) <= 100 and float(fields["src_lid_prob"]) >= 0.5

    pieces: list[list[str]] = [[]]
    for before, fields in pairwise([row("", "none", duplication_count="1000"), *rows]):
        gap = int(fields["src_start_id"]) - int(before["src_end_id"])
        joined = fit(before) and before["src_docid"] == fields["src_docid"] and gap <= 2
        if not joined:
            pieces.append([])
        if fit(fields):
            pieces[-1].append(fields["src"])
    return [piece for piece in pieces if len(piece) >= 2]


def test_pieces_are_those_of_a_literal_reading(tmp_path: Path) -> None:
    draw = random.Random(1)
    for trial in range(20):
        rows, end = [], 0
        for number in range(40):
            start = end + draw.choice([1, 2, 2, 3])
            end = start + 5
            fields = {
                "duplication_count": draw.choice(["1", "1", "1", "500"]),
                "src_lid_prob": draw.choice(["1", "0.9", "0.1"]),
            }
            rows.append(row(f"s{number}", f"d{number // 9}", start, end, **fields))
        if expected := literal(rows):
            assert list(texts(imported(tmp_path / str(trial), rows)).values()) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [("a\tb\n", r"part:1: 2 tab-separated fields, not 18"), ("\t".join(["x"] * 18) + "\n", r"part:1: invalid literal")],
)
def test_other_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    split = {"files": [put(tmp_path / "part", text)]}
    with pytest.raises(InputError, match=message):
        import_corpus(plan(settings("paradocs", split)))
