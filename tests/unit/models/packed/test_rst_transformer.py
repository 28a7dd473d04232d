"""RST-Transformer: the worked examples of its specification, and the limits in which it is another system."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Integers
from discourse_nmt.models.attention.multi_head import attend
from discourse_nmt.models.attention.neighbourhood import Neighbourhood, neighbourhood
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.packed.g_transformer import GTransformer
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.packing import PackedBatch, pack
from discourse_nmt.models.packed.related_attention import FusedAttention, Fusion
from discourse_nmt.models.packed.relations import Relation, sentence_pairs
from discourse_nmt.models.packed.rst_transformer import RstTransformer
from discourse_nmt.models.switches.packed import GTransformerSettings, RstTransformerSettings
from discourse_nmt.models.switches.transformer import TransformerSettings

FUSIONS: list[Fusion] = ["serial", "parallel", "mix"]
VOCABULARY = 30

# Seven source tokens in three sentences and five units (T01-1); the target's lengths are those of T01-2.
EDUS = [np.array([0, 0, 1]), np.array([2, 2]), np.array([3, 4])]
HEADS = np.array([-1, 0, 1, 0, 3])
RELATIONS: tuple[Relation, ...] = ("sentence", "tree", "instance")

SMALL: dict[str, Any] = {
    "encoder_layers": 3,
    "decoder_layers": 3,
    "width": 16,
    "heads": 2,
    "feed_forward_width": 32,
    "dropout": 0.0,
}


def instance(edus: Sequence[Integers] = EDUS, heads: Integers = HEADS, seed: int = 0, words: int = 1) -> Instance:
    """Random source subwords for the units, ``words`` random target subwords for each sentence."""
    rng = np.random.default_rng(seed)
    source = [rng.integers(7, VOCABULARY, len(units)) for units in edus]
    return Instance(source, [rng.integers(7, VOCABULARY, words) for _ in edus], edus, heads)


def seen(plan: Neighbourhood, queries: Sequence[int], keys: Sequence[int]) -> list[str]:
    """Which of ``keys`` each of ``queries`` sees, as rows of zeros and ones: uniform attention to one-hot values."""
    _, rows, size = plan.shape
    mixed = attend(
        torch.zeros(1, 1, rows, size), torch.zeros(1, 1, size, size), torch.eye(size)[None, None], plan, False, 0.0
    )
    return ["".join(str(int(mixed[0, 0, query, key] > 0)) for key in keys) for query in queries]


def network(**switches: Any) -> RstTransformer:
    torch.manual_seed(1)
    model = RstTransformer(RstTransformerSettings(**{**SMALL, **switches}), VOCABULARY, VOCABULARY, True).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def run(model: PackedTransformer, *instances: Instance) -> Tensor:
    logits: Tensor = model(model.pack(instances))
    return logits


# Places of the seven source tokens and the five target tokens among the sentence marks that packing adds.
SOURCE, TARGET = [1, 2, 3, 6, 7, 10, 11], [0, 1, 2, 4, 5]


@pytest.fixture
def batch() -> PackedBatch:
    return pack([instance()], RELATIONS)


def test_T01_1_masks(batch: PackedBatch) -> None:
    plans = batch.plans.source
    sentence = seen(plans["sentence"], SOURCE, SOURCE)
    assert sentence == ["1110000", "1110000", "1110000", "0001100", "0001100", "0000011", "0000011"]
    tree = seen(plans["tree"], SOURCE, SOURCE)
    assert tree == ["1110010", "1110010", "1111100", "0011100", "0011100", "1100011", "0000011"]
    assert ("".join(sentence).count("1"), "".join(tree).count("1")) == (17, 25)
    sizes = np.bincount(np.concatenate(EDUS))
    arcs = [(head, unit) for unit, head in enumerate(HEADS) if head >= 0]
    assert (sizes**2).sum() + 2 * sum(sizes[head] * sizes[unit] for head, unit in arcs) == 25


def test_T01_2_merged_target_tree(batch: PackedBatch) -> None:
    adjacent = np.zeros((3, 3), int)
    adjacent[tuple(sentence_pairs(EDUS, HEADS).T)] = 1
    assert adjacent.tolist() == [[1, 1, 1], [1, 1, 0], [1, 0, 1]]
    within, across = batch.plans.target, batch.plans.across
    assert seen(within["tree"], TARGET, TARGET) == ["10000", "11000", "11100", "11010", "11011"]
    assert seen(within["sentence"], TARGET, TARGET) == ["10000", "11000", "00100", "00010", "00011"]
    assert seen(across["tree"], TARGET, SOURCE) == ["1111111", "1111111", "1111100", "1110011", "1110011"]


@pytest.mark.parametrize(
    ("fusion", "wanted"),
    [
        ("parallel", [1.5, 1.5, 1.5, 3.25, 3.25, 4.25, 5.5]),
        ("serial", [2.125, 2.125, 2.0, 8 / 3, 8 / 3, 3.25, 5.5]),
        ("mix", [1.5625, 1.5625, 1.5, 37 / 12, 37 / 12, 4.375, 5.5]),
    ],
)
def test_T01_3_uniform_attention(fusion: Fusion, wanted: list[float]) -> None:
    units = np.concatenate(EDUS)[None]
    sentences = np.repeat(np.arange(3), [3, 2, 2])[None]
    same = np.stack([np.arange(3)] * 2, axis=1)
    arcs = np.array([(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (0, 1), (1, 2), (0, 3), (3, 4)])
    arcs = np.unique(np.concatenate([arcs, arcs[:, ::-1]]), axis=0)
    plans: dict[Relation, Neighbourhood] = {
        "sentence": neighbourhood(sentences, sentences, [same]),
        "tree": neighbourhood(units, units, [arcs]),
    }
    attention = FusedAttention(1, 1, 0.0, fusion, "tree")
    for parameter in attention.parameters():
        torch.nn.init.zeros_(parameter)
    for module in (attention, attention.related):
        assert module is not None
        module.projection.weight.data[2] = 1.0
        module.output.weight.data[:] = 1.0
    values = torch.arange(7.0)[None, :, None]
    assert attention.to_itself(values, plans["sentence"]).flatten().tolist() == [1, 1, 1, 3.5, 3.5, 5.5, 5.5]
    assert attention.to_itself(values, plans["tree"]).flatten().tolist() == [2, 2, 2, 3, 3, 3, 5.5]
    torch.testing.assert_close(attention.among(values, plans).flatten(), torch.tensor(wanted))


def test_T01_4a_a_tree_that_relates_everything_is_no_restriction() -> None:
    """Two sentences of one unit each, one the head of the other; parallel, this is the G-Transformer."""
    edus = [np.array([0, 0]), np.array([1, 1])]
    connected = instance(edus, np.array([-1, 0]))
    model = network(fusion="parallel")
    torch.testing.assert_close(run(model, connected), run(model, replace(connected, tree=False)))
    group = GTransformer(GTransformerSettings(**SMALL), VOCABULARY, VOCABULARY, True).eval()
    group.load_state_dict(model.state_dict())
    torch.testing.assert_close(run(model, connected), run(group, connected))


def test_T01_4b_units_without_arcs_that_are_sentences_see_their_sentence() -> None:
    """With the same parameters RSTAttn is SentAttn, so that a gate between them changes nothing."""
    edus = [np.array([0, 0, 0]), np.array([1, 1]), np.array([2])]
    alone = instance(edus, np.array([-1, -1, -1]))
    batch = pack([alone], RELATIONS)
    for plans, places in ((batch.plans.source, range(12)), (batch.plans.target, range(6))):
        assert seen(plans["tree"], places, places) == seen(plans["sentence"], places, places)
    model, sentences = network(fusion="parallel", shared_projections=True), network(rst_layers=0)
    sentences.load_state_dict(model.state_dict(), strict=False)
    torch.testing.assert_close(run(model, alone), run(sentences, alone))


def test_T01_4c_one_sentence_of_one_unit_is_ordinary_attention() -> None:
    single = instance([np.array([0, 0, 0])], np.array([-1]), words=3)
    batch = pack([single], RELATIONS)
    for plan in batch.plans.source.values():
        assert seen(plan, range(5), range(5)) == ["11111"] * 5
    for plan in batch.plans.target.values():
        assert seen(plan, range(4), range(4)) == ["1000", "1100", "1110", "1111"]
    model = network(fusion="parallel", shared_projections=True)
    ordinary = Transformer(TransformerSettings(**SMALL), VOCABULARY, VOCABULARY, True).eval()
    ordinary.load_state_dict(model.state_dict(), strict=False)
    torch.testing.assert_close(run(model, single), ordinary(batch.source.ids, batch.target.ids)[0])


def test_T01_4d_without_the_tree_its_arcs_change_nothing() -> None:
    model = network()
    one, other = (instance(heads=heads) for heads in (HEADS, np.array([1, -1, 1, 2, 3])))
    assert not torch.allclose(run(model, one), run(model, other), atol=1e-4)
    torch.testing.assert_close(run(model, replace(one, tree=False)), run(model, replace(other, tree=False)))


@pytest.mark.parametrize("fusion", ["parallel", "mix"])
def test_T01_4e_an_open_gate_leaves_the_sentence_only(fusion: Fusion) -> None:
    model = network(fusion=fusion)
    for name, parameter in model.named_parameters():
        if name.endswith("gate.bias"):
            torch.nn.init.constant_(parameter, 1e4)
    sentence = network(rst_layers=0)
    sentence.load_state_dict(model.state_dict(), strict=False)
    torch.testing.assert_close(run(model, instance()), run(sentence, instance()))


@pytest.mark.parametrize("fusion", FUSIONS)
def test_T01_5_causality(fusion: Fusion) -> None:
    model = network(fusion=fusion)
    first = instance(words=3)
    for changed in range(3):
        for place in range(3):
            target = [ids.copy() for ids in first.target]
            target[changed][place] = 7 + (target[changed][place] - 6) % (VOCABULARY - 7)
            difference = (run(model, first) - run(model, replace(first, target=target))).abs().sum(dim=1)
            assert not difference[: 4 * changed + place + 1].any()
            assert difference[4 * changed + place + 1 :].any()


def test_T01_6_locality() -> None:
    model = network(rst_layers=0)
    first = instance()
    source = [ids.copy() for ids in first.source]
    source[1][0] = 7 + (source[1][0] - 6) % (VOCABULARY - 7)
    difference = (run(model, first) - run(model, replace(first, source=source))).abs().sum(dim=1)
    assert difference.bool().tolist() == [False, False, True, True, False, False]


def test_T01_7_tree_A() -> None:
    """Units e1 in S1, e2 and e3 in S2, e4 in S3; heads by Li et al. (2014), T00-3."""
    pairs = sentence_pairs([np.array([0]), np.array([1, 2]), np.array([3])], np.array([-1, 0, 1, 1]))
    assert {tuple(pair) for pair in pairs.tolist()} == {(0, 0), (1, 1), (2, 2), (0, 1), (1, 0), (1, 2), (2, 1)}


@pytest.mark.parametrize("fusion", FUSIONS)
def test_instances_of_a_batch_do_not_see_each_other(fusion: Fusion) -> None:
    model = network(fusion=fusion)
    instances = [
        instance(seed=1),
        instance([np.array([0, 1, 1])], np.array([1, -1]), seed=2, words=4),
        replace(instance(seed=3, words=2), tree=False),
    ]
    alone = torch.cat([run(model, one) for one in instances])
    torch.testing.assert_close(run(model, *instances), alone)


def test_the_sentence_relation_alone_is_the_sentence_model() -> None:
    """On positions that begin anew with each sentence; parameters have the same names."""
    model = network(rst_layers=0, position_reset=True)
    sentence_model = Transformer(TransformerSettings(**SMALL), VOCABULARY, VOCABULARY, True).eval()
    sentence_model.load_state_dict(model.state_dict())
    first = instance(words=2)
    found = run(model, first).split(3)
    for ids, target, logits in zip(first.source, first.target, found):
        source_ids = torch.tensor([[1, *ids.tolist(), 2]])
        wanted = sentence_model(source_ids, torch.tensor([[1, *target.tolist()]]))
        torch.testing.assert_close(logits, wanted[0])
