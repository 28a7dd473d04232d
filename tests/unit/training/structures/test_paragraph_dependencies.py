"""Files of dependencies of paragraphs: their content, training with them, and errors."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json
from discourse_nmt.discourse.structures.conversions import debinarise, hirao13, li14
from discourse_nmt.discourse.structures.dependencies import Dependencies
from discourse_nmt.discourse.structures.relation_classes import coarse_label
from discourse_nmt.discourse.structures.rows import tree_to_rows
from discourse_nmt.discourse.structures.subtrees import restricted
from discourse_nmt.discourse.structures.trees import RstTree
from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.multitask import RELATIONS
from discourse_nmt.models.systems import SYSTEMS, build
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.builders.paragraph_dependencies import write_paragraph_dependencies
from discourse_nmt.training.data.arrow_files import write_rows
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import units_of
from discourse_nmt.training.kinds import STRUCTURES, loaded
from discourse_nmt.training.structures.opening import open_structure
from discourse_nmt.training.structures.paragraph_dependencies import (
    SCHEMA,
    DatasetWords,
    ParagraphDependencyFile,
    ShuffledParagraphDependencyFile,
)
from discourse_nmt.training.structures.turning import steps_of
from discourse_nmt.training.tasks.paragraphs import task
from tests.conftest import ROOT
from tests.unit.discourse.structures.discourse_examples import tree_a
from tests.unit.training.run.training_toy import dataset
from tests.unit.training.structures.structure_examples import Tables, generated, sharded, units_of_subwords, written
from tests.unit.training.structures.test_positions import borders, document_trees, of_paragraphs

DEFAULT = BuilderOptions()
SMALL = {"width": 16, "heads": 2, "feed_forward_width": 32, "encoder_layers": 1, "decoder_layers": 1, "dropout": 0.0}


def build_file(
    folder: Path, frame: pd.DataFrame, tables: Tables, options: BuilderOptions = DEFAULT
) -> ParagraphDependencyFile:
    return of_shards(folder, frame, sharded(tables), options)


def of_shards(
    folder: Path, frame: pd.DataFrame, shards: list[Tables], options: BuilderOptions
) -> ParagraphDependencyFile:
    data, path = written(folder, frame), new(folder)
    write_paragraph_dependencies(data, shards, path, options)
    return ParagraphDependencyFile(path, data)


def new(folder: Path) -> Path:
    return folder / f"{len(list(folder.iterdir()))}.arrow"  # never over a file that is mapped


def opened(folder: Path, data: ParallelDataset, table: pa.Table) -> ParagraphDependencyFile:
    path = new(folder)
    write_rows(table, path)
    return ParagraphDependencyFile(path, data)


@pytest.mark.parametrize(
    ("options", "convert"),
    [
        (DEFAULT, li14),
        (BuilderOptions(conversion="hirao13"), hirao13),
        (BuilderOptions(debinarise=True), lambda tree: li14(debinarise(tree))),
    ],
)
@pytest.mark.parametrize("pieces", [False, True])
def test_paragraphs_have_the_dependencies_of_their_part_of_the_tree(
    tmp_path: Path, options: BuilderOptions, convert: Callable[[RstTree], Dependencies], pieces: bool
) -> None:
    frame, tables = generated(3, sentences=40)
    trees, whole = document_trees(tables), dict(tables)
    if pieces:
        tables["rst"] = of_paragraphs(written(tmp_path, frame), tables)
    found = build_file(tmp_path, frame, tables, options)
    data, before, document = found.dataset, 0, ""
    assert any(stop - start == 16 for start, stop in borders(data))
    for start, stop in borders(data):
        name = data.document(start)
        before, document = (0 if name != document else before), name
        rows = int(data.documents[np.searchsorted(data.documents, start, side="right") - 1])
        subwords = units_of_subwords(frame, whole, name)[start - rows : stop - rows]
        kept = sorted({unit for units in subwords for unit in units})
        analysis = found[start:stop]
        assert analysis.units is not None
        assert [units.tolist() for units in analysis.units] == [[kept.index(u) for u in units] for units in subwords]
        words = [
            data.source.words[data.source.offsets[row] : data.source.offsets[row + 1]] for row in range(start, stop)
        ]
        assert [each.tolist() for each in analysis.words] == [each.tolist() for each in words]
        wanted = convert(restricted(trees[name], kept))
        assert list(analysis.heads) == [unit if head < 0 else head for unit, head in enumerate(wanted.heads)]
        roots = [name if name == "ROOT" else coarse_label(name) for name in wanted.relations]
        assert list(analysis.relations) == roots
    with pytest.raises(ValueError, match="are no paragraph"):
        _ = found[1:2]


def of_tree_a(folder: Path) -> ParagraphDependencyFile:
    """A document of two sentences of two units, with tree A of specification 00."""
    frame, tables = generated(0, documents=1)
    key = {"doc_id": "doc0"}
    sides = ("source", "target")
    words = np.arange(4, dtype=np.int32)
    frame = pd.DataFrame(
        [{**key, "sent_id": n, "side": s, "ids": words + 6, "word_of_subword": words} for n in range(2) for s in sides]
    )
    starts = words * 2
    spans = {"tokens": ["w"] * 4, "starts": starts, "ends": starts + 1}
    tables["tokens"] = pd.DataFrame([{**key, "sent_id": n, "side": s, **spans} for n in range(2) for s in sides])
    tables["edus"] = pd.DataFrame(
        [{**key, "edu_id": u, "sent_id": u // 2, "start": 4 * (u % 2), "end": 4 * (u % 2) + 4} for u in range(4)]
    )
    tables["rst"] = pd.DataFrame(tree_to_rows("doc0", tree_a()))
    return of_shards(folder, frame, [tables], DEFAULT)


def test_t04_9_heads_of_tree_a(tmp_path: Path) -> None:
    analysis = of_tree_a(tmp_path)[0:2]
    assert list(analysis.heads) == [0, 0, 1, 1]
    assert analysis.relations[0] == "ROOT"
    assert analysis.units is not None
    assert [units.tolist() for units in analysis.units] == [[0, 0, 1, 1], [2, 2, 3, 3]]


def test_a_paragraph_without_a_tree_has_units_without_heads(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    frame, tables = generated(5)
    tables["rst"] = tables["rst"][tables["rst"].doc_id != "doc1"]
    found = build_file(tmp_path, frame, tables)
    start, stop = next(pair for pair in borders(found.dataset) if found.dataset.document(pair[0]) == "doc1")
    analysis = found[start:stop]
    assert set(np.array(analysis.heads).tolist()) == {-1} and set(analysis.relations) == {""}
    assert "1 of 4 paragraphs have no tree: their units have no heads" in caplog.text


def test_shuffled_trees_give_the_same_units_the_heads_and_relations_of_other_units(tmp_path: Path) -> None:
    frame, tables = generated(3, sentences=40)
    right = build_file(tmp_path, frame, tables)
    data, turned_trees = right.dataset, 0
    shuffled = ShuffledParagraphDependencyFile(right.path, data)
    for start, stop in borders(data):
        first = int(data.documents[data.documents <= start].max())
        wanted, analysis = right[start:stop], shuffled[start:stop]
        assert wanted.units is not None and analysis.units is not None
        assert [units.tolist() for units in analysis.units] == [units.tolist() for units in wanted.units]
        assert [words.tolist() for words in analysis.words] == [words.tolist() for words in wanted.words]
        count = len(wanted.heads)
        steps = steps_of(data.document(start), start - first, count) if count > 1 else 0
        for unit, (head, relation) in enumerate(zip(wanted.heads, wanted.relations)):
            moved_to = (unit + steps) % count
            assert (analysis.heads[moved_to], analysis.relations[moved_to]) == ((head + steps) % count, relation)
        turned_trees += steps > 0
    assert turned_trees > 2


def test_unknown_heads_stay_unknown_in_a_shuffled_tree(tmp_path: Path) -> None:
    frame, tables = generated(5)
    tables["rst"] = tables["rst"][tables["rst"].doc_id != "doc1"]
    right = build_file(tmp_path, frame, tables)
    shuffled = ShuffledParagraphDependencyFile(right.path, right.dataset)
    start, stop = next(pair for pair in borders(right.dataset) if right.dataset.document(pair[0]) == "doc1")
    assert set(np.array(shuffled[start:stop].heads).tolist()) == {-1}


def test_the_switch_chooses_the_trees_that_are_learnt() -> None:
    for switches, reader in (
        ({}, ParagraphDependencyFile),
        ({"shuffled_trees": True}, ShuffledParagraphDependencyFile),
    ):
        assert loaded(STRUCTURES[SYSTEMS["multitask"].switches(switches).structure].reader) is reader


def spoilt(table: pa.Table, column: str, place: int, value: Any) -> pa.Table:
    lists = table[column].to_pylist()
    row = next(number for number, values in enumerate(lists) if len(values) > place)
    lists[row][place] = value
    index = table.schema.get_field_index(column)
    return table.set_column(index, table.schema.field(column), pa.array(lists, table.schema.field(column).type))


@pytest.mark.parametrize(
    ("column", "place", "value", "told"),
    [
        ("edus", 0, 3, "EDU 3 .* is not in this sentence"),
        ("edus", 0, 1, "its EDUs are not runs of words, one after the other"),
        ("edu_heads", 0, 9, "its head is no EDU of the paragraph"),
        ("edu_heads", 1, -1, "it has a head or a relation, but not both"),
        ("edu_heads", 1, 1, "it has the relation ROOT or is its own head"),
        ("relations", 1, "ROOT", "it has the relation ROOT or is its own head"),
    ],
)
def test_a_damaged_file_is_an_error(tmp_path: Path, column: str, place: int, value: Any, told: str) -> None:
    found = of_tree_a(tmp_path)
    with pytest.raises(InputError, match=told):
        opened(tmp_path, found.dataset, spoilt(found.table.select(SCHEMA.names), column, place, value))


def test_circles_are_an_error(tmp_path: Path) -> None:
    found = of_tree_a(tmp_path)
    table = spoilt(spoilt(found.table, "edu_heads", 0, 1), "relations", 0, "x_r")
    with pytest.raises(InputError, match="form a circle"):
        opened(tmp_path, found.dataset, table)


def test_words_need_no_file(tmp_path: Path) -> None:
    data = dataset(tmp_path, [20, 3])
    words = open_structure("words", None, data)
    assert isinstance(words, DatasetWords)
    assert [len(each) for each in words[0:16].words] == data.source.lengths[:16].tolist()
    assert open_structure("paragraph_dependencies", None, data) is None


def test_training_learns_to_analyse_and_the_likelihood_is_that_of_the_translation(tmp_path: Path) -> None:
    frame, tables = generated(7, sentences=20)
    structure = build_file(tmp_path, frame, tables)
    torch.manual_seed(0)
    switches = {**SMALL, "relations": sorted({name for name in structure.relations.to_pylist() if name != "ROOT"})}
    size = 1 + max(structure.dataset.source.largest, structure.dataset.target.largest)
    network = cast(ContextTransformer, build("multitask", switches, size, size, True))
    made = task(network, structure.dataset, structure)
    batch = made.batch(units_of(structure.dataset, "paragraph"), np.arange(2), 0)
    found = made.objective(0.0)(network.train(), batch)
    assert found.objective > found.likelihood
    adam = torch.optim.Adam(network.parameters(), 0.01)
    analysis = []
    for _ in range(15):
        losses = made.objective(0.0)(network, batch)
        analysis.append(losses.objective.item() - losses.likelihood.item())
        (losses.objective / batch.target_tokens).backward()
        adam.step()
        adam.zero_grad()
    assert analysis[-1] < 0.7 * analysis[0]
    without = task(network.eval(), structure.dataset, DatasetWords(None, structure.dataset))
    settings = DecodingSettings(beam=1, use_tree=False)
    both = [partial(each.hypotheses, network)(settings) for each in (made, without)]
    assert dict(both[0]) == dict(both[1])
    assert len(dict(without.hypotheses(network, settings))) == len(structure.dataset)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_relations_are_those_of_the_analysers_of_the_project(language: str) -> None:
    labels = read_json(ROOT / "resources" / "analysers" / language / "rst.json")["labels"]
    parts = [label.split() for label in labels]
    assert {f"{name}_m" if roles == "nn" else f"{name}_r" for name, roles in parts} == set(RELATIONS)
