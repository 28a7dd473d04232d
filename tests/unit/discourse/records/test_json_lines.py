"""Tables to JSON lines and back are equal, whatever the tables hold; a broken object is one line."""

import io
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.json
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import LINE_BYTES, Source
from discourse_nmt.base.storage.tables import NUMBER, NUMBERS, TABLES, TEXT, TEXTS, arrow_table
from discourse_nmt.discourse.records.json_lines import ABOUT, columns, json_line, read_records, schema
from discourse_nmt.discourse.records.record import LAYERS, TWO_SIDED, DocumentRecord, records, table_rows
from discourse_nmt.text.settings import SIDES

LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=8)
NUMBERS_OF_ROWS = st.integers(0, 2**31 - 1)


def row_of(table: str, sentences: int) -> st.SearchStrategy[dict[str, Any]]:
    """A row of a layer: any values of the types of its columns."""
    lists = {NUMBERS: st.lists(NUMBERS_OF_ROWS, max_size=3), TEXTS: st.lists(LINES, max_size=3)}
    values = {TEXT: LINES, NUMBER: NUMBERS_OF_ROWS, **lists}
    numbers = st.integers(0, sentences - 1)
    return st.fixed_dictionaries(
        {
            name: numbers if name.endswith("sent") or name == "sent_id" else values[kind]
            for name, kind in columns(table).items()
        }
    )


@st.composite
def documents(draw: st.DrawFn) -> list[DocumentRecord]:
    """Documents with the same layers."""
    made = draw(st.fixed_dictionaries({side: st.sets(st.sampled_from(LAYERS)) for side in SIDES}))
    found = []
    for number in range(draw(st.integers(1, 3))):
        count = draw(st.integers(1, 3))
        source, target = (draw(st.lists(LINES, min_size=count, max_size=count)) for _ in SIDES)
        layers: dict[str, dict[str, list[dict[str, Any]]]] = {
            side: {table: draw(st.lists(row_of(table, count), max_size=2)) for table in sorted(made[side])}
            for side in SIDES
        }
        pairs = st.lists(st.tuples(NUMBERS_OF_ROWS, NUMBERS_OF_ROWS), max_size=2)
        links = draw(st.none() | st.lists(pairs, min_size=count, max_size=count))
        found.append(DocumentRecord(f"d{number}", source, target, layers, links))
    return found


def source_of(text: str, tmp_path: Path) -> Source:
    path = tmp_path / "documents.jsonl"
    path.write_text(text, encoding="utf-8", newline="")
    return Source(path.name, None, path)


def frames(made: list[DocumentRecord], table: str, side: str) -> pd.DataFrame:
    return pd.DataFrame(list(table_rows(made, table, side)), columns=list(TABLES[table]))


@settings(max_examples=150, deadline=None)
@given(documents())
def test_tables_survive_json_lines(tmp_path_factory: pytest.TempPathFactory, made: list[DocumentRecord]) -> None:
    about = dict.fromkeys(ABOUT, None) | {"corpus": "c", "licence": "CC0"}
    text = "".join(json_line(record, about) + "\n" for record in made)
    read = list(read_records(source_of(text, tmp_path_factory.mktemp("lines"))))
    assert [record for record, _ in read] == made and all(said == about for _, said in read)
    tables: dict[str, dict[str, pd.DataFrame]] = {
        side: {table: frames(made, table, side) for table in made[0].layers[side]} for side in SIDES
    }
    again = list(records(frames(made, "sentences", "source"), tables))
    for side in SIDES:
        for table, frame in tables[side].items():
            back = pd.DataFrame(list(table_rows(again, table, side)), columns=list(TABLES[table]))
            assert arrow_table(back, table).equals(arrow_table(frame, table)), table
    assert [(one.source, one.target) for one in again] == [(one.source, one.target) for one in made]


@settings(max_examples=50, deadline=None)
@given(documents())
def test_objects_have_the_schema(made: list[DocumentRecord]) -> None:
    text = "".join(json_line(record, {}) + "\n" for record in made)
    options = pyarrow.json.ParseOptions(explicit_schema=schema(), unexpected_field_behavior="error")
    table = pyarrow.json.read_json(io.BytesIO(text.encode()), parse_options=options)
    assert table.schema.equals(schema()) and table.num_rows == len(made)
    assert table.to_pylist() == [json.loads(line) for line in text.split("\n")[:-1]]


def test_both_sides_of_a_table_are_told_apart() -> None:
    rows = [
        {"doc_id": "d", "sent_id": 0, "side": side, "tokens": [side], "starts": [0], "ends": [6], "gaps": ["", ""]}
        for side in SIDES
    ]
    sentences = pd.DataFrame([{"doc_id": "d", "sent_id": 0, "source": "source", "target": "target"}])
    [record] = records(sentences, {side: {"tokens": pd.DataFrame(rows)} for side in SIDES})
    assert {table for table in LAYERS if "side" in TABLES[table]} == set(TWO_SIDED)
    assert [record.layer("tokens", side)[0]["tokens"] for side in SIDES] == [["source"], ["target"]]
    assert "side" not in record.layer("tokens")[0] and record.layer("rst") == ()


EDU = {"edu_id": 0, "sent_id": 0, "start": 0, "end": 1}
GOOD: dict[str, Any] = {
    "id": "d", "source": "a\nb", "target": "c\nd",
    "sentences": [{"source": [0, 1], "target": [0, 1]}, {"source": [2, 3], "target": [2, 3]}],
    "layers": {"source": {"edus": [EDU]}},
}  # fmt: skip
BROKEN: list[tuple[str, object]] = [
    ("no object", []),
    ("id is no text", {**GOOD, "id": 7}),
    ("source is no text", {**GOOD, "source": None}),
    ("sentences is no list", {**GOOD, "sentences": 1}),
    ("no span of the text", {**GOOD, "sentences": [{"source": [0, 9], "target": [0, 1]}]}),
    ("no span of the text", {**GOOD, "sentences": [{"source": [0, True], "target": [0, 1]}]}),
    ("layers is no object", {**GOOD, "layers": {"source": 3}}),
    ("no layer trees", {**GOOD, "layers": {"source": {"trees": []}}}),
    ("edus of the source is no list", {**GOOD, "layers": {"source": {"edus": {}}}}),
    ("does not have the keys", {**GOOD, "layers": {"source": {"edus": [{"edu_id": 0}]}}}),
    ("start of a row of edus", {**GOOD, "layers": {"source": {"edus": [{**EDU, "start": "0"}]}}}),
    ("of a sentence that", {**GOOD, "layers": {"source": {"edus": [{**EDU, "sent_id": 2}]}}}),
    ("word_alignment is no list", {**GOOD, "word_alignment": [[[0, 0]]]}),
    ("word_alignment is no list", {**GOOD, "word_alignment": [[[0]], []]}),
    ("licence is no text", {**GOOD, "licence": 3}),
]  # fmt: skip


@pytest.mark.parametrize(("reason", "value"), BROKEN, ids=[reason for reason, _ in BROKEN])
def test_a_broken_object_is_one_line(tmp_path: Path, reason: str, value: object) -> None:
    text = f"{json.dumps(GOOD)}\n\n{json.dumps(value)}\n"
    with pytest.raises(InputError, match=rf"documents.jsonl:3: not a document \(.*{reason}.*discourse-formats"):
        list(read_records(source_of(text, tmp_path)))


def test_what_is_no_json_and_a_second_document_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"documents.jsonl:1: not a document"):
        list(read_records(source_of("{\n", tmp_path)))
    with pytest.raises(InputError, match=r"documents.jsonl:2: document d is also on line 1"):
        list(read_records(source_of(f"{json.dumps(GOOD)}\n{json.dumps(GOOD)}\n", tmp_path)))


def test_the_schema_names_every_column() -> None:
    layer = schema().field("layers").type
    assert {field.name for field in layer} == set(SIDES)
    tables = layer.field("source").type
    assert [field.name for field in tables] == list(LAYERS)
    assert tables.field("edus").type == pa.list_(pa.struct(list(columns("edus").items())))


def test_a_book_is_one_long_line(tmp_path: Path) -> None:
    sentences = ["A sentence of a long book."] * 60_000
    record = DocumentRecord("book", sentences, [""] * len(sentences))
    line = json_line(record, {})
    assert len(line) > LINE_BYTES
    [(read, _)] = read_records(source_of(line, tmp_path))
    assert read.source == sentences
