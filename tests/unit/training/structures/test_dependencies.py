"""Files of dependencies: subwords aligned with units, trees restricted to instances, errors that name the document."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.training.builders.alignment import overlapping
from discourse_nmt.training.builders.dependencies import without_unused, write_dependencies
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.data.arrow_files import write_rows
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.training.kinds import STRUCTURES, loaded
from discourse_nmt.training.structures.dependencies import SCHEMA, DependencyFile, ShuffledDependencyFile
from discourse_nmt.training.structures.turning import steps_at, steps_of, turned
from tests.unit.training.run.training_toy import dataset, subwords
from tests.unit.training.structures.structure_examples import Tables, generated, sharded, units_of_subwords, written


def build(folder: Path, frame: pd.DataFrame, tables: Tables) -> DependencyFile:
    data = written(folder, frame)
    write_dependencies(data, sharded(tables), folder / "built.arrow", BuilderOptions())
    return DependencyFile(folder / "built.arrow", data)


def opened(folder: Path, data: ParallelDataset, table: pa.Table) -> DependencyFile:
    write_rows(table, folder / "structure.arrow")
    return DependencyFile(folder / "structure.arrow", data)


def literal(frame: pd.DataFrame, tables: Tables) -> dict[str, tuple[list[list[int]], list[int]]]:
    """By document: the unit of each subword of each sentence, and the heads, by a loop over units."""
    result = {}
    for doc_id, edus in tables["edus"].groupby("doc_id"):
        units = units_of_subwords(frame, tables, str(doc_id))
        heads = dict(zip(edus.edu_id, tables["rst_dependencies"].query("doc_id == @doc_id")["head"]))
        used = sorted({unit for found in units for unit in found})
        above = []
        for unit in used:
            head = heads[unit]
            while head >= 0 and head not in used:
                head = heads[head]
            above.append(used.index(head) if head >= 0 else -1)
        result[str(doc_id)] = ([[used.index(unit) for unit in found] for found in units], above)
    return result


@pytest.mark.parametrize("seed", range(8))
def test_subwords_have_the_unit_of_their_word(tmp_path: Path, seed: int) -> None:
    frame, tables = generated(seed)
    structure = build(tmp_path, frame, tables)
    data = structure.dataset
    wanted = literal(frame, tables)
    for first, last in zip(data.documents[:-1].tolist(), data.documents[1:].tolist()):
        units, heads = structure[first:last]
        assert ([found.tolist() for found in units], heads.tolist()) == wanted[data.document(first)]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.data())
def test_a_restricted_tree_has_the_arcs_inside_and_no_other(
    tmp_path_factory: pytest.TempPathFactory, seed: int, drawn: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("structure")
    structure = build(folder, *generated(seed, documents=2))
    data = structure.dataset
    document = drawn.draw(st.integers(0, 1))
    first, last = data.documents[document : document + 2].tolist()
    start = drawn.draw(st.integers(first, last - 1))
    stop = drawn.draw(st.integers(start + 1, last))
    whole, heads = structure[first:last]
    units, inside = structure[start:stop]
    shift = int(min(found.min() for found in whole[start - first : stop - first]))
    assert [(found + shift).tolist() for found in units] == [
        found.tolist() for found in whole[start - first : stop - first]
    ]
    assert sorted({int(unit) for found in units for unit in found}) == list(range(len(inside)))
    kept = range(shift, shift + len(inside))
    assert [head + shift if head >= 0 else -1 for head in inside] == [
        heads[unit] if heads[unit] in kept else -1 for unit in kept
    ]


def test_a_word_outside_all_units_belongs_to_the_one_before() -> None:
    starts, ends = np.array([0, 2, 5, 8]), np.array([2, 5, 6, 9])
    unit_starts, unit_ends = np.array([1, 3, 6]), np.array([2, 5, 8])
    assert overlapping(starts, ends, unit_starts, unit_ends).tolist() == [0, 1, 1, 2]
    assert overlapping(np.array([0]), np.array([1]), unit_starts, unit_ends).tolist() == [-1]


def test_a_word_shared_evenly_belongs_to_the_first_unit() -> None:
    assert overlapping(np.array([0]), np.array([4]), np.array([0, 2]), np.array([2, 4])).tolist() == [0]


def test_a_unit_without_words_leaves_its_dependents_to_its_head() -> None:
    kept = np.array([True, False, True, False, True])
    assert without_unused(kept, np.array([2, 0, -1, 1, 3])).tolist() == [1, -1, 0]


def test_an_empty_split_and_sentences_without_subwords(tmp_path: Path) -> None:
    frame, tables = generated(1)
    empty = frame.iloc[:0], {name: table.iloc[:0] for name, table in tables.items()}
    assert len(build(tmp_path, *empty).heads) == 0
    first = (frame.doc_id == "doc0") & (frame.sent_id == 0)
    nothing = np.empty(0, np.int32)
    for column in ("ids", "word_of_subword"):
        frame[column] = pd.Series([nothing if emptied else value for emptied, value in zip(first, frame[column])])
    assert build(tmp_path, frame, tables)[0:1][1].tolist() == []


def changed(tables: Tables, name: str, column: str, place: int, value: int) -> None:
    tables[name].loc[place, column] = value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda tables: changed(tables, "rst_dependencies", "head", 0, 99),
            "document doc0: table rst_dependencies: a head is none of its",
        ),
        (
            lambda tables: changed(tables, "rst_dependencies", "head", 0, 0),
            "document doc0: table rst_dependencies: heads form a circle",
        ),
        (lambda tables: changed(tables, "edus", "edu_id", 0, 7000), "document doc0: table edus: its EDUs are not 0, 1"),
        (lambda tables: changed(tables, "edus", "sent_id", 0, 50), "table edus: document doc0, sentence 50 is not in"),
        (
            lambda tables: tables.update(rst_dependencies=tables["rst_dependencies"].iloc[1:]),
            "document doc0: not one row of rst_dependencies for each",
        ),
        (
            lambda tables: tables.update(
                rst_dependencies=tables["rst_dependencies"].replace({"doc_id": {"doc0": "strange"}})
            ),
            "table rst_dependencies: document strange is not in the dataset",
        ),
        (
            lambda tables: changed(tables, "rst_dependencies", "edu_id", 0, 7000),
            "document doc0: table rst_dependencies: its EDUs are not 0, 1, 2",
        ),
        (
            lambda tables: tables.update(tokens=tables["tokens"].query("doc_id != 'doc1' or sent_id")),
            "table tokens: its sentences are not those",
        ),
        (
            lambda tables: tables.update(
                {
                    name: tables[name].query("doc_id != 'doc1'").reset_index(drop=True)
                    for name in ("edus", "rst_dependencies")
                }
            ),
            "document doc1, sentence 0: it has words but no EDU",
        ),
    ],
)
def test_faults_of_tables_are_errors_of_one_line(
    tmp_path: Path, change: Callable[[Tables], None], message: str
) -> None:
    frame, tables = generated(3)
    change(tables)
    with pytest.raises(InputError, match=message) as error:
        build(tmp_path, frame, tables)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("edus", [[0, 1], [1, 1]], "document doc000, sentence 0: EDU 1 .from 0. is not in this sentence"),
        ("edu_heads", [[-1], [5]], "document doc000, sentence 1: the head 5"),
        ("edu_heads", [[1], [0]], "document doc000, sentence 0: the heads above EDU 0 .from 0. form a circle"),
        ("doc_id", ["doc000", "doc009"], "its rows are not those of"),
        ("edus", [[0], [1]], "its rows are not those of"),
    ],
)
def test_faults_of_files_are_errors_of_one_line(tmp_path: Path, column: str, values: list, message: str) -> None:
    data = dataset(tmp_path, [2], length=2)
    columns = {"doc_id": ["doc000"] * 2, "sent_id": [0, 1], "edus": [[0, 0], [1, 1]], "edu_heads": [[-1], [0]]}
    opened(tmp_path, data, pa.table(columns, schema=SCHEMA))
    with pytest.raises(InputError, match=message) as error:
        opened(tmp_path, data, pa.table({**columns, column: values}, schema=SCHEMA))
    assert "\n" not in str(error.value)


def test_another_file_is_refused(tmp_path: Path) -> None:
    write_dataset([subwords([2])], tmp_path / "data.arrow")
    data = ParallelDataset(tmp_path / "data.arrow")
    with pytest.raises(InputError, match="not a structure file: other columns"):
        DependencyFile(tmp_path / "data.arrow", data)
    (tmp_path / "data.txt").write_text("text")
    with pytest.raises(InputError, match="not a readable structure file"):
        DependencyFile(tmp_path / "data.txt", data)


def depth(heads: list[int], unit: int) -> int:
    return 0 if heads[unit] < 0 else 1 + depth(heads, heads[unit])


@given(st.lists(st.integers(0, 10_000), min_size=2, max_size=12), st.data())
def test_a_turned_tree_is_the_same_tree_of_other_units(choices: list[int], drawn: st.DataObject) -> None:
    order = drawn.draw(st.permutations(range(len(choices))))
    heads = [-1] * len(choices)
    for position, unit in enumerate(order):
        heads[unit] = order[choices[position] % position] if position and choices[position] % 5 else -1
    steps = drawn.draw(st.integers(1, len(choices) - 1))
    found = turned(np.array(heads), steps).tolist()
    for unit, head in enumerate(heads):
        to = (unit + steps) % len(heads)
        assert found[to] == (-1 if head < 0 else (head + steps) % len(heads))
        assert depth(found, to) == depth(heads, unit)


@pytest.mark.parametrize("seed", range(4))
def test_shuffled_trees_are_turned_over_the_same_units(tmp_path: Path, seed: int) -> None:
    right = build(tmp_path, *generated(seed))
    data = right.dataset
    shuffled = ShuffledDependencyFile(tmp_path / "built.arrow", data)
    for first, last in zip(data.documents[:-1].tolist(), data.documents[1:].tolist()):
        (units, heads), (same_units, other_heads) = right[first:last], shuffled[first:last]
        assert [found.tolist() for found in same_units] == [found.tolist() for found in units]
        turns = [turned(heads, steps).tolist() for steps in range(1, len(heads))] or [heads.tolist()]
        assert other_heads.tolist() in turns


def test_a_shuffled_tree_depends_on_the_document_and_the_first_row_only(tmp_path: Path) -> None:
    frame, tables = generated(0, documents=6)

    def trees(documents: list[str], name: str) -> dict[str, list[int]]:
        folder = tmp_path / name
        folder.mkdir()
        kept = {key: table[table.doc_id.isin(documents)] for key, table in tables.items()}
        build(folder, frame[frame.doc_id.isin(documents)], kept)
        data = ParallelDataset(folder / "data.arrow")
        shuffled = ShuffledDependencyFile(folder / "built.arrow", data)
        starts = data.documents.tolist()
        return {data.document(first): shuffled[first:last][1].tolist() for first, last in pairwise(starts)}

    every = sorted(frame.doc_id.unique())
    whole = trees(every, "whole")
    assert trees(every[3:], "part") == {name: whole[name] for name in every[3:]}


def test_documents_with_equal_trees_are_turned_by_different_steps(tmp_path: Path) -> None:
    frame, tables = generated(0, documents=1)
    found = set()
    for name in map(str, range(8)):
        folder = tmp_path / name
        folder.mkdir()
        build(folder, frame.assign(doc_id=name), {key: table.assign(doc_id=name) for key, table in tables.items()})
        data = ParallelDataset(folder / "data.arrow")
        found.add(tuple(ShuffledDependencyFile(folder / "built.arrow", data)[0 : len(data)].heads.tolist()))
    assert len(found) > 1


@pytest.mark.parametrize("units", [2, 3, 7])
def test_a_shuffled_tree_moves_by_at_least_one_unit_and_never_all_the_way(units: int) -> None:
    assert {steps_of(f"d{number}", 0, units) for number in range(100)} == set(range(1, units))


def test_the_trees_of_one_document_move_by_different_numbers_of_units() -> None:
    assert len({steps_of("d", row, 100) for row in range(20)}) > 10


@pytest.mark.parametrize("units", [0, 1])
def test_a_tree_of_one_unit_or_none_does_not_move(tmp_path: Path, units: int) -> None:
    assert steps_at(dataset(tmp_path, [2, 3]), 2, units) == 0
    assert turned(np.full(units, -1), 0).tolist() == [-1] * units


def test_the_switch_chooses_the_trees_of_training_and_of_decoding() -> None:
    shuffled = SYSTEMS["rst_transformer"].switches({"shuffled_trees": True})
    assert loaded(STRUCTURES[shuffled.structure].reader) is ShuffledDependencyFile
    assert (shuffled.decoding_structure(True), shuffled.decoding_structure(False)) == ("shuffled_dependencies", "")
    assert loaded(STRUCTURES[SYSTEMS["rst_transformer"].switches({}).structure].reader) is DependencyFile
