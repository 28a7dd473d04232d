"""Files of positions: units and tables of paragraphs, from trees of documents or of paragraphs, and errors."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.structures.positions import PositionTables, position_tables
from discourse_nmt.discourse.structures.rows import rows_to_tree, tree_to_rows
from discourse_nmt.discourse.structures.subtrees import restricted
from discourse_nmt.discourse.structures.trees import RstTree
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.builders.positions import write_positions
from discourse_nmt.training.data.arrow_files import write_rows
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.training.data.units import paragraphs
from discourse_nmt.training.structures.positions import SCHEMA, PositionFile
from tests.unit.discourse.structures.discourse_examples import tree_a
from tests.unit.training.run.training_toy import dataset, subwords
from tests.unit.training.structures.structure_examples import Tables, generated, sharded, units_of_subwords, written

FIELDS = ("depths", "corrections", "nuclei", "satellites")


def build(folder: Path, frame: pd.DataFrame, tables: Tables) -> PositionFile:
    data = written(folder, frame)
    write_positions(data, sharded(tables), folder / "built.arrow", BuilderOptions())
    return PositionFile(folder / "built.arrow", data)


def opened(folder: Path, data: ParallelDataset, table: pa.Table) -> PositionFile:
    write_rows(table, folder / "positions.arrow")
    return PositionFile(folder / "positions.arrow", data)


def same(one: PositionTables, other: PositionTables) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in FIELDS)


def read(positions: PositionFile) -> list[PositionTables]:
    return [positions[start:stop][1] for start, stop in borders(positions.dataset)]


def borders(data: ParallelDataset) -> list[tuple[int, int]]:
    units = paragraphs(data.documents)
    return list(zip(units.starts.tolist(), units.stops.tolist()))


def document_trees(tables: Tables) -> dict[str, RstTree]:
    rows: dict[Any, Any] = {name: rows.to_dict("records") for name, rows in tables["rst"].groupby("doc_id")}
    return {name: rows_to_tree(found) for name, found in rows.items()}


def of_paragraphs(data: ParallelDataset, tables: Tables) -> pd.DataFrame:
    """A table rst with a tree for each paragraph, its part of the document's tree."""
    trees, rows = document_trees(tables), []
    before = dict.fromkeys(trees, 0)
    for start, stop in borders(data):
        name = data.document(start)
        sentences = data.table["sent_id"].slice(start, stop - start).to_pylist()
        edus = tables["edus"][(tables["edus"].doc_id == name) & tables["edus"].sent_id.isin(sentences)][
            "edu_id"
        ].tolist()
        tree = tree_to_rows(name, restricted(trees[name], edus))
        for row in tree:
            row["node_id"] += before[name]
            row["parent"] += before[name] if row["parent"] >= 0 else 0
            row["first_edu"] += edus[0]
            row["last_edu"] += edus[0]
        before[name] += len(tree)
        rows += tree
    return pd.DataFrame(rows)


@pytest.mark.parametrize("seed", range(3))
def test_a_paragraph_has_its_units_and_its_part_of_the_tree(tmp_path: Path, seed: int) -> None:
    frame, tables = generated(seed, sentences=40)
    positions = build(tmp_path, frame, tables)
    data, trees = positions.dataset, document_trees(tables)
    wanted = [units for name in sorted(trees) for units in units_of_subwords(frame, tables, name)]
    for start, stop in borders(data):
        units, given = positions[start:stop]
        kept = sorted({unit for sentence in wanted[start:stop] for unit in sentence})
        assert [[kept[unit] for unit in sentence] for sentence in units] == wanted[start:stop]
        assert {sentence.dtype for sentence in units} == {np.dtype(np.int64)}
        assert same(given, position_tables(restricted(trees[data.document(start)], kept)))


@pytest.mark.parametrize("seed", [0, 1])
def test_trees_of_paragraphs_equal_parts_of_the_documents_tree(tmp_path: Path, seed: int) -> None:
    frame, tables = generated(seed, sentences=40)
    positions = build(tmp_path, frame, tables)
    forest = of_paragraphs(positions.dataset, tables)
    assert len(forest) > forest["doc_id"].nunique()
    again = build(tmp_path, frame, {**tables, "rst": forest})
    assert again.table.equals(positions.table)


def test_paragraphs_without_a_tree_have_the_positions_zero(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    frame, tables = generated(2, sentences=20)
    tables["rst"] = tables["rst"].query("doc_id != 'doc1'")
    with caplog.at_level(logging.WARNING):
        positions = build(tmp_path, frame, tables)
    without = [positions.dataset.document(start) == "doc1" for start, _ in borders(positions.dataset)]
    assert [not found.parsed for found in read(positions)] == without
    empty = read(positions)[without.index(True)]
    assert not any(found.any() for found in (empty.path(), empty.rel_edu(), empty.abs_edu(1), empty.abs_depth()))
    assert f"{sum(without)} of {len(without)} paragraphs have no tree: their positions are 0" in caplog.text


def test_t02_1_of_a_file(tmp_path: Path) -> None:
    frame, tables = example()
    units, found = build(tmp_path, frame, tables)[0:3]
    assert [unit.tolist() for unit in units] == [[0, 0], [1, 2, 2], [3]]
    assert same(found, position_tables(tree_a()))
    assert found.abs_depth().tolist() == [0, 1.5, 2.5, 1]
    assert found.path()[1, 0] == pytest.approx(0.774755, abs=1e-6)


def example() -> tuple[pd.DataFrame, Tables]:
    """Tree A over three sentences: e1; e2 and e3; e4. The last word of the second has two subwords."""
    sentences = [[(0, 0, 1), (0, 1, 2)], [(1, 0, 1), (2, 1, 3)], [(3, 0, 2)]]
    words_of_subwords = [[0, 1], [0, 1, 1], [0]]
    frames: dict[str, list[dict]] = {"subwords": [], "tokens": [], "edus": []}
    for sent_id, words in enumerate(sentences):
        key = {"doc_id": "a", "sent_id": sent_id}
        starts, ends = (np.array([word[place] for word in words], np.int32) for place in (1, 2))
        of_words = np.array(words_of_subwords[sent_id], np.int32)
        for side in ("source", "target"):
            frames["tokens"].append({**key, "side": side, "tokens": ["w"] * len(words), "starts": starts, "ends": ends})
            frames["subwords"].append({**key, "side": side, "ids": of_words + 6, "word_of_subword": of_words})
        for edu in sorted({word[0] for word in words}):
            inside = [word for word in words if word[0] == edu]
            frames["edus"].append({**key, "edu_id": edu, "start": inside[0][1], "end": inside[-1][2]})
    tables = {name: pd.DataFrame(rows) for name, rows in frames.items()}
    return tables.pop("subwords"), {**tables, "rst": pd.DataFrame(tree_to_rows("a", tree_a()))}


def test_an_empty_split_and_sentences_without_subwords(tmp_path: Path) -> None:
    frame, tables = generated(1)
    assert read(build(tmp_path, frame.iloc[:0], {name: table.iloc[:0] for name, table in tables.items()})) == []
    first, nothing = frame.doc_id == "doc0", np.empty(0, np.int32)
    for column in ("ids", "word_of_subword"):
        frame[column] = pd.Series([nothing if emptied else value for emptied, value in zip(first, frame[column])])
    found = read(build(tmp_path, frame, tables))
    assert [table.nuclei.shape == (0, 0) for table in found] == [True, False, False, False]


def test_only_paragraphs_can_be_read(tmp_path: Path) -> None:
    positions = build(tmp_path, *generated(4, documents=1, sentences=40))
    assert positions.borders[1] == 16
    for start, stop in [(0, 15), (1, 16), (0, 32), (3, 5), (len(positions.dataset),) * 2]:
        with pytest.raises(ValueError, match="no paragraph"):
            _ = positions[start:stop]


def cut(tables: Tables) -> None:
    """Replace the document's tree by one of its first four units."""
    tables["rst"] = pd.DataFrame(tree_to_rows("doc0", tree_a()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (cut, r"document doc0: table rst: the EDUs 0 to \d+ .from 0., a paragraph, are not in one of its trees"),
        (
            lambda tables: tables.update(edus=tables["edus"].query("doc_id != 'doc0' or sent_id > 0")),
            "document doc0: table edus: its EDUs are not 0, 1",
        ),
        (
            lambda tables: tables.update(rst=tables["rst"].replace({"doc_id": {"doc0": "strange"}})),
            "table rst: document strange is not in the dataset",
        ),
        (
            lambda tables: tables["rst"].__setitem__("last_edu", tables["rst"]["last_edu"] + 1),
            "document doc0: table rst: first_edu and last_edu do not agree",
        ),
        (
            lambda tables: tables.update(rst=tables["rst"].query("node_id != 1")),
            "document doc0: table rst: node 2 has the parent 1, which is no node",
        ),
        (
            lambda tables: tables.update(edus=tables["edus"].query("doc_id != 'doc0' or sent_id < 15")),
            r"document doc0: table rst: its trees reach to EDU \d+ .from 0. of \d+",
        ),
    ],
)
def test_faults_of_tables_are_errors_of_one_line(
    tmp_path: Path, change: Callable[[Tables], None], message: str
) -> None:
    frame, tables = generated(4, documents=1, sentences=40)
    change(tables)
    if "reach" in message:  # otherwise words without units are told first
        frame = frame.query("doc_id != 'doc0' or sent_id < 15")
        tables["tokens"] = tables["tokens"].query("doc_id != 'doc0' or sent_id < 15")
    with pytest.raises(InputError, match=message) as error:
        build(tmp_path, frame, tables)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("edus", [[0, 1], [1, 1]], "document doc000, sentence 0: EDU 1 .from 0. is not in this sentence"),
        ("doc_id", ["doc000", "doc009"], "its rows are not those of"),
        ("corrections", [[0.5], []], "document doc000, sentence 1: it has 0 corrections, not 1"),
        ("satellites", [[0, 0], [0]], "document doc000, sentence 1: it has 1 satellites, not 2"),
    ],
)
def test_faults_of_files_are_errors_of_one_line(tmp_path: Path, column: str, values: list, message: str) -> None:
    data = dataset(tmp_path, [2], length=2)
    units = {"edus": [[0, 0], [1, 1]], "depths": [[1], [1]], "corrections": [[-0.5], [0.5]]}
    pairs = {"nuclei": [[0, 0], [1, 0]], "satellites": [[0, 1], [0, 0]]}
    columns = {"doc_id": ["doc000"] * 2, "sent_id": [0, 1], **units, **pairs}
    (found,) = read(opened(tmp_path, data, pa.table(columns, schema=SCHEMA)))
    assert found.satellites.tolist() == [[0, 1], [0, 0]]
    with pytest.raises(InputError, match=message) as error:
        opened(tmp_path, data, pa.table({**columns, column: values}, schema=SCHEMA))
    assert "\n" not in str(error.value)


def test_another_file_is_refused(tmp_path: Path) -> None:
    write_dataset([subwords([2])], tmp_path / "data.arrow")
    with pytest.raises(InputError, match="not a positions file: other columns"):
        PositionFile(tmp_path / "data.arrow", ParallelDataset(tmp_path / "data.arrow"))
