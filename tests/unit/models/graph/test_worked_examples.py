"""Worked examples of specification 03 that are about the whole system."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.base.vocabulary import PAD
from discourse_nmt.models.context.inference import Paragraph, source_of
from discourse_nmt.models.graph.layers import GraphGate
from discourse_nmt.models.graph.word_graphs import GraphWords, LinkedWords, ParagraphGraphs
from discourse_nmt.models.switches.document_graph import DocumentGraphSettings
from discourse_nmt.models.systems import build
from discourse_nmt.training.run.optimiser import Optimiser, rates_of
from discourse_nmt.training.settings import TrainingSettings
from tests.unit.discourse.graph.graph_tables import CAT_EDGES, CAT_SENTENCES
from tests.unit.models.context.context_examples import SIZE, batch, logits, sentence_model
from tests.unit.models.graph.graph_paragraphs import PARAGRAPHS, SWITCHES, close, graph_network, paragraph


def new_parameters(model: nn.Module, base: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    known = {name for name, _ in base.named_parameters()}
    return ((name, value) for name, value in model.named_parameters() if name not in known)


def test_t03_5_gate_of_equal_weights() -> None:
    gate = GraphGate(DocumentGraphSettings(width=2, heads=1))
    for parameter in gate.parameters():
        nn.init.zeros_(parameter)
    assert gate(torch.tensor([1.0, 1.0]), torch.tensor([3.0, 3.0])).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("side", ["plain", "context"])
@pytest.mark.parametrize("switches", SWITCHES[:9], ids=lambda switches: "-".join(switches.values()))
def test_t03_5_with_open_gates_it_is_the_sentence_model(switches: dict[str, Any], side: str) -> None:
    """A bias of 20 on either linear map of the gate."""
    model = graph_network(**switches).double()
    for layer in (*model.encoder_layers, *model.decoder_layers):
        for each in layer.graph_gate.parameters():
            nn.init.zeros_(each)
        nn.init.constant_(getattr(layer.graph_gate, side).bias, 20.0)
    made, stage_1 = batch(model, PARAGRAPHS), sentence_model(model)
    found, wanted = model.encode_source(made.source), stage_1.encode(made.source.ids)
    real = ~made.source.padding
    torch.testing.assert_close(found.states[real], wanted.states[real], atol=1e-6, rtol=0)
    seen = made.target_output != PAD
    outputs = stage_1(made.source.ids, made.target_input, seen)
    torch.testing.assert_close(model(made, seen), outputs, atol=1e-5, rtol=0)


def test_the_initial_bias_of_the_gates() -> None:
    gate = GraphGate(DocumentGraphSettings(gate_bias=2.2))
    assert torch.sigmoid(gate.plain.bias + gate.context.bias).tolist() == pytest.approx([0.9] * 512, abs=1e-3)


@pytest.mark.parametrize(("scope", "layers"), list(itertools.product(["current", "related", "all"], [1, 2, 3])))
def test_t03_8_pruning_is_exact(scope: str, layers: int) -> None:
    """Scope all sees more without pruning; here everything is within as many edges, so that it sees the same."""
    hops = 40 if scope == "all" else 2
    near, whole = (graph_network(scope=scope, graph_layers=layers, prune_hops=each).double() for each in (hops, None))
    lengths = [9] * 12 if scope != "all" else [4] * 4
    texts = [paragraph(5, lengths, 3, 1)]
    for side in ("source", "target"):
        sizes = [len(batch(model, texts).source.structure.sides[side].starts) for model in (near, whole)]
        assert sizes[0] < sizes[1] if (scope, layers) == ("current", 1) else sizes[0] <= sizes[1]
    for found, wanted in zip(logits(near, texts)[0], logits(whole, texts)[0], strict=True):
        torch.testing.assert_close(found, wanted, atol=1e-12, rtol=1e-12)


@pytest.mark.parametrize(
    ("switches", "same"),
    [
        ({"scope": "current", "graph_layers": 2}, True),
        ({"scope": "current", "graph_layers": 3}, False),
        ({"scope": "related", "graph_layers": 2}, False),
        ({"scope": "all", "graph_layers": 1}, False),
    ],
)
def test_pruning_as_printed_limits_messages_where_they_come_from_farther(switches: dict[str, Any], same: bool) -> None:
    """With scope current and two layers nothing comes from farther than two edges (section 4.5)."""
    exact, printed = (graph_network(pruning=each, **switches).double() for each in ("exact", "printed"))
    texts = [paragraph(5, [9] * 12, 3, 1)]
    found, wanted = (logits(model, texts)[0] for model in (printed, exact))
    assert all(map(close, found, wanted)) == same


@pytest.mark.parametrize("target", ["none", "parallel"])
@pytest.mark.parametrize(("weights", "expected"), [("multi_head", 22_588_416), ("dot", 20_487_168)])
def test_t03_9_parameters_of_the_base_size(target: str, weights: str, expected: int) -> None:
    switches = {"target_graph": target, "direction_weights": weights}
    with torch.device("meta"):
        model, base = build("document_graph", switches, SIZE, SIZE, True), build("transformer", {}, SIZE, SIZE, True)
    assert sum(value.numel() for _, value in new_parameters(model, base)) == expected
    assert {name: each.shape for name, each in base.state_dict().items()}.items() <= {
        name: each.shape for name, each in model.state_dict().items()
    }.items()


def test_unshared_parts_have_parameters_of_their_own() -> None:
    linear = 512**2 + 512
    parts = {
        "share_graph_encoder": 6 * linear,
        "share_decoder_attention": 24 * linear,
        "share_decoder_gate": 12 * linear,
    }
    for switch, more in parts.items():
        with torch.device("meta"):
            counts = [
                sum(each.numel() for each in build("document_graph", {switch: shared}, SIZE, SIZE, True).parameters())
                for shared in (True, False)
            ]
        assert counts[1] - counts[0] == more


def test_t03_10_stage_1_stays_as_it_is() -> None:
    """After an optimiser step with ``training.initialised_rate: 0`` its tensors have the same bits."""
    model = graph_network().train()
    stage_1 = {name for name, _ in sentence_model(model).named_parameters()}
    before = {name: each.clone() for name, each in model.state_dict().items()}
    settings = TrainingSettings(initialised_rate=0.0)
    names = [name for name, _ in model.named_parameters()]
    optimiser = Optimiser(model, settings, rates_of(settings, stage_1, names))
    made = batch(model, PARAGRAPHS)
    model(made, made.target_output != PAD).square().mean().backward()
    optimiser.adam.step()
    for name, each in model.named_parameters():
        assert torch.equal(each, before[name]) == (name in stage_1), name


CAT_WORDS = GraphWords(CAT_SENTENCES, np.array([5, 6, 7, 8, 9, 5, 6]), np.arange(7))


def cat_paragraph(word: int | None) -> Paragraph:
    """Sentence 2 of the worked example; ``word`` is another one than there."""
    subwords = CAT_WORDS.subwords.copy()
    if word is not None:
        subwords[word] = 11
    edges = sorted((*edge, RELATIONS.index(name)) for name in RELATIONS for edge in CAT_EDGES[name])
    linked = LinkedWords(replace(CAT_WORDS, subwords=subwords), *np.array(edges, np.int64).T)
    return Paragraph([[8, 9, 5, 6]], [[8, 9, 5]], ParagraphGraphs(0, 1, 1, {"source": linked}))


@pytest.mark.parametrize(
    ("relations", "layers", "heard"),
    [
        (["lexical"], 1, {0, 1}),
        (["adjacency"], 1, set()),
        (["adjacency"], 2, set()),
        (list(RELATIONS), 1, {0, 1}),
        (list(RELATIONS), 2, {0, 1, 2}),
    ],
)
def test_t03_6_receptive_field(relations: list[str], layers: int, heard: set[int]) -> None:
    """The words of sentence 1 that change the encoding of sentence 2; its own subwords stay as they are."""
    model = graph_network(target_graph="none", relations=relations, graph_layers=layers).double()
    states = [model.encode_source(source_of(model, [cat_paragraph(word)])).states for word in (None, 0, 1, 2)]
    assert {word for word in range(3) if not close(states[1 + word], states[0])} == heard
