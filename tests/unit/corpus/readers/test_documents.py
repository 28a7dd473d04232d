"""Texts of documents whose sentences are not aligned: units, sentences, gaps and quality."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.importing.checks import check_fields
from discourse_nmt.corpus.importing.importing import Imported, import_corpus
from discourse_nmt.corpus.importing.plan import plan
from discourse_nmt.corpus.importing.tables import sentences_table
from discourse_nmt.sentence_alignment.unaligned import LearningAligner
from tests.unit.corpus.importing.corpus_samples import put, settings

NOUNS = {"cat": "Katze", "dog": "Hund", "house": "Haus", "garden": "Garten", "river": "Fluss", "road": "Weg"}
VERBS = {"sees": "sieht", "finds": "findet", "likes": "mag", "leaves": "verlässt"}
LINES = [
    (f"The {noun} {verb} the {other}.", f"Ein {NOUNS[noun]} {VERBS[verb]} {NOUNS[other]}.")
    for noun in NOUNS
    for verb in VERBS
    for other in NOUNS
    if noun != other
]
WITHOUT_SPLITTERS: dict[str, Any] = {"split_sentences": False}


def text(pairs: list[tuple[str, str]], side: int, between: str = "\n") -> str:
    return between.join(pair[side] for pair in pairs) + "\n"


def folders(folder: Path, sides: dict[str, tuple[str, str]], suffix: str = ".txt", **options: Any) -> dict[str, Any]:
    """Two folders with a file of each document; None is a file that is not there."""
    for name, texts in sides.items():
        for language, content in zip(("en", "de"), texts):
            if content is not None:
                put(folder / language / f"{name}{suffix}", content)
    patterns = {side: [f"{folder}/{name}/*{suffix}"] for side, name in (("source", "en"), ("target", "de"))}
    return settings("documents", patterns, options=options)


def imported(values: dict[str, Any]) -> Imported:
    return import_corpus(plan(values), aligner=LearningAligner())


def documents_of(values: dict[str, Any]) -> list[Document]:
    return list(imported(values).documents["train"])


def pairs_of(document: Document) -> list[tuple[str, str]]:
    return list(zip(document.source.sentences, document.target.sentences))


def test_sentences_of_two_folders_are_aligned_and_gaps_are_counted(tmp_path: Path) -> None:
    first, second = LINES[:60], LINES[60:]
    second[7] = (text(LINES[:4], 0, " ").strip().replace(". ", ", "), "Lang.")
    sides = {
        "one": (text([*first[:20], *first[21:]], 0), text(first, 1)),
        "two": (text(second, 0, " "), text([*second[:7], *second[8:]], 1, " ")),
    }
    done = imported(folders(tmp_path, sides))
    one, two = done.documents["train"]
    assert (one.doc_id, two.doc_id) == ("one", "two")
    assert pairs_of(one) == [*first[:20], *first[21:]]
    assert pairs_of(two) == [*second[:7], *second[8:]]
    assert [(drop.doc_id, drop.reason, drop.text, drop.between) for drop in done.drops["train"]] == [
        ("one", "target sentence without a source", first[20][1], True),
        ("two", "source sentence without a translation", second[7][0], True),
    ]
    assert one.quality is not None and min(one.quality) > 0.9
    table = sentences_table([one])
    assert table["quality"].tolist() == one.quality


def test_what_does_not_fit_has_a_low_quality_and_may_be_left_out(tmp_path: Path) -> None:
    pairs = [*LINES]
    pairs[30] = ("Entirely unrelated words stand in here.", "Zwölf Boxkämpfer jagen Viktor quer über.")
    values = folders(tmp_path, {"one": (text(pairs, 0), text(pairs, 1))})
    [document] = documents_of(values)
    assert document.quality is not None
    [place] = [number for number, pair in enumerate(pairs_of(document)) if pair == pairs[30]]
    assert document.quality[place] == min(document.quality) < 0.4
    values["options"] = {"least_quality": 0.4}
    done = imported(values)
    assert pairs[30] not in pairs_of(done.documents["train"][0])
    assert [(drop.reason, drop.text) for drop in done.drops["train"]] == [("least_quality", pairs[30][0])]


def test_paragraphs_go_on_over_line_ends(tmp_path: Path) -> None:
    source = "The cat\nsees the dog.\n\n\nThe dog likes\nthe cat.\n"
    target = "Ein Hund\nist da.\n\nDer mag\ndie Katze.\n"
    [document] = documents_of(folders(tmp_path, {"a": (source, target)}, units="paragraphs", **WITHOUT_SPLITTERS))
    assert document.source.sentences == ["The cat sees the dog.", "The dog likes the cat."]
    assert document.source.lines == [1, 5] and document.target.lines == [1, 4]


def test_units_that_are_not_divided_are_aligned(tmp_path: Path) -> None:
    pairs = [(f"{one[0]} {two[0]}", f"{one[1]} {two[1]}") for one, two in zip(LINES[::2], LINES[1::2])]
    values = folders(tmp_path, {"a": (text(pairs, 0), text(pairs, 1))}, **WITHOUT_SPLITTERS)
    assert plan(values).splits_sentences  # which loads the aligner
    [document] = documents_of(values)
    assert pairs_of(document) == pairs
    values["options"] = {}
    assert pairs_of(documents_of(values)[0]) == LINES


def test_pages_without_ids_are_aligned_by_their_blocks(tmp_path: Path) -> None:
    def page(side: int) -> str:
        items = "".join(f"<li>{pair[side]}</li>\n" for pair in LINES[1:9])
        code = '<p class="code">x = 1</p>' if side else "<p> </p>"
        text = f'<div id="text"><h1>{LINES[0][side]}</h1>{code}<ul>\n{items}</ul></div>'
        return f"<html><body><p>Menu</p>{text}</body></html>\n"

    values = folders(tmp_path, {"a": (page(0), page(1))}, ".html", skip_classes=["code"], container="text")
    [document] = documents_of(values)
    assert pairs_of(document) == LINES[:9]
    assert document.source.lines[1:4] == [2, 3, 4]


def test_a_compressed_page_is_a_page(tmp_path: Path) -> None:
    put(tmp_path / "en" / "a.html.gz", "<p>One.</p>")
    put(tmp_path / "de" / "a.htm", "<p>Eins.</p>")
    manifest = put(tmp_path / "pairs.TSV", "en/a.html.gz\tde/a.htm\n")
    [document] = documents_of(settings("documents", {"files": [manifest]}))
    assert pairs_of(document) == [("One.", "Eins.")]


def test_documents_of_one_side_are_counted(tmp_path: Path) -> None:
    sides: dict[str, Any] = {"a": (text(LINES[:3], 0), text(LINES[:3], 1)), "b": ("Alone.\n", None), "c": ("\n", "x\n")}
    done = imported(folders(tmp_path, sides))
    assert [document.doc_id for document in done.documents["train"]] == ["a"]
    dropped = [(drop.doc_id, drop.reason, drop.sentences) for drop in done.drops["train"]]
    assert dropped == [("b", "document on one side only", 1), ("c", "document on one side only", 1)]


def test_equal_sides_may_be_left_out(tmp_path: Path) -> None:
    pairs = [LINES[0], ("CTRL+C", "CTRL+C"), LINES[1]]
    values = folders(tmp_path, {"a": (text(pairs, 0), text(pairs, 1))}, equal_sides=False)
    done = imported(values)
    assert pairs_of(done.documents["train"][0]) == LINES[:2]
    assert [(drop.reason, drop.between) for drop in done.drops["train"]] == [("equal sides", True)]
    values["options"] = {}
    assert pairs_of(imported(values).documents["train"][0]) == pairs


def test_a_manifest_names_the_files(tmp_path: Path) -> None:
    put(tmp_path / "x" / "a.en", text(LINES[:4], 0))
    put(tmp_path / "y.de.gz", text(LINES[:4], 1))
    manifest = put(tmp_path / "pairs.tsv", "x/a.en\ty.de.gz\n\n")
    [document] = documents_of(settings("documents", {"files": [manifest]}))
    assert document.doc_id == "x/a.en" and pairs_of(document) == LINES[:4]
    assert document.target.file == str(tmp_path / "y.de.gz")
    put(tmp_path / "x" / "b.en", "x")
    put(tmp_path / "pairs.tsv", "x/*.en\ty.de.gz\n")
    with pytest.raises(InputError, match=r"pairs.tsv:1: a path stands for several files; write on each line"):
        documents_of(settings("documents", {"files": [manifest]}))


def test_objects_hold_the_texts(tmp_path: Path) -> None:
    objects = [
        {"doc_id": "a", "source": text(LINES[:4], 0), "target": text(LINES[:4], 1)},
        {"source": text(LINES[4:9], 0), "target": text(LINES[4:9], 1)},
    ]
    file = put(tmp_path / "texts.jsonl", "".join(json.dumps(one) + "\n" for one in objects))
    first, second = documents_of(settings("documents", {"files": [file]}))
    assert (first.doc_id, second.doc_id) == ("a", "train-1-2")
    assert pairs_of(second) == LINES[4:9] and second.source.lines == [2] * 5


def test_texts_count_rather_than_other_fields(tmp_path: Path) -> None:
    one = {"source": LINES[0][0], "target": LINES[0][1], "annotations": [{"author": "x"}]}
    [document] = documents_of(settings("documents", {"files": [put(tmp_path / "a.jsonl", json.dumps(one) + "\n")]}))
    assert pairs_of(document) == LINES[:1]


def test_rows_of_dochplt_are_documents(tmp_path: Path) -> None:
    """Its sentences of one side alone are in lists, too."""
    lists = [{"src": [source], "tgt": [target], "aligner-score": 0.9} for source, target in LINES[:9]]
    lists[3]["src"] = []
    pq.write_table(pa.table({"doc": [lists, lists]}), tmp_path / "train.parquet")
    json_lines = put(tmp_path / "train.jsonl", json.dumps({"doc": lists}) + "\n")
    done = imported(settings("documents", {"files": [str(tmp_path / "train.parquet"), json_lines]}))
    documents = list(done.documents["train"])
    assert [document.doc_id for document in documents] == ["train-1-1", "train-1-2", "train-2-1"]
    assert all(pairs_of(document) == [*LINES[:3], *LINES[4:9]] for document in documents)
    assert {drop.text for drop in done.drops["train"]} == {LINES[3][1]}


def test_a_document_is_never_read_as_a_sentence(tmp_path: Path) -> None:
    whole = {"doc_id": "a", "source": "One.\n\nTwo.", "target": "Eins.\n\nZwei."}
    file = put(tmp_path / "a.jsonl", json.dumps(whole) + "\n")
    way = "read texts of documents with the format documents, or wmt_jsonl, which divide and align them"
    with pytest.raises(InputError, match=rf"a.jsonl:1: column source holds a text of 2 paragraphs, not a sen.*; {way}"):
        import_corpus(plan(settings("table", {"files": [file]}, options={"layout": "jsonl"})))
    rows = [f"{number}\t{text(LINES[:10], 0, ' ').strip()}\t{text(LINES[:10], 1, ' ')}" for number in range(3)]
    table = put(tmp_path / "a.tsv", "doc_id\tsource\ttarget\n" + "".join(rows))
    with pytest.raises(InputError, match=rf"a.tsv:4: half of the fields up to here hold 10 sentences or more; {way}"):
        import_corpus(plan(settings("table", {"files": [table]})))
    few = [row.replace(text(LINES[:10], 0, " ").strip(), LINES[0][0]) for row in rows[1:]]
    put(tmp_path / "a.tsv", "doc_id\tsource\ttarget\n" + rows[0] + "".join(few))
    assert len(import_corpus(plan(settings("table", {"files": [table]}))).documents["train"]) == 3


@pytest.mark.parametrize(
    ("long", "short", "sentences", "refused"), [(2, 2, 10, True), (2, 3, 10, False), (4, 0, 9, False), (4, 0, 11, True)]
)
@pytest.mark.parametrize("sentence", ["The cat.", "यह घर है।", "هل هذا بيت؟"])
def test_half_of_the_fields_are_texts_of_ten_sentences(
    long: int, short: int, sentences: int, refused: bool, sentence: str
) -> None:
    documents = []
    for number, count in enumerate([sentences] * long + [1] * short):
        document = Document.start(str(number), "a", "a")
        document.add(" ".join([sentence] * count), "x", number + 1)
        documents.append(document)
    with pytest.raises(InputError) if refused else nullcontext():
        assert list(check_fields(documents)) == documents
