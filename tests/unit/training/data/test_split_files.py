"""Files written shard by shard have the same bytes for every division into shards, and as if joined in memory."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.training.builders.options import Builder, BuilderOptions
from discourse_nmt.training.data import arrow_files
from discourse_nmt.training.data.arrow_files import write_rows
from discourse_nmt.training.data.dataset import FLAT, ParallelDataset, map_beside, map_rows
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.training.data.split_files import Shards
from discourse_nmt.training.data.split_rows import SplitRows
from discourse_nmt.training.kinds import STRUCTURES, loaded
from tests.unit.training.structures.structure_examples import Tables, generated, sharded, written

SCHEMA = pa.schema(
    [
        pa.field("doc_id", pa.string(), nullable=False),
        pa.field("sent_id", pa.int32(), nullable=False),
        *(
            pa.field(name, pa.large_list(kind), nullable=False)
            for name, kind in {
                "numbers": pa.int32(),
                "short": pa.int16(),
                "tiny": pa.int8(),
                "real": pa.float32(),
                "truth": pa.bool_(),
                "text": pa.string(),
            }.items()
        ),
        pa.field("size", pa.int32(), nullable=False),
    ]
)
DOCUMENTS = st.dictionaries(st.text("ab é€\uffff😀", max_size=3), st.integers(1, 5), max_size=6)


def rows_of(name: str, count: int, generator: np.random.Generator) -> pa.Table:
    """Random rows of a document, some of whose lists and strings are empty."""

    def lists(values: Callable[[int], list]) -> list[list]:
        return [values(int(generator.integers(0, 12)) * int(generator.random() < 0.8)) for _ in range(count)]

    def numbers(size: int) -> list:
        return generator.integers(-100, 100, size).tolist()

    columns = {
        "doc_id": [name] * count,
        "sent_id": list(range(count)),
        **{column: lists(numbers) for column in ("numbers", "short", "tiny")},
        "real": lists(lambda size: generator.normal(size=size).tolist()),
        "truth": lists(lambda size: (generator.random(size) < 0.5).tolist()),
        "text": lists(lambda size: ["é€x"[: generator.integers(0, 4)] for _ in range(size)]),
        "size": numbers(count),
    }
    return pa.table(columns, schema=SCHEMA)


@settings(max_examples=50, deadline=None)
@given(DOCUMENTS, st.integers(0, 1000), st.none() | st.just({"key": "value"}), st.data())
def test_rows_in_any_parts_are_those_of_a_join_in_memory(
    tmp_path_factory: pytest.TempPathFactory,
    documents: dict[str, int],
    seed: int,
    metadata: dict[str, str] | None,
    drawn: st.DataObject,
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    generator = np.random.default_rng(seed)
    tables = {name: rows_of(name, count, generator) for name, count in documents.items()}
    literal = pa.concat_tables([SCHEMA.empty_table(), *(tables[name] for name in sorted(tables))])
    write_rows(literal.replace_schema_metadata(metadata), folder / "literal")

    rows = SplitRows(SCHEMA, folder / "parts")
    for group in drawn.draw(st.permutations(cut(drawn, sorted(tables)))):
        rows.add(pa.concat_tables([SCHEMA.empty_table(), *(tables[name] for name in group)]))
    assert rows.documents == sorted(tables)
    rows.write(metadata)

    assert (folder / "parts").read_bytes() == (folder / "literal").read_bytes()
    assert map_rows(folder / "parts", SCHEMA, "file").equals(literal)
    assert sorted(path.name for path in folder.iterdir()) == ["literal", "parts"]


def test_text_of_more_than_2_gib_in_a_column_becomes_large_strings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [rows_of(name, 3, np.random.default_rng(1)) for name in ("a", "b")]
    monkeypatch.setattr(arrow_files, "STRING_BYTES", 5)
    rows = SplitRows(SCHEMA, tmp_path / "rows")
    for table in tables:
        rows.add(table)
    rows.write({"key": "value"})
    table = map_rows(tmp_path / "rows", SCHEMA, "file")
    assert table.schema.metadata == {b"key": b"value"}
    assert table.schema.field("doc_id").type == pa.large_string()
    assert table.schema.field("text").type == pa.large_list(pa.field("item", pa.large_string()))
    assert table.cast(SCHEMA).equals(pa.concat_tables(tables))


def edges(tokens: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Random edges between words of one document."""
    generator = np.random.default_rng(seed)
    words = tokens[tokens["side"] == "source"]
    found = []
    for doc_id, sentences in words.groupby("doc_id"):
        counts = dict(zip(sentences["sent_id"], sentences["tokens"].map(len)))
        for _ in range(10):
            ends = [
                (sent_id, int(generator.integers(counts[sent_id]))) for sent_id in generator.choice(list(counts), 2)
            ]
            found.append((doc_id, str(generator.choice(RELATIONS)), *ends[0], *ends[1]))
    columns = ["doc_id", "relation", "from_sent", "from_token", "to_sent", "to_token"]
    return pd.DataFrame(found, columns=columns)


KINDS = [name for name, kind in STRUCTURES.items() if kind.builder]


def build(kind: str, dataset: ParallelDataset, shards: Shards, path: Path) -> None:
    """Write a structure file of this kind."""
    builder: Builder = loaded(STRUCTURES[kind].builder)
    builder(dataset, shards, path, BuilderOptions(language="en"))


def split(folder: Path, seed: int) -> tuple[ParallelDataset, Tables]:
    frame, tables = generated(seed, documents=5, sentences=20)
    tables |= {"subwords": frame, "document_graph": edges(tables["tokens"], seed)}
    drafts = {f"draft_{name}": tables[name] for name in ("tokens", "subwords", "document_graph")}
    return written(folder, frame), tables | drafts


def cut(drawn: st.DataObject, names: Sequence[str]) -> list[list[str]]:
    """The documents in groups, in any order; a group may be empty."""
    numbers = [drawn.draw(st.integers(0, 3)) for _ in names]
    return [[name for name, number in zip(names, numbers) if number == group] for group in range(4)]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8, deadline=None)
@given(st.integers(0, 1000), st.data())
def test_no_cut_and_order_of_shards_changes_a_byte(
    tmp_path_factory: pytest.TempPathFactory, kind: str, seed: int, drawn: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("split")
    dataset, tables = split(folder, seed)
    build(kind, dataset, [tables], folder / "whole")
    shards = drawn.draw(st.permutations(sharded(tables, cut(drawn, dataset.names.tolist()))))
    build(kind, dataset, shards, folder / "shards")
    assert (folder / "shards").read_bytes() == (folder / "whole").read_bytes()
    assert len(map_rows(folder / "whole", pa.ipc.open_file(folder / "whole").schema, kind)) == len(dataset)


@pytest.mark.parametrize("kind", KINDS)
def test_files_beside_a_dataset_with_large_ids_hold_the_same(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset, tables = split(tmp_path, 1)
    build(kind, dataset, [tables], tmp_path / "file")
    monkeypatch.setattr(arrow_files, "STRING_BYTES", 0)
    larger = split(tmp_path, 1)[0]
    assert larger.table.schema.field("doc_id").type == pa.large_string()
    assert larger.names.tolist() == dataset.names.tolist()
    build(kind, larger, sharded(tables, [larger.names.tolist()[:2], larger.names.tolist()[2:]]), tmp_path / "larger")
    columns = pa.ipc.open_file(tmp_path / "file").schema.remove_metadata()
    for path, of in ((tmp_path / "file", larger), (tmp_path / "larger", larger)):
        assert map_beside(path, of, columns, kind).cast(columns).equals(map_rows(tmp_path / "file", columns, kind))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.data())
def test_the_dataset_is_that_of_a_join_in_memory(
    tmp_path_factory: pytest.TempPathFactory, seed: int, drawn: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("split")
    frame, _ = generated(seed)
    groups = cut(drawn, sorted(frame["doc_id"].unique()))
    write_dataset([frame[frame["doc_id"].isin(group)] for group in groups], folder / "shards")
    sides = [frame[frame["side"] == side].sort_values(["doc_id", "sent_id"]) for side in ("source", "target")]
    columns: dict[str, pa.Array] = {name: pa.array(sides[0][name]) for name in ("doc_id", "sent_id")}
    for side, rows in zip(("source", "target"), sides):
        columns[f"{side}_ids"] = pa.array(rows["ids"], FLAT)
        columns[f"{side}_words"] = pa.array(rows["word_of_subword"], FLAT)
    data = ParallelDataset(folder / "shards")
    metadata = {
        f"largest_{side}_id": str(max(map(max, rows["ids"]))) for side, rows in zip(("source", "target"), sides)
    }
    write_rows(pa.table(columns, data.table.schema).replace_schema_metadata(metadata), folder / "literal")
    assert (folder / "shards").read_bytes() == (folder / "literal").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_missing_and_repeated_documents_are_errors(tmp_path: Path, kind: str) -> None:
    dataset, tables = split(tmp_path, 1)
    shards = sharded(tables)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match="document doc1, sentence 0: the document occurs twice in the split"):
        build(kind, dataset, [*shards, shards[0]], tmp_path / "file")
    with pytest.raises(InputError, match="table tokens: its sentences are not those of the dataset"):
        build(kind, dataset, shards[1:], tmp_path / "file")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_split_and_no_shard_at_all(tmp_path: Path, kind: str) -> None:
    _, tables = split(tmp_path, 1)
    dataset = written(tmp_path, tables["subwords"].iloc[:0])
    empty = {name: table.iloc[:0] for name, table in tables.items()}
    for name, shards in {"none": [], "one": [empty], "two": [empty, empty]}.items():
        build(kind, dataset, shards, tmp_path / name)
    assert (tmp_path / "none").read_bytes() == (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_part_of_a_dataset_has_the_rows_of_its_documents(tmp_path: Path) -> None:
    dataset, _ = split(tmp_path, 2)
    part = dataset.of(["doc3", "unknown", "doc1", "doc3"])
    assert part.names.tolist() == ["doc1", "doc3"]
    wanted = [row for row in range(len(dataset)) if dataset.document(row) in ("doc1", "doc3")]
    assert part.table.to_pylist() == dataset.table.take(wanted).to_pylist()
    assert part.source.sentences() == [dataset.source.sentences()[row] for row in wanted]
    assert (part.source.largest, part.path) == (dataset.source.largest, dataset.path)
    assert len(dataset.of([])) == 0 and dataset.of([]).documents.tolist() == [0]
