"""Layers with 8-bit integers against the literal formula, and translation with them."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import BEGIN, END, PAD, SPECIALS
from discourse_nmt.models.core import int8_linear, preparation
from discourse_nmt.models.core.inference import translate
from discourse_nmt.models.core.int8_linear import FEW, Int8Linear, Int8Product, fastest_engines, packed, quantise
from discourse_nmt.models.core.preparation import prepare_for_inference
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.sublayers import products
from discourse_nmt.models.sublayers.packed_linear import PackedLinear
from discourse_nmt.models.sublayers.parts import Linear, linear
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS, build

SIZE = len(SPECIALS) + 20
INT8 = DecodingSettings(precision="int8")


def literal(states: Tensor, weight: Tensor, bias: Tensor | float) -> Tensor:
    """The product of the rounded matrices: weights -127 … 127 by output, states 0 … levels by batch."""
    levels = 255 if torch.cpu._is_vnni_supported() else 127
    step = weight.abs().amax(dim=1, keepdim=True) / 127
    low, high = min(states.min().item(), 0.0), max(states.max().item(), 0.0)
    scale = (high - low) / levels
    zero = round(-low / scale)
    rounded = (states / scale + zero).round().clamp(0, levels) - zero
    return (rounded @ (weight / step).round().T) * scale * step[:, 0] + bias


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(5, 48), (2, 3, 48), (0, 48)], ids=str)
def test_a_layer_is_the_product_of_rounded_matrices(bias: bool, shape: tuple[int, ...]) -> None:
    torch.manual_seed(1)
    layer = linear(48, 40, bias=bias)
    if bias:
        nn.init.normal_(layer.bias)
    states = torch.randn(shape) * 3 + 1
    with torch.inference_mode():
        found = Int8Linear(layer)(states)
        assert found.shape == (*shape[:-1], 40)
        if states.numel():
            expected = literal(states.double(), layer.weight.double(), layer.bias.double() if bias else 0.0)
            # A state half-way between two integers may be rounded to either.
            torch.testing.assert_close(found.double(), expected, atol=0.05, rtol=0)
            assert (found.double() - expected).abs().median() < 1e-5
            exact = layer(states)
            assert 0 < (found - exact).norm() < 0.02 * exact.norm()


@pytest.mark.parametrize("kind", [linear, lambda *sizes: Int8Linear(linear(*sizes))], ids=["exact", "int8"])
def test_a_range_of_outputs_is_the_part_of_all(kind: Any) -> None:
    torch.manual_seed(1)
    layer, states = kind(16, 48), torch.randn(7, 16)
    nn.init.normal_(layer.bias)
    with torch.inference_mode():
        for first, last in ((0, 16), (16, 48), (0, 48)):
            torch.testing.assert_close(layer.outputs(states, first, last), layer(states)[:, first:last])


@pytest.mark.parametrize("activation", [nn.functional.relu, nn.functional.gelu])
def test_an_activation_is_that_of_the_outputs(activation: Any) -> None:
    torch.manual_seed(1)
    layer, states = Int8Linear(linear(16, 48)), torch.randn(7, 16)
    with torch.inference_mode():
        assert torch.equal(layer.activated(states, activation), activation(layer(states)))


def test_zeros_stay_zeros() -> None:
    layer = linear(8, 6)
    nn.init.zeros_(layer.weight)
    with torch.inference_mode():
        assert not Int8Linear(layer)(torch.randn(3, 8)).any()
        assert not Int8Linear(linear(8, 6))(torch.zeros(3, 8)).any()


@pytest.mark.parametrize("packing", [True, False])
@pytest.mark.parametrize("system", SYSTEMS)
def test_all_layers_of_every_system_are_replaced(system: str, packing: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """In single precision by packed ones, or where these do not pay their weights lie by column; then by int8."""
    monkeypatch.setattr(products, "_onednn_is_faster", lambda: packing)
    small = {"width": 16, "heads": 2, "feed_forward_width": 32, "encoder_layers": 2, "decoder_layers": 2}
    network = build(system, small, SIZE, SIZE, True)
    before = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    assert isinstance(network, Transformer)
    assert prepare_for_inference(network, DecodingSettings()) is network
    assert not any(isinstance(module, Int8Linear) for module in network.modules())
    layers = [module for module in network.modules() if type(module) is Linear]
    assert all(layer.weight.t().is_contiguous() for layer in layers) and network.output.weight.is_contiguous()
    count = sum(isinstance(module, PackedLinear) for module in network.modules())
    assert (count >= 16 and not layers) if packing else (len(layers) >= 16 and not count)
    assert prepare_for_inference(network, INT8) is network
    assert not any(type(module) in (Linear, PackedLinear) for module in network.modules())
    assert sum(isinstance(module, Int8Linear) for module in network.modules()) >= 16
    assert network.project is not None
    after = network.state_dict()
    assert after.keys() == before.keys() and all(torch.equal(after[name], before[name]) for name in before)


def test_weights_of_large_networks_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "_onednn_is_faster", lambda: True)
    for most, copied in ((120, True), (119, False)):
        monkeypatch.setattr(preparation, "COPIED", most)
        network = nn.Sequential(linear(10, 10, bias=False), linear(10, 2, bias=False))
        prepare_for_inference(network, DecodingSettings())
        assert all(isinstance(layer, PackedLinear) == copied for layer in network)


def test_a_network_on_a_gpu_is_refused() -> None:
    with pytest.raises(InputError, match=r"int8 is for CPUs.*--device cpu"):
        prepare_for_inference(linear(2, 2).to("meta"), INT8)


def trained() -> tuple[Transformer, list[list[int]]]:
    """A network that has nearly learnt to reverse sentences, and sentences that it has not read."""
    torch.manual_seed(1)
    settings = TransformerSettings(
        width=64, heads=4, feed_forward_width=128, encoder_layers=2, decoder_layers=2, dropout=0.0
    )
    network = Transformer(settings, SIZE, SIZE, True)
    adam = torch.optim.Adam(network.parameters(), lr=0.002)
    for _ in range(150):
        words = torch.randint(len(SPECIALS), SIZE, (64, 6))
        begins, ends = torch.full((64, 1), BEGIN), torch.full((64, 1), END)
        target = torch.cat((words.flip(1), ends), dim=1)
        logits = network(torch.cat((begins, words, ends), 1), torch.cat((begins, target[:, :-1]), 1))
        adam.zero_grad()
        nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD).backward()
        adam.step()
    return network.eval(), torch.randint(len(SPECIALS), SIZE, (200, 6)).tolist()


def test_translations_of_a_trained_network_stay() -> None:
    network, sentences = trained()
    unprepared = dict(translate(network, sentences, DecodingSettings()))
    prepare_for_inference(network, DecodingSettings())
    exact = dict(translate(network, sentences, DecodingSettings()))
    assert [exact[i][0].ids for i in exact] == [unprepared[i][0].ids for i in exact]
    for i in exact:
        assert exact[i][0].log_probability == pytest.approx(unprepared[i][0].log_probability, rel=1e-4, abs=1e-5)
    right = sum(list(exact[i][0].ids) == ids[::-1] for i, ids in enumerate(sentences))
    assert right > 100  # the task is learnt, and the rest are sentences that it is not sure of
    prepare_for_inference(network, INT8)
    reduced = dict(translate(network, sentences, INT8))
    equal = sum(exact[i][0].ids == reduced[i][0].ids for i in exact)
    assert equal >= 190
    assert any(exact[i][0].log_probability != reduced[i][0].log_probability for i in exact)


@pytest.mark.parametrize(
    ("seven", "engines", "fastest"),
    [
        (True, ["qnnpack", "onednn", "x86", "fbgemm"], ("fbgemm", "fbgemm")),
        (True, ["qnnpack", "onednn"], ("onednn", "onednn")),
        (False, ["qnnpack", "onednn", "x86", "fbgemm"], ("fbgemm", "onednn")),
        (False, ["qnnpack", "fbgemm"], ("fbgemm", "fbgemm")),
        (True, ["qnnpack"], ("x86", "x86")),
    ],
)
def test_kernels_are_those_that_are_fast_on_the_processor(
    monkeypatch: pytest.MonkeyPatch, seven: bool, engines: list[str], fastest: tuple[str, str]
) -> None:
    quantised = SimpleNamespace(engine="x86", supported_engines=engines)
    monkeypatch.setattr(torch.backends, "quantized", quantised)
    monkeypatch.setattr(int8_linear, "seven_bits", lambda: seven)
    assert int8_linear.fastest_engines() == fastest
    with int8_linear.chosen(fastest[0]):
        assert quantised.engine == fastest[0]
    assert quantised.engine == "x86"


def test_few_and_many_rows_have_the_same_products() -> None:
    """Each by its own kernels; the rows hold the extremes, so that all are rounded alike."""
    torch.manual_seed(1)
    product, few = Int8Product(torch.randn(40, 48), torch.randn(40)), torch.randn(FEW, 48)
    many = torch.cat((few, few[:1]))
    torch.testing.assert_close(product(many)[:FEW], product(few), rtol=1e-5, atol=1e-5)
    if product.of_few is not product.of_many and torch.cpu._is_vnni_supported():
        product.of_many = packed(quantise(torch.zeros(40, 48)), None, fastest_engines()[1])
        assert product(few).any() and not product(many).any()
