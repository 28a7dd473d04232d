"""Flat-Transformer: windows as texts of their own, and the encoder against a literal one."""

from typing import Any

import pytest
import torch
from torch import Tensor

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.models.core.layers import SentenceEncoderLayer
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.packed.flat_transformer import FlatTransformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.windows import Window, window_plan
from discourse_nmt.models.switches.packed import FlatTransformerSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from tests.unit.models.packed.test_systems import SIZE, SMALL, changed, instance, run


def network(**switches: Any) -> FlatTransformer:
    torch.manual_seed(1)
    model = FlatTransformer(FlatTransformerSettings(**{**SMALL, **switches}), SIZE, SIZE, True).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def literal_memory(model: FlatTransformer, one: Instance) -> Tensor:
    """Encoder states, each sentence with its context by itself."""
    settings = model.settings
    texts = [torch.tensor([1, *ids, 2]) for ids in one.source]
    result = []
    for number, current in enumerate(texts):
        first = max(0, number - settings.context_before)
        window = texts[first : number + settings.context_after + 1]
        begin = sum(len(text) for text in window[: number - first])
        segments = torch.ones(sum(len(text) for text in window), dtype=torch.int64)
        segments[begin : begin + len(current)] = 0
        states = model.embed(torch.cat(window)[None], model.source_embedding) + model.segment_embedding(segments)
        for index, layer in enumerate(model.encoder_layers):
            if index == settings.encoder_layers - settings.current_layers:
                states = states[:, begin : begin + len(current)]
            plain: SentenceEncoderLayer[None] = SentenceEncoderLayer(settings)
            plain.load_state_dict(layer.state_dict())
            states = plain(states, torch.ones(1, 1, 1, states.shape[1], dtype=torch.bool))
        if settings.current_layers == 0:
            states = states[:, begin : begin + len(current)]
        result.append(model.encoder_norm(states))
    return torch.cat(result, dim=1)


@pytest.mark.parametrize(
    "switches",
    [
        {},
        {"context_before": 3, "context_after": 0},
        {"context_before": 0, "context_after": 2, "norm": "pre"},
        {"current_layers": 0},
        {"current_layers": 3},
    ],
    ids=str,
)
def test_encoder_equals_a_literal_one(switches: dict[str, Any]) -> None:
    model = network(**switches)
    instances = [instance([(3, 1), (2, 1), (4, 1), (1, 1)], 1), instance([(2, 1), (5, 1)], 2)]
    batch = model.pack(instances)
    found = model.encode_packed(batch.source, batch.plans)
    torch.testing.assert_close(found, torch.cat([literal_memory(model, one) for one in instances], dim=1))


def test_context_reaches_as_far_as_its_window() -> None:
    model = network(context_before=2, context_after=1)
    first = instance([(3, 2)] * 6)
    before = run(model, first).view(6, 3, -1)
    for number in range(6):
        source = list(first.source)
        source[number] = changed(source[number], 1)
        after = run(model, Instance(source, first.target, first.edus, first.heads)).view(6, 3, -1)
        reached = (after - before).abs().sum(dim=(1, 2)).gt(0).tolist()
        assert reached == [number - 1 <= sentence <= number + 2 for sentence in range(6)]


def test_without_context_it_is_the_sentence_model() -> None:
    flat = network(context_before=0, context_after=0)
    torch.nn.init.zeros_(flat.segment_embedding.weight)
    model = Transformer(TransformerSettings(**SMALL), SIZE, SIZE, True).eval()
    model.load_state_dict(flat.state_dict(), strict=False)
    first = instance([(3, 2), (2, 4)])
    found = run(flat, first).split([3, 5])
    for source, target, logits in zip(first.source, first.target, found):
        wanted = model(torch.tensor([[1, *source, 2]]), torch.tensor([[1, *target]]))
        torch.testing.assert_close(logits, wanted[0])


def test_window_plan() -> None:
    """Instances of three and one sentences, of 2, 1, 2 and 1 tokens; one sentence of context before."""
    plan = window_plan(Window(before=1, after=0), [[2, 1, 2], [1]])
    assert plan.copies.tolist() == [0, 1, 0, 1, 2, 2, 3, 4, 5]
    assert plan.context.int().tolist() == [0, 0, 1, 1, 0, 1, 0, 0, 0]
    assert plan.current.tolist() == [0, 1, 4, 6, 7, 8]
    assert plan.positions.tolist() == [[0, 1, 0, 1, 2, 0, 1, 2, 0]]
    assert plan.query_units.tolist() == plan.key_units.tolist() == [[0, 0, 1, 1, 1, 2, 2, 2, 3]]


def test_its_upper_layers_are_those_of_the_encoder_alone() -> None:
    parse_settings(FlatTransformerSettings, {"encoder_layers": 3, "decoder_layers": 1, "current_layers": 3}, "settings")
    with pytest.raises(InputError, match="settings: current_layers is 4, but there are encoder_layers 3; it must"):
        parse_settings(FlatTransformerSettings, {"encoder_layers": 3, "current_layers": 4}, "settings")
