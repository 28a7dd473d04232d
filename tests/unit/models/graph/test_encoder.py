"""The sparse graph encoder against its literal, dense definition, and the worked examples of specification 03."""

import dataclasses
import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.models.graph.encoder import GraphEncoder, graph_tensors, layer_graphs, word_states
from discourse_nmt.models.graph.word_graphs import WordGraph, side_by_side, word_graph
from discourse_nmt.models.switches.document_graph import GraphEncoderSettings
from tests.unit.discourse.graph.graph_tables import CAT_EDGES, CAT_SENTENCES, cat_arrays
from tests.unit.models.graph.encoder_reference import convolve, dense, encode

NORMS = ("rowcol", "literal", "row")
EDGES = ([0, 0, 1], [1, 2, 2])  # of worked example T03-4


def settings_of(**values: Any) -> GraphEncoderSettings:
    return parse_settings(GraphEncoderSettings, values, "graph")


def encoder_of(width: int = 8, heads: int = 2, **values: Any) -> GraphEncoder:
    torch.manual_seed(1)
    encoder = GraphEncoder(width, heads, settings_of(**values)).double().eval()
    for parameter in encoder.parameters():
        nn.init.normal_(parameter, std=0.5)
    return encoder


def random_graph(size: int, edges: int, seed: int = 0, count: int = 1) -> WordGraph:
    """Edges of ``count`` kinds, some of which link the same words."""
    generator = np.random.default_rng(seed)
    sources, targets = generator.integers(0, size, (2, edges))
    kinds = generator.integers(0, count, edges)
    linked = np.flatnonzero(sources != targets)
    again = linked[: edges // 4]  # the same words, maybe of another kind
    kinds = np.append(kinds[linked], generator.integers(0, count, len(again)))
    linked = np.append(linked, again)
    return word_graph(size, sources[linked], targets[linked], kinds=kinds, count=count)


def whole(encoder: GraphEncoder, states: Tensor, graph: WordGraph, norm: Any = "rowcol") -> Tensor:
    """The states of all nodes, each computed in every layer."""
    result: Tensor = encoder(states, [graph_tensors(graph, norm)] * len(encoder.layers))
    return result


def unit_encoder(**values: Any) -> GraphEncoder:
    """The layer of T03-4: one dimension, weights 1, no bias."""
    encoder = encoder_of(width=1, heads=1, graph_layers=1, **values)
    nn.init.ones_(encoder.layers[0].projection.weight)  # type: ignore[union-attr, arg-type]
    nn.init.zeros_(encoder.layers[0].projection.bias)  # type: ignore[union-attr, arg-type]
    return encoder


def column(values: Iterable[float]) -> Tensor:
    return torch.tensor(list(values), dtype=torch.float64)[:, None]


PRINTED: dict[str, dict[str, list[float]]] = {
    "rowcol": {"in": [0, 0.707107, 1.914214], "out": [0.914214, -0.707107, 0]},
    "literal": {"in": [0, 0.707107, 2.707107], "out": [1.292893, -0.707107, 0]},
    "row": {"in": [0, 1, 1.5], "out": [0.5, -1, 0]},
}
WEIGHTS = {
    "rowcol": [[0.285846, 0.354007, 0.360147], [0.329792, 0.167237, 0.502971], [0.233827, 0.339025, 0.427148]],
    "literal": [[0.278613, 0.370354, 0.351033], [0.329792, 0.167237, 0.502971], [0.222219, 0.344161, 0.433620]],
    "row": [[0.294967, 0.333394, 0.371639], [0.364168, 0.144515, 0.491318], [0.243625, 0.334689, 0.421686]],
}
RESULTS = {
    "rowcol": [0.658924, 0.719125, 0.488168],
    "literal": [0.686526, 0.719125, 0.497017],
    "row": [0.626698, 0.737845, 0.479935],
}


@pytest.mark.parametrize("norm", NORMS)
def test_t03_4_sums_of_each_direction(norm: Any) -> None:
    tensors = graph_tensors(word_graph(3, *map(np.array, EDGES)), norm)
    states = column([1, 2, -1])
    for direction, aggregation in (("in", tensors.incoming), ("out", tensors.outgoing)):
        torch.testing.assert_close(aggregation.sum(states), column(PRINTED[norm][direction]), atol=1e-6, rtol=0)


@pytest.mark.parametrize("norm", NORMS)
def test_t03_4_one_layer(norm: str) -> None:
    encoder = unit_encoder(graph_norm=norm)
    states = column([1, 2, -1])
    graph = word_graph(3, *map(np.array, EDGES))
    torch.testing.assert_close(whole(encoder, states, graph, norm), column(RESULTS[norm]), atol=1e-6, rtol=0)
    weights = convolve(encoder.layers[0], states, [dense(3, *EDGES)])[1]  # type: ignore[arg-type]
    torch.testing.assert_close(weights, torch.tensor(WEIGHTS[norm], dtype=torch.float64), atol=1e-6, rtol=0)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("relation", ["dependency", "lexical"])
def test_t03_3_nodes_without_incoming_edges(norm: Any, relation: str) -> None:
    graph = word_graph(7, *cat_arrays(relation))
    expected = {"dependency": [1, 1, 0, 1, 0, 1, 1], "lexical": [0, 0, 0, 0, 0, 1, 1]}
    assert graph.arriving[:, 0].tolist() == expected[relation]
    states = torch.randn(7, 8, dtype=torch.float64, requires_grad=True)
    for masked in (False, True):
        encoder = encoder_of(graph_norm=norm, mask_empty_directions=masked)
        result = whole(encoder, states, graph, norm)
        result.sum().backward()
        assert result.isfinite().all() and states.grad is not None and states.grad.isfinite().all()


SWITCHES = [
    dict(zip(("graph_norm", "graph_activation", "direction_weights", "mask_empty_directions", "graph_layers"), values))
    for values in itertools.chain(
        itertools.product(NORMS, ["sigmoid", "relu"], ["dot"], [False, True], [2]),
        itertools.product(["rowcol"], ["sigmoid", "relu"], ["multi_head", "gates"], [False, True], [1, 3]),
    )
] + [
    {"graph_activation": "gelu", "graph_residual": True},
    {"graph_layer_norm": True, "graph_norm": "row"},
    {"graph_residual": True, "graph_layer_norm": True, "relation_gates": True},
    *({"relation_gates": True, "graph_norm": norm, "mask_empty_directions": True} for norm in NORMS),
]


@pytest.mark.parametrize("switches", SWITCHES, ids=lambda switches: "-".join(map(str, switches.values())))
def test_the_sparse_encoder_is_the_dense_definition(switches: dict[str, Any]) -> None:
    kinds = len(RELATIONS) if switches.get("relation_gates") else 1
    graph = random_graph(12, 30, count=kinds)
    matrices = [
        dense(len(graph), graph.sources[graph.kinds == kind].tolist(), graph.targets[graph.kinds == kind].tolist())
        for kind in range(kinds)
    ]
    encoder = encoder_of(**switches)
    results = []
    for run in (
        lambda states: whole(encoder, states, graph, switches.get("graph_norm", "rowcol")),
        lambda states: encode(encoder, states, matrices),
    ):
        states = torch.randn(12, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(2), requires_grad=True)
        result = run(states)
        loss = (result * torch.linspace(-1, 1, 8)).sum()
        results.append([result, *torch.autograd.grad(loss, [states, *encoder.parameters()])])
    for sparse, literal in zip(*results, strict=True):
        torch.testing.assert_close(sparse, literal, atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("kind", ["dot", "multi_head", "gates", "relation gates"])
def test_t03_8_pruning_is_exact(layers: int, kind: str) -> None:
    """The part within as many edges as there are layers gives the sentence's nodes the states of the whole graph."""
    of_relations = kind == "relation gates"
    graph = random_graph(200, 200, seed=layers, count=len(RELATIONS) if of_relations else 1)
    switches: dict[str, Any] = {"relation_gates": True} if of_relations else {"direction_weights": kind}
    encoder = encoder_of(graph_layers=layers, mask_empty_directions=True, graph_residual=of_relations, **switches)
    states = torch.randn(200, 8, dtype=torch.float64)
    expected = whole(encoder, states, graph)
    for start in range(0, 200, 20):
        sentence = np.zeros((1, 200), bool)
        sentence[:, start : start + 5] = True
        kept = graph.reached(sentence, layers)[0]
        assert 5 < kept.sum() < 190
        tensors = layer_graphs(graph.part(kept), "rowcol", sentence[0][kept], layers)
        part = encoder(states[torch.from_numpy(kept)], tensors)
        torch.testing.assert_close(part, expected[start : start + 5], atol=1e-12, rtol=0)


def test_pruning_one_edge_too_near_is_not_exact() -> None:
    graph = word_graph(4, np.array([0, 1, 2]), np.array([1, 2, 3]))
    encoder, states = encoder_of(), torch.randn(4, 8, dtype=torch.float64)
    kept = graph.reached(np.array([[True, False, False, False]]), 1)[0]
    part = whole(encoder, states[:2], graph.part(kept))
    assert not torch.allclose(part[0], whole(encoder, states, graph)[0])


@pytest.mark.parametrize(
    ("relations", "layers", "changed", "reaches"),
    [
        (["lexical"], 1, 0, True),
        (["lexical"], 1, 2, False),
        (list(CAT_EDGES), 2, 2, True),
        (["adjacency"], 3, 2, False),
    ],
)
def test_t03_6_receptive_field(relations: list[str], layers: int, changed: int, reaches: bool) -> None:
    encoder = encoder_of(graph_layers=layers)
    graph = word_graph(7, *cat_arrays(*relations))
    states = torch.randn(7, 8, dtype=torch.float64)
    other = states.clone()
    other[changed] += 1
    current = torch.from_numpy(CAT_SENTENCES == 1)
    before, after = (whole(encoder, each, graph)[current] for each in (states, other))
    assert torch.equal(before, after) != reaches


def test_t03_7_words_are_the_means_of_their_subwords() -> None:
    embeddings = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]])
    subwords, starts = torch.tensor([0, 1, 2]), torch.tensor([0, 2, 3])
    found = word_states(embeddings, subwords, starts, 1.0)
    assert found.tolist() == [[0.5, 1.0], [3.0, 4.0], [0.0, 0.0]]  # the last word has no subword
    assert word_states(embeddings, subwords, starts, 2.0).tolist() == (2 * found).tolist()


@pytest.mark.parametrize(
    ("kind", "linears"), [("multi_head", 14), ("dot", 6)], ids=["multi-head attention", "dot product"]
)
def test_t03_9_parameters_of_the_graph_encoder(kind: str, linears: int) -> None:
    """With the 72 linears of the integration: 22,588,416 and 20,487,168 parameters."""
    encoder = GraphEncoder(512, 8, settings_of(direction_weights=kind))
    count = sum(parameter.numel() for parameter in encoder.parameters())
    assert count == linears * (512 * 512 + 512)
    assert 18_911_232 + count == {14: 22_588_416, 6: 20_487_168}[linears]


@pytest.mark.parametrize("kinds", [1, len(RELATIONS)])
def test_documents_side_by_side_do_not_see_each_other(kinds: int) -> None:
    graphs = [random_graph(size, 2 * size, seed=size, count=kinds) for size in (5, 1, 9)]
    encoder = encoder_of(relation_gates=kinds > 1)
    states = [torch.randn(len(graph), 8, dtype=torch.float64) for graph in graphs]
    together = whole(encoder, torch.cat(states), side_by_side(graphs))
    alone = [whole(encoder, each, graph) for each, graph in zip(states, graphs)]
    torch.testing.assert_close(together, torch.cat(alone), atol=1e-12, rtol=0)


def test_a_graph_without_edges_and_one_without_nodes() -> None:
    nothing = np.empty(0, np.int64)
    for size in (3, 0):
        states = torch.randn(size, 8, dtype=torch.float64)
        assert whole(encoder_of(), states, word_graph(size, nothing, nothing)).shape == (size, 8)
    assert len(side_by_side([])) == 0


def test_dropout_is_of_the_input_and_only_in_training() -> None:
    encoder = encoder_of(graph_dropout=0.5)
    graph = random_graph(12, 20)
    states = torch.randn(12, 8, dtype=torch.float64)
    assert torch.equal(whole(encoder, states, graph), whole(encoder, states, graph))
    encoder.train()
    assert not torch.equal(whole(encoder, states, graph), whole(encoder, states, graph))


def test_the_default_encoder_is_the_printed_one() -> None:
    settings = settings_of()
    assert (settings.graph_layers, settings.graph_activation, settings.graph_norm) == (2, "sigmoid", "rowcol")
    assert not (settings.graph_residual or settings.graph_layer_norm or settings.relation_gates)


def test_the_printed_encoder_makes_all_nodes_alike_and_a_residual_one_does_not() -> None:
    """Spread of the states over nodes, in per cent of their size; see the page of the system."""
    graph, states = random_graph(60, 180), torch.randn(60, 32, dtype=torch.float64)

    def spread(**values: Any) -> float:
        torch.manual_seed(1)
        found = whole(GraphEncoder(32, 2, settings_of(**values)).double().eval(), states, graph).detach()
        return float(found.std(dim=0).norm() / found.norm(dim=1).mean())

    assert spread() < 0.1
    assert spread(graph_residual=True, graph_layer_norm=True, graph_activation="relu") > 0.8


def test_relations_have_degrees_of_their_own() -> None:
    """A mention with one antecedent and many repetitions: merged, the antecedent is one of many."""
    sources, targets = np.array([0, 1, 2, 3, 4]), np.array([5, 5, 5, 5, 5])
    kinds = np.array([3, 2, 2, 2, 2])
    weights = [
        graph_tensors(graph, "row").incoming.weights[0].item()
        for graph in (word_graph(6, sources, targets), word_graph(6, sources, targets, kinds=kinds, count=4))
    ]
    assert weights == [0.2, 1.0]


def test_wrong_switches_are_refused() -> None:
    for name, value in (("graph_layers", 0), ("graph_norm", "column"), ("graph_dropout", 1.0)):
        with pytest.raises(InputError, match=name):
            settings_of(**{name: value})
    assert dataclasses.asdict(settings_of())["direction_weights"] == "dot"
