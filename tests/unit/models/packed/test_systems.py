"""What all packed systems have in common, and the limits in which one is another."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.packed.concat import Concat
from discourse_nmt.models.packed.g_transformer import GTransformer
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.related_attention import FusedAttention
from discourse_nmt.models.packed.rst_transformer import RstTransformer
from discourse_nmt.models.switches.packed import ConcatSettings, GTransformerSettings, RstTransformerSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS, build
from tests.unit.models.packed.packed_examples import instance as source_instance

SIZE = 23
SMALL: dict[str, Any] = {
    "encoder_layers": 3,
    "decoder_layers": 3,
    "width": 16,
    "heads": 2,
    "feed_forward_width": 32,
    "dropout": 0.0,
}
UPPER = [("rst_transformer", "rst_layers"), ("g_transformer", "global_layers")]
"""Systems whose upper layers differ, and the switch that tells how many."""
PACKED = [name for name, system in SYSTEMS.items() if system.unit == "instance"]


def network(name: str, **switches: Any) -> Any:
    """A network whose parameters are all random."""
    torch.manual_seed(1)
    model = build(name, {**SMALL, **switches}, SIZE, SIZE, True).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def instance(lengths: list[tuple[int, int]], seed: int = 1) -> Instance:
    """Sentences of random subwords, of these lengths on both sides, under a random tree."""
    source = source_instance([length for length, _ in lengths], seed)
    rng = np.random.default_rng(seed)
    return Instance(source.source, [rng.integers(7, SIZE, length) for _, length in lengths], source.edus, source.heads)


def run(model: PackedTransformer, *instances: Instance) -> Tensor:
    logits: Tensor = model(model.pack(instances))
    return logits


def changed(ids: np.ndarray, place: int) -> np.ndarray:
    """``ids`` with another subword at ``place``."""
    return np.concatenate([ids[:place], [7 + (ids[place] - 6) % (SIZE - 7)], ids[place + 1 :]])


@pytest.mark.parametrize("name", PACKED)
def test_instances_of_a_batch_do_not_see_each_other(name: str) -> None:
    model = network(name)
    instances = [instance([(3, 2), (2, 4), (4, 1)], 1), instance([(5, 3)], 2), instance([(1, 1), (2, 6)], 3)]
    alone = torch.cat([run(model, one) for one in instances])
    torch.testing.assert_close(run(model, *instances), alone)


@pytest.mark.parametrize("name", PACKED)
def test_causality(name: str) -> None:
    model = network(name, **({"drop_rst": 1.0} if name == "rst_transformer" else {}))
    first = replace(instance([(3, 3), (2, 3), (4, 3)]), tree=False)
    before = run(model, first)
    for sentence in range(3):
        for place in range(3):
            target = list(first.target)
            target[sentence] = changed(target[sentence], place)
            reached = (run(model, replace(first, target=target)) - before).abs().sum(dim=1).gt(0)
            assert not reached[: 4 * sentence + place + 1].any()
            assert reached[4 * sentence + place + 1 : 4 * sentence + 4].all()
            sees_earlier = name != "flat_transformer"
            assert reached[4 * sentence + 4 :].all() if sees_earlier else not reached[4 * sentence + 4 :].any()


@pytest.mark.parametrize("layers", [(3, 3), (3, 1), (1, 3)])
@pytest.mark.parametrize("name", PACKED)
def test_every_parameter_gets_a_gradient(name: str, layers: tuple[int, int]) -> None:
    """With unequal numbers of layers, too."""
    upper = {switch: min(2, *layers) for system, switch in UPPER if system == name}
    model = network(name, encoder_layers=layers[0], decoder_layers=layers[1], **upper)
    batch = model.pack([instance([(3, 2), (2, 4), (4, 1)])])
    torch.nn.functional.cross_entropy(model(batch), batch.target_output[0]).backward()
    without = [name for name, parameter in model.named_parameters() if not parameter.grad.abs().sum()]
    assert not without


@pytest.mark.parametrize("running", [False, True])
def test_rst_transformer_parallel_with_drop_rst_1_is_the_g_transformer(running: bool) -> None:
    """Spec 01, section 9: forward and backward."""
    switches: dict[str, Any] = {**SMALL, "target_positions": "running" if running else "source"}
    torch.manual_seed(1)
    rst = RstTransformer(RstTransformerSettings(**switches, fusion="parallel", drop_rst=1.0), SIZE, SIZE, True)
    group = GTransformer(GTransformerSettings(**switches), SIZE, SIZE, True)
    group.load_state_dict(rst.state_dict())
    instances = [instance([(3, 2), (2, 4), (4, 1)], 1), instance([(5, 3), (2, 2)], 2)]
    without = [replace(one, tree=False) for one in instances]
    one, other = run(rst, *without), run(group, *instances)
    torch.testing.assert_close(one, other, atol=1e-6, rtol=0)
    one.square().sum().backward()
    other.square().sum().backward()
    gradients = {name: parameter.grad for name, parameter in group.named_parameters()}
    for name, parameter in rst.named_parameters():
        torch.testing.assert_close(parameter.grad, gradients[name], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("layers", [(3, 1), (1, 3)])
@pytest.mark.parametrize(("name", "switch"), UPPER)
def test_the_upper_layers_of_each_side_combine_two_attentions(name: str, switch: str, layers: tuple[int, int]) -> None:
    """With unequal numbers of layers, too."""
    model = network(name, encoder_layers=layers[0], decoder_layers=layers[1], **{switch: 1})
    stacks: list[list[Any]] = [
        [layer.attention for layer in model.encoder_layers],
        [layer.attention for layer in model.decoder_layers],
        [layer.source_attention for layer in model.decoder_layers],
    ]
    for stack, count in zip(stacks, (layers[0], layers[1], layers[1])):
        assert [isinstance(attention, FusedAttention) for attention in stack] == [False] * (count - 1) + [True]


def test_the_sentence_relation_alone_is_the_sentence_model() -> None:
    """On positions that begin anew with each sentence; parameters have the same names."""
    concat = Concat(ConcatSettings(**SMALL, attention="sentence", position_reset=True), SIZE, SIZE, True).eval()
    model = Transformer(TransformerSettings(**SMALL), SIZE, SIZE, True).eval()
    model.load_state_dict(concat.state_dict())
    first = instance([(3, 2), (2, 4), (4, 1)])
    found = run(concat, first).split([len(ids) + 1 for ids in first.target])
    for source, target, logits in zip(first.source, first.target, found):
        wanted = model(torch.tensor([[1, *source, 2]]), torch.tensor([[1, *target]]))
        torch.testing.assert_close(logits, wanted[0])


def test_concat_of_one_sentence_is_the_sentence_model() -> None:
    concat = Concat(ConcatSettings(**SMALL), SIZE, SIZE, True).eval()
    model = Transformer(TransformerSettings(**SMALL), SIZE, SIZE, True).eval()
    model.load_state_dict(concat.state_dict())
    first = instance([(5, 4)])
    wanted = model(torch.tensor([[1, *first.source[0], 2]]), torch.tensor([[1, *first.target[0]]]))
    torch.testing.assert_close(run(concat, first), wanted[0])


def test_concat_is_the_sentence_model_on_the_whole_instance() -> None:
    """With all target sentences counted on, as one long sequence between sentence marks."""
    concat = Concat(ConcatSettings(**SMALL, target_positions="running"), SIZE, SIZE, True).eval()
    model = Transformer(TransformerSettings(**SMALL), SIZE, SIZE, True).eval()
    model.load_state_dict(concat.state_dict())
    first = instance([(3, 2), (2, 4)])
    batch = concat.pack([first])
    torch.testing.assert_close(concat(batch), model(batch.source.ids, batch.target.ids)[0])


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("concat", 0),
        ("g_transformer", 6 * (1_050_624 + 524_800)),
        ("flat_transformer", 2 * 512),
        # A layer of the encoder, the gate, two tables of 41 distances; u, v and W in each layer of the decoder.
        ("hybrid_context", 3_152_384 + 524_800 + 2 * 41 * 64 + 6 * (2 * 512 + 8 * 64 * 64)),
    ],
)
def test_extra_parameters_of_the_base_size(name: str, extra: int) -> None:
    with torch.device("meta"):
        model, base = (build(system, {}, SIZE, SIZE, True) for system in (name, "transformer"))
    assert sum(p.numel() for p in model.parameters()) - sum(p.numel() for p in base.parameters()) == extra


@pytest.mark.parametrize("name", PACKED)
def test_a_sentence_model_initialises_it(name: str) -> None:
    """All parameters of the sentence model exist under the same names."""
    with torch.device("meta"):
        model, base = (build(system, {}, SIZE, SIZE, True).state_dict() for system in (name, "transformer"))
    assert {key: tensor.shape for key, tensor in base.items()}.items() <= {
        key: tensor.shape for key, tensor in model.items()
    }.items()
