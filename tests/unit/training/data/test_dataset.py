"""Datasets: subwords of all shards in document order, memory-mapped, and their padded batches."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.spans import ranges
from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.training.data.arrow_files import write_rows
from discourse_nmt.training.data.collation import collate
from discourse_nmt.training.data.dataset import SCHEMA, ParallelDataset
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.training.data.units import Units, paragraphs, sentences
from tests.unit.training.run.training_toy import dataset, subwords


def rows_of(frame: pd.DataFrame) -> dict[tuple[str, int, str], tuple[list[int], list[int]]]:
    columns = (frame[name] for name in ("doc_id", "sent_id", "side", "ids", "word_of_subword"))
    return {(doc, sent, side): (ids.tolist(), words.tolist()) for doc, sent, side, ids, words in zip(*columns)}


def opened(shards: list[pd.DataFrame], folder: Path) -> ParallelDataset:
    write_dataset(shards, folder / "x.arrow")
    return ParallelDataset(folder / "x.arrow")


def test_shards_are_merged_in_document_order(tmp_path: Path) -> None:
    frame = subwords([3, 1, 4, 2])
    shuffled = frame.sample(frac=1, random_state=1)
    shards = [shuffled[shuffled.doc_id.isin(names)] for names in (["doc002", "doc000"], ["doc003", "doc001"])]
    data = opened(shards, tmp_path)
    expected = rows_of(frame)
    keys = sorted({key[:2] for key in expected})
    assert [(data.document(row), data.table["sent_id"][row].as_py()) for row in range(len(data))] == keys
    for row, key in enumerate(keys):
        for name, side in (("source", data.source), ("target", data.target)):
            span = slice(side.offsets[row], side.offsets[row + 1])
            assert (side.ids[span].tolist(), side.words[span].tolist()) == expected[(*key, name)]
    assert data.documents.tolist() == [0, 3, 4, 8, 10]
    assert data.source.largest == max(max(ids) for ids, _ in expected.values())


def test_order_and_cut_of_shards_change_no_byte(tmp_path: Path) -> None:
    frame = subwords([3, 1, 4])
    halves = [frame[frame.doc_id == "doc001"], frame[frame.doc_id != "doc001"]]
    for number, shards in enumerate(([frame], halves, halves[::-1])):
        write_dataset(shards, tmp_path / f"{number}.arrow")
    assert len({(tmp_path / f"{number}.arrow").read_bytes() for number in range(3)}) == 1


def test_an_empty_shard_and_an_empty_split(tmp_path: Path) -> None:
    frame = subwords([2])
    assert len(opened([frame.iloc[:0], frame], tmp_path)) == 2
    empty = opened([frame.iloc[:0]], tmp_path)
    assert len(empty) == 0
    assert empty.documents.tolist() == [0]
    assert len(sentences(empty.documents)) == len(paragraphs(empty.documents)) == 0


def test_a_million_sentences_open_without_being_read(tmp_path: Path) -> None:
    count = 1_000_000
    offsets = pa.array(np.arange(count + 1, dtype=np.int64) * 3)
    lists = pa.LargeListArray.from_arrays(offsets, pa.array(np.arange(3 * count, dtype=np.int32) % 99))
    numbers = np.arange(count, dtype=np.int32)
    names = pa.DictionaryArray.from_arrays(numbers // 100, pa.array([f"{n:05d}" for n in range(count // 100)]))
    table = pa.table([names.cast(pa.string()), numbers % 100, *[lists] * 4], schema=SCHEMA)
    write_rows(
        table.replace_schema_metadata(dict.fromkeys(("largest_source_id", "largest_target_id"), "98")),
        tmp_path / "x.arrow",
    )
    del table, lists, names
    before = pa.total_allocated_bytes()
    data = ParallelDataset(tmp_path / "x.arrow")
    size = (tmp_path / "x.arrow").stat().st_size
    assert pa.total_allocated_bytes() - before < 0.05 * size
    assert not any(array.flags.owndata for side in (data.source, data.target) for array in (side.ids, side.offsets))
    assert len(data.documents) == count // 100 + 1
    assert data.source.ids[-1] == (3 * count - 1) % 99


def shorten_words(frame: pd.DataFrame) -> pd.DataFrame:
    words = list(frame["word_of_subword"])
    words[2] = words[2][1:]
    return frame.assign(word_of_subword=words)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop(index=3), "document doc000, sentence 1: one side is missing"),
        (lambda frame: pd.concat([frame, frame.iloc[:2]]), "document doc000, sentence 0 occurs twice"),
        (lambda frame: frame.assign(side="middle"), "neither source nor target"),
        (shorten_words, "document doc000, sentence 1: not one word for each source subword"),
    ],
)
def test_faulty_subwords_are_told(change: Callable[[pd.DataFrame], pd.DataFrame], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        opened([change(subwords([3, 2]))], tmp_path)


def test_a_document_in_two_shards_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="document doc000, sentence 0: the document occurs twice"):
        opened([subwords([2]), subwords([1])], tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [None, b"", b"ARROW1 not really", "cut"])
def test_unreadable_datasets_are_told(tmp_path: Path, content: bytes | str | None) -> None:
    path = dataset(tmp_path, [3]).path
    if content is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-40] if isinstance(content, str) else content)
    with pytest.raises(InputError, match=r"train\.arrow: (not a readable dataset|cannot be read) \("):
        ParallelDataset(path)


def test_another_arrow_file_is_told(tmp_path: Path) -> None:
    table = pa.table({"doc_id": ["a"]})
    with pa.ipc.new_file(str(tmp_path / "x.arrow"), table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(InputError, match="other columns"):
        ParallelDataset(tmp_path / "x.arrow")


def test_ranges() -> None:
    assert ranges(np.array([4, 0, 7]), np.array([6, 0, 10])).tolist() == [4, 5, 7, 8, 9]


def test_batches_are_those_of_a_literal_loop(tmp_path: Path) -> None:
    data = dataset(tmp_path, [5, 7, 1])
    units = Units(np.array([0, 3, 8, 12]), np.array([3, 5, 11, 13]))
    batch = collate(data, units, np.array([2, 0, 3]))
    rows = [8, 9, 10, 0, 1, 2, 12]
    assert batch.rows.tolist() == rows
    assert batch.units.tolist() == [0, 0, 0, 1, 1, 1, 2]
    for side, tensors in (
        ("source", [batch.source_ids]),
        ("target", [batch.target_input, batch.target_output]),
    ):
        flat = getattr(data, side)
        sequences = [flat.ids[flat.offsets[row] : flat.offsets[row + 1]].tolist() for row in rows]
        longest = max(map(len, sequences))
        marked = (
            [[BEGIN, *ids, END] for ids in sequences],
            *([[BEGIN, *ids] for ids in sequences], [[*ids, END] for ids in sequences]),
        )
        for tensor, expected in zip(tensors, marked[:1] if side == "source" else marked[1:]):
            width = longest + (2 if side == "source" else 1)
            assert tensor.tolist() == [ids + [PAD] * (width - len(ids)) for ids in expected]
    assert batch.target_tokens == int((batch.target_output != PAD).sum())
