"""Word graphs: merged relations, what is near a sentence, parts of graphs."""

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discourse_nmt.models.graph.word_graphs import WordGraph, side_by_side, word_graph
from tests.unit.discourse.graph.graph_tables import CAT_SENTENCES, cat_arrays

CURRENT = CAT_SENTENCES == 1  # sentence 2 of the worked example
EVERYTHING = {0, 1, 2, 3, 4, 5, 6}


def nodes(mask: np.ndarray) -> set[int]:
    return set(np.flatnonzero(mask).tolist())


def test_t03_1_matrix_of_the_merged_relations() -> None:
    graph = word_graph(7, *cat_arrays())
    assert len(graph.sources) == 14
    assert graph.arriving[:, 0].tolist() == [1, 2, 1, 2, 2, 3, 3]
    assert graph.leaving[:, 0].tolist() == [2, 4, 1, 1, 3, 2, 1]
    matrix = np.zeros((7, 7), int)
    matrix[graph.sources, graph.targets] = 1
    printed = "0100010 1011001 0100000 0000100 0001011 0000101 0000010"
    assert [list(map(int, row)) for row in printed.split()] == matrix.tolist()


@pytest.mark.parametrize(
    ("relations", "near", "far"),
    [
        ((), {0, 1, 3, 4, 5, 6}, EVERYTHING),
        (("adjacency",), {3, 4, 5, 6}, {3, 4, 5, 6}),
        (("lexical",), {0, 1, 3, 4, 5, 6}, {0, 1, 3, 4, 5, 6}),
        (("coreference",), {1, 3, 4, 5, 6}, {1, 3, 4, 5, 6}),
        (("dependency", "lexical"), {0, 1, 3, 4, 5, 6}, EVERYTHING),
    ],
)
def test_t03_2_neighbourhoods(relations: tuple[str, ...], near: set[int], far: set[int]) -> None:
    graph = word_graph(7, *cat_arrays(*relations))
    assert nodes(graph.reached(CURRENT[None], 1)[0]) == near
    assert nodes(graph.reached(CURRENT[None], 2)[0]) == far
    assert nodes(graph.reached(CURRENT[None], 0)[0]) == {3, 4, 5, 6}


@st.composite
def graphs(draw: st.DrawFn) -> WordGraph:
    size = draw(st.integers(1, 12))
    ends = st.lists(st.tuples(*[st.integers(0, size - 1)] * 2), max_size=16)
    edges = [edge for edge in draw(ends) if edge[0] != edge[1]]
    return word_graph(size, *np.array(edges, np.int64).reshape(-1, 2).T)


@given(graphs(), st.integers(0, 4), st.integers(0, 2**32))
def test_what_is_reached(graph: WordGraph, hops: int, seed: int) -> None:
    members = np.random.default_rng(seed).random((11, len(graph))) < 0.3
    undirected = networkx.Graph(zip(graph.sources.tolist(), graph.targets.tolist()))
    undirected.add_nodes_from(range(len(graph)))
    for found, start in zip(graph.reached(members, hops), members, strict=True):
        distances = networkx.multi_source_dijkstra_path_length(undirected, nodes(start)) if start.any() else {}
        assert nodes(found) == {node for node, distance in distances.items() if distance <= hops}


@given(graphs(), st.data())
def test_related_nodes(graph: WordGraph, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(graph) - 1)))
    pairs = [tuple(pair) for pair in graph.related(np.array(chosen, np.int64)).tolist()]
    assert pairs == sorted(set(pairs))
    edges = set(zip(graph.sources.tolist(), graph.targets.tolist()))
    linked = edges | {(target, source) for source, target in edges} | {(node, node) for node in range(len(graph))}
    expected = {(place, other) for place, node in enumerate(chosen) for this, other in linked if this == node}
    assert set(pairs) == expected


@given(graphs(), st.data())
def test_a_part_keeps_the_degrees_of_the_whole(graph: WordGraph, data: st.DataObject) -> None:
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(graph), max_size=len(graph))))
    part = graph.part(kept)
    names = np.flatnonzero(kept)
    assert part.arriving.tolist() == graph.arriving[kept].tolist()
    assert part.leaving.tolist() == graph.leaving[kept].tolist()
    edges = set(zip(names[part.sources].tolist(), names[part.targets].tolist()))
    assert edges == {
        (source, target)
        for source, target in zip(graph.sources.tolist(), graph.targets.tolist())
        if kept[source] and kept[target]
    }


@given(graphs())
def test_parts_beside_each_other_are_the_whole(graph: WordGraph) -> None:
    doubled = side_by_side([graph, graph])
    first = np.arange(2 * len(graph)) < len(graph)
    for kept in (first, ~first):
        part = doubled.part(kept)
        for name in ("sources", "targets", "arriving", "leaving"):
            assert getattr(part, name).tolist() == getattr(graph, name).tolist()
