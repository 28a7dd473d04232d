"""Files of word graphs: the graphs of a paragraph's document are those of the tables."""

import operator
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.discourse.graph.building import document_graphs
from discourse_nmt.discourse.settings import GraphSettings
from discourse_nmt.models.graph.word_graphs import word_graph
from discourse_nmt.training.builders.graphs import write_drafted_graphs, write_graphs
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.data.arrow_files import write_rows
from discourse_nmt.training.data.dataset import ParallelDataset, map_rows
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.training.structures.graphs import SourceAndDraftGraphFile, SourceGraphFile, graph_schema
from discourse_nmt.training.structures.opening import Structures, open_structure
from tests.unit.discourse.graph.graph_tables import (
    CAT,
    CAT_CHAINS,
    CAT_EDGES,
    CAT_HEADS,
    cat_arrays,
    mentions_table,
    syntax_table,
    tokens_table,
)

DOCUMENTS = {"one": [["a", "cat"]], **CAT}  # another document, so that words of the example are not the first ones
SUBWORDS = {"the": [1], "cat": [2, 3], "sat": [4, 5, 6]}  # any other word: 7
Tables = dict[str, list[pd.DataFrame]]


def subwords_of(tokens: pd.DataFrame) -> pd.DataFrame:
    pieces = [[SUBWORDS.get(word, [7]) for word in words] for words in tokens["tokens"]]
    ids = [[piece for word in words for piece in word] for words in pieces]
    places = [[number for number, word in enumerate(words) for _ in word] for words in pieces]
    columns = {"ids": ids, "word_of_subword": places}
    filled = {name: pd.Series(values, dtype=object) for name, values in columns.items()}
    return tokens[["doc_id", "sent_id", "side"]].assign(**filled)


@pytest.fixture(scope="module")
def tables() -> Tables:
    """Tables of both sides, of the same text, in two shards that are not in the order of the dataset."""
    both = {side: tokens_table(DOCUMENTS, side) for side in ("source", "target")}
    tokens = both["source"]
    heads = [[1, -1], *CAT_HEADS]
    chains = [[(row + 1, word) for row, word in chain] for chain in CAT_CHAINS]
    graph = document_graphs(tokens, syntax_table(tokens, heads), mentions_table(tokens, chains), GraphSettings())
    everything = {
        "tokens": pd.concat(both.values()),
        "subwords": pd.concat(map(subwords_of, both.values())),
        "document_graph": graph.astype({"doc_id": str, "relation": str}),
    }
    return {name: [frame[frame["doc_id"] == doc] for doc in ("one", "cat")] for name, frame in everything.items()}


def shards_of(tables: Tables) -> list[dict[str, pd.DataFrame]]:
    return [dict(zip(tables, shard)) for shard in zip(*tables.values())]


@pytest.fixture(scope="module")
def dataset(tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> ParallelDataset:
    path = tmp_path_factory.mktemp("data") / "dataset.arrow"
    write_dataset(tables["subwords"], path)
    return ParallelDataset(path)


@pytest.fixture(scope="module")
def graphs(dataset: ParallelDataset, tables: Tables, tmp_path_factory: pytest.TempPathFactory) -> SourceGraphFile:
    path = tmp_path_factory.mktemp("graphs") / "graphs.arrow"
    write_graphs(dataset, shards_of(tables), path, BuilderOptions())
    return SourceGraphFile(path, dataset)


def test_t03_1_comes_back_from_the_file(graphs: SourceGraphFile) -> None:
    """Rows 0 and 1 of the dataset are the document of the example, row 2 is the other one."""
    linked = graphs[1:2].sides["source"]
    words = linked.words
    assert words.sentences.tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert words.subwords.tolist() == [1, 2, 3, 4, 5, 6, 7, 7, 1, 2, 3]
    assert words.starts.tolist() == [0, 1, 3, 6, 7, 8, 9]
    found = list(zip(linked.sources.tolist(), linked.targets.tolist(), linked.relations.tolist()))
    assert {name: {edge[:2] for edge in found if edge[2] == place} for place, name in enumerate(RELATIONS)} == CAT_EDGES
    assert len(found) == 18
    assert graphs[2:3].sides["source"].words.subwords.tolist() == [7, 2, 3]


@pytest.mark.parametrize("relations", [RELATIONS, ("lexical",), ("dependency", "coreference")])
def test_relations_are_chosen_and_merged(graphs: SourceGraphFile, relations: tuple) -> None:
    found, expected = graphs[0:2].sides["source"].graph(relations), word_graph(7, *cat_arrays(*relations))
    for name in ("sources", "targets", "arriving", "leaving"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


def test_a_paragraph_knows_its_document_and_first_sentence(graphs: SourceGraphFile) -> None:
    found = [graphs[start:stop] for start, stop in ((0, 2), (1, 2), (2, 3))]
    assert [(one.document, one.first, one.count) for one in found] == [(0, 0, 2), (0, 1, 1), (1, 0, 1)]
    assert found[0].sides is found[1].sides


def test_the_words_before_a_sentence(graphs: SourceGraphFile) -> None:
    """Degrees do not count edges to later sentences."""
    before = graphs[1:2].sides["source"].before(1)
    assert before.words.subwords.tolist() == [1, 2, 3, 4, 5, 6]
    graph = before.graph(RELATIONS)
    assert set(zip(graph.sources.tolist(), graph.targets.tolist())) == {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert graph.arriving.tolist() == graph.leaving.tolist() == [[1], [2], [1]]
    assert len(graphs[0:1].sides["source"].before(0).words) == 0


def test_the_file_of_both_sides(dataset: ParallelDataset, tables: Tables, tmp_path: Path) -> None:
    both = [shard | {f"draft_{name}": frame for name, frame in shard.items()} for shard in shards_of(tables)]
    write_drafted_graphs(dataset, both, tmp_path / "both", BuilderOptions())
    found = SourceAndDraftGraphFile(tmp_path / "both", dataset)[0:2].sides
    assert found["source"].targets.tolist() == found["target"].targets.tolist()
    with pytest.raises(InputError, match="not a graph file"):
        SourceGraphFile(tmp_path / "both", dataset)


def changed(source: Path, target: Path, sides: Sequence[str], column: str, change: Callable[[list[Any]], None]) -> None:
    """Copy a file of graphs with another column."""
    table = map_rows(source, graph_schema(sides), "graph file")
    values = table[column].to_pylist()
    change(values)
    place = table.schema.get_field_index(column)
    field = table.schema.field(column)
    write_rows(table.set_column(place, field, pa.array(values, field.type)), target)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("source_from", 4), ("source_to", 7), ("source_words", -1), ("source_relation", 4)),
        *(("source_ids", 2**20), ("source_ids", -1)),
    ],
)
def test_wrong_numbers_are_refused(
    dataset: ParallelDataset, tables: Tables, tmp_path: Path, column: str, value: int
) -> None:
    write_graphs(dataset, shards_of(tables), tmp_path / "right", BuilderOptions())
    changed(
        tmp_path / "right", tmp_path / "wrong", ["source"], column, lambda lists: operator.setitem(lists[1], -1, value)
    )
    with pytest.raises(InputError, match=f"wrong: document cat, sentence 1: source graph: {column[7:]} holds {value};"):
        SourceGraphFile(tmp_path / "wrong", dataset)


def test_a_draft_may_have_subwords_that_the_dataset_has_not(
    dataset: ParallelDataset, tables: Tables, tmp_path: Path
) -> None:
    both = [shard | {f"draft_{name}": frame for name, frame in shard.items()} for shard in shards_of(tables)]
    write_drafted_graphs(dataset, both, tmp_path / "right", BuilderOptions())

    def with_subword(subword: int, target_symbols: int) -> Structures[object] | None:
        path = tmp_path / f"with {subword}"
        sides = SourceAndDraftGraphFile.sides
        changed(tmp_path / "right", path, sides, "target_ids", lambda lists: operator.setitem(lists[1], -1, subword))
        return open_structure("graphs", path, dataset, target_symbols)

    graphs = with_subword(2**20, 2**20 + 1)
    assert isinstance(graphs, SourceAndDraftGraphFile)
    assert graphs[0:2].sides["target"].words.subwords.max() == 2**20
    with pytest.raises(InputError, match="with 1048576: subword 1048576 is outside the target vocabulary of 1048576 s"):
        with_subword(2**20, 2**20)
    with pytest.raises(InputError, match="sentence 1: target graph: ids holds -1;"):
        with_subword(-1, 100)


@pytest.mark.parametrize("size", [-1, 2**30])
def test_a_wrong_number_of_words_is_refused(
    dataset: ParallelDataset, tables: Tables, tmp_path: Path, size: int
) -> None:
    """Before as many words are counted, for which there may be no memory."""
    write_graphs(dataset, shards_of(tables), tmp_path / "right", BuilderOptions())
    changed(
        tmp_path / "right",
        tmp_path / "wrong",
        ["source"],
        "source_size",
        lambda sizes: operator.setitem(sizes, 1, size),
    )
    with pytest.raises(InputError, match=f"wrong: document cat, sentence 1: source graph: it has {size} words;"):
        SourceGraphFile(tmp_path / "wrong", dataset)


def test_tables_of_other_sentences_are_refused(dataset: ParallelDataset, tables: Tables, tmp_path: Path) -> None:
    shards, path = shards_of(tables), tmp_path / "graphs"
    fewer = {**shards[1], "tokens": shards[1]["tokens"].query("sent_id > 0")}
    for wrong in (shards[:1], [shards[0], fewer]):
        with pytest.raises(InputError, match="table tokens: its sentences are not those of the dataset"):
            write_graphs(dataset, wrong, path, BuilderOptions())
    other = [{**shard, "document_graph": shard["document_graph"].assign(doc_id="dog")} for shard in shards]
    with pytest.raises(InputError, match="table document_graph: document dog, sentence 0 is not in the dataset"):
        write_graphs(dataset, other, path, BuilderOptions())
    assert not list(tmp_path.iterdir())
