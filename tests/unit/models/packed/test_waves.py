"""Decoding in waves against decoding from left to right, and against a literal one without anything kept."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Booleans
from discourse_nmt.base.vocabulary import BEGIN, END, SPECIALS
from discourse_nmt.models.core.beam_search import Hypothesis, longest, search
from discourse_nmt.models.packed.decoding.waves import decode_in_waves
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance, SourceInstance
from discourse_nmt.models.switches.decoding import DecodingSettings
from tests.unit.models.packed.packed_examples import BEAM, GREEDY, instance, network


def left_to_right(awaited: Booleans) -> Booleans:
    """Every sentence waits for all before it."""
    return np.tril(np.ones_like(awaited), -1)


class LiteralSteps:
    """The hypotheses of one sentence, for each of which the whole network reads the whole instance at every step."""

    def __init__(self, model: PackedTransformer, source: SourceInstance, done: list[tuple[int, ...]]) -> None:
        self.model = model
        self.source = source
        self.done = done
        self.prefixes: list[list[int]] = []

    def logits(self, tokens: Tensor) -> Tensor:
        self.prefixes = self.prefixes or [[] for _ in tokens]
        found = []
        for prefix, token in zip(self.prefixes, tokens.tolist()):
            prefix.append(token)
            targets = [*self.done, prefix[1:], *[[]] * len(self.source.source)][: len(self.source.source)]
            grown = Instance(
                self.source.source,
                [np.array(ids, np.int64) for ids in targets],
                self.source.edus,
                self.source.heads,
                self.source.tree,
            )
            place = sum(len(ids) + 1 for ids in self.done) + len(prefix) - 1
            found.append(self.model(self.model.pack([grown]))[place])
        return torch.stack(found)

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        if sentences is None:
            self.prefixes = [list(self.prefixes[parent]) for parent in parents[0].tolist()]


@torch.no_grad()
def literal(model: PackedTransformer, source: SourceInstance, settings: DecodingSettings) -> list[list[Hypothesis]]:
    found: list[list[Hypothesis]] = []
    for ids in source.source:
        steps = LiteralSteps(model, source, [hypotheses[0].ids for hypotheses in found])
        found += search(steps, longest(torch.tensor([len(ids)]), settings), settings)
    return found


def same(one: list[list[Hypothesis]], other: list[list[Hypothesis]]) -> None:
    assert [[h.ids for h in hypotheses] for hypotheses in one] == [[h.ids for h in hypotheses] for hypotheses in other]
    for own, wanted in zip(one, other):
        assert [h.score for h in own] == pytest.approx([h.score for h in wanted], rel=1e-4, abs=1e-4)


SWITCHES: list[dict[str, Any]] = [
    {"fusion": "serial"},
    {"fusion": "parallel"},
    {"fusion": "mix"},
    {"fusion": "parallel", "shared_projections": True},
    {"fusion": "mix", "inner_norm": True, "norm": "pre", "rst_layers": 2},
    {"source_attention": "sentence"},
    {"source_attention": "tree"},
    {"source_attention": "instance"},
    {"target_tree": "none"},
    {"target_positions": "running"},
    {"target_positions": "running", "position_reset": True},
    {"position_reset": True},
    {"rst_layers": 0},
    {"system": "g_transformer"},
    {"system": "g_transformer", "target_positions": "running"},
    {"system": "concat"},
    {"system": "flat_transformer"},
    {"system": "hybrid_context"},
    {"system": "hybrid_context", "target_positions": "source"},
]


@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_waves_equal_the_whole_network_at_every_step(switches: dict[str, Any]) -> None:
    model = network(**switches)
    instances = [instance([3, 2, 0, 2]), instance([1, 2], 2, tree=False)]
    for own, source in zip(decode_in_waves(model, instances, BEAM), instances):
        same(own, literal(model, source, BEAM))


@pytest.mark.parametrize("fusion", ["serial", "parallel", "mix"])
def test_greedy_waves_equal_the_whole_network_at_every_step(fusion: str) -> None:
    model = network(fusion=fusion)
    instances = [instance([3, 4, 0, 5, 2, 1], 4), instance([4, 2, 3], 2, tree=False)]
    for own, source in zip(decode_in_waves(model, instances, GREEDY), instances):
        same(own, literal(model, source, GREEDY))


@pytest.mark.parametrize("settings", [GREEDY, BEAM], ids=["greedy", "beam"])
@pytest.mark.parametrize("seed", range(4))
def test_waves_equal_left_to_right(seed: int, settings: DecodingSettings) -> None:
    model = network(seed, fusion=("serial", "parallel", "mix")[seed % 3])
    rng = np.random.default_rng(seed)
    instances = [instance(rng.integers(0, 9, rng.integers(1, 15)).tolist(), seed + n) for n in range(4)]
    together = decode_in_waves(model, instances, settings)
    for own, source in zip(together, instances):
        same(own, decode_in_waves(model, [source], settings, left_to_right)[0])


def test_memory_that_was_never_written_is_not_read() -> None:
    """Deterministic algorithms fill it with what is not a number."""
    instances = [instance([0]), *(instance([3, 4, 2, 5, 1, 3, 2, 4], seed) for seed in range(4))]
    wanted = decode_in_waves(network(), instances, BEAM)
    torch.use_deterministic_algorithms(True)
    try:
        found = decode_in_waves(network(), instances, BEAM)
    finally:
        torch.use_deterministic_algorithms(False)
    for own, other in zip(found, wanted):
        same(own, other)


def test_what_was_translated_before_matters() -> None:
    """Otherwise the tests above could not tell whether committed sentences are read."""
    model, source = network(), instance([4, 3, 5, 2, 6])
    with_tree = decode_in_waves(model, [source], GREEDY)[0]
    for relation in ("none", "tree-free"):
        changed = network(target_tree="none") if relation == "none" else model
        other = decode_in_waves(changed, [replace(source, tree=relation == "none")], GREEDY)[0]
        assert with_tree != other


@pytest.mark.parametrize("switches", [{}, {"target_positions": "running"}, {"target_tree": "none"}], ids=str)
@pytest.mark.parametrize("end", [0.0, 30.0])
def test_as_many_sentences_as_the_source_has(switches: dict[str, Any], end: float) -> None:
    model = network(end=end, **switches)
    nasty = [
        instance([0]),
        instance([0, 0, 0]),
        instance([1] * 30, 2),
        replace(instance([3, 2]), source=[np.array([BEGIN, END, BEGIN]), np.array([END, 0])]),
        instance([40, 1, 0, 25], 3),
        replace(instance([5, 0, 4]), tree=False, edus=[], heads=np.array([], np.int64)),
    ]
    for found, source in zip(decode_in_waves(model, nasty, BEAM), nasty):
        assert len(found) == len(source.source)
        for hypotheses, ids in zip(found, source.source):
            assert hypotheses
            for hypothesis in hypotheses:
                assert 1 <= len(hypothesis.ids) <= len(ids) + 2 and min(hypothesis.ids) >= len(SPECIALS)


@pytest.mark.parametrize(
    ("switches", "tree", "awaited"),
    [
        ({}, True, "star"),
        ({"source_attention": "instance"}, True, "star"),
        ({"target_tree": "none"}, True, "all"),
        ({}, False, "all"),
        ({"target_positions": "running"}, True, "all"),
        ({"target_positions": "running", "position_reset": True}, True, "star"),
        ({"rst_layers": 0}, False, "none"),
        ({"system": "flat_transformer"}, False, "none"),
        ({"system": "concat"}, True, "all"),
    ],
    ids=str,
)
def test_what_a_sentence_waits_for(switches: dict[str, Any], tree: bool, awaited: str) -> None:
    """The first sentence is the head of all others."""
    star = SourceInstance([np.array([9])] * 5, [np.array([n]) for n in range(5)], np.array([-1, *[0] * 4]), tree)
    found = []

    def order(matrix: Booleans) -> Booleans:
        found.append(matrix)
        return matrix

    decode_in_waves(network(**switches), [star], GREEDY, order)
    expected = np.zeros((5, 5), np.bool_)
    if awaited != "none":
        expected[1:, 0] = True
    assert np.array_equal(found[0], left_to_right(expected) if awaited == "all" else expected)
