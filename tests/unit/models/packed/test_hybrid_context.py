"""Hybrid Context: its two relative attentions against literal ones, and who reaches whom."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.attention.neighbourhood import neighbourhood
from discourse_nmt.models.core.embeddings import sinusoids
from discourse_nmt.models.packed.hybrid_context import HybridContext
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.relations import Relation
from discourse_nmt.models.packed.relative_attention import SentenceDistanceAttention, TokenDistanceAttention
from discourse_nmt.models.switches.packed import HybridContextSettings
from tests.unit.models.packed.test_systems import SIZE, SMALL, changed, instance, run

WIDTH, HEADS = 12, 3


def network(**switches: Any) -> HybridContext:
    torch.manual_seed(1)
    model = HybridContext(HybridContextSettings(**{**SMALL, **switches}), SIZE, SIZE, True).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model


def randomised(module: torch.nn.Module) -> Any:
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return module


def parts(module: Any, states: Tensor) -> list[Tensor]:
    """Queries, keys and values, [h, T, d_k] each."""
    return [part[0].unflatten(-1, (HEADS, -1)).transpose(0, 1) for part in module.projection(states).chunk(3, dim=-1)]


def mixed(module: Any, logits: Tensor, values: Tensor) -> Tensor:
    """Output [1, T, d] of ``logits`` [h, T, T] and ``values`` [h, T, T, d_k] of each pair of positions."""
    heads = (logits.softmax(dim=-1)[..., None] * values).sum(dim=2)
    output: Tensor = module.output(heads.transpose(0, 1).flatten(1)[None])
    return output


@pytest.mark.parametrize("farthest", [1, 4])
def test_sentence_distances_equal_the_literal_attention(farthest: int) -> None:
    torch.manual_seed(1)
    module = randomised(SentenceDistanceAttention(WIDTH, HEADS, 0.0, farthest)).double()
    sentences = np.array([[0, 0, 1, 1, 1, 2, 3, 3, 4, 5, 5]])  # in instances of four and two
    instances = np.array([[0] * 8 + [1] * 3])
    units: dict[Relation, Any] = {"sentence": sentences, "instance": instances}
    plans = {
        relation: neighbourhood(numbers, numbers, [np.stack([np.unique(numbers)] * 2, axis=1)])
        for relation, numbers in units.items()
    }
    states = torch.randn(1, 11, WIDTH, dtype=torch.float64, requires_grad=True)
    query, keys, values = parts(module, states)
    sentence, alien = torch.tensor(sentences[0]), torch.tensor(instances[0] != instances[0][:, None])
    number = (sentence - sentence[:, None]).clamp(-farthest, farthest) + farthest  # (T, T), keys last
    keyed = keys[:, None] + module.distance_keys(number)
    logits = ((query[:, :, None] * keyed).sum(dim=-1) / (WIDTH // HEADS) ** 0.5).masked_fill(alien, float("-inf"))
    wanted = mixed(module, logits, values[:, None] + module.distance_values(number))
    found = module.among(states, plans)
    torch.testing.assert_close(found, wanted)
    one, other = (torch.autograd.grad(result.square().sum(), states, retain_graph=True) for result in (found, wanted))
    torch.testing.assert_close(one, other)


def test_token_distances_equal_the_literal_attention() -> None:
    """Transformer-XL, on positions with gaps."""
    torch.manual_seed(1)
    relation: Relation = "instance"
    module = randomised(TokenDistanceAttention(WIDTH, HEADS, 0.0, relation))
    positions = torch.tensor([[0, 1, 2, 5, 6, 9, 10]])
    states = torch.randn(1, 7, WIDTH)
    query, keys, values = parts(module, states)
    distances = positions[0][:, None] - positions[0]  # (T, T), keys last
    encoded = sinusoids(distances, WIDTH // HEADS) @ module.position_projection[:, None].transpose(-1, -2)
    logits = ((query + module.content_bias)[:, :, None] * keys[:, None]).sum(dim=-1)
    logits = (logits + ((query + module.position_bias)[:, :, None] * encoded).sum(dim=-1)) / (WIDTH // HEADS) ** 0.5
    logits = logits.masked_fill(torch.ones(7, 7).triu(1).bool(), float("-inf"))
    units = np.zeros((1, 7), np.int64)
    plan = neighbourhood(units, units, [np.array([[0, 0]])], causal=True)
    found = module.among(states, {relation: plan}, positions)
    torch.testing.assert_close(found, mixed(module, logits, values[:, None].expand(-1, 7, -1, -1)))
    torch.testing.assert_close(module.among(states, {relation: plan}, positions + 50), found, atol=1e-5, rtol=1e-5)


def test_source_context_passes_through_the_gate() -> None:
    """An open gate leaves each sentence its own source and the target so far."""
    model = network()
    first = instance([(3, 2)] * 4)
    source = list(first.source)
    source[2] = changed(source[2], 1)
    other = Instance(source, first.target, first.edus, first.heads)

    def reached() -> list[bool]:
        difference = (run(model, first) - run(model, other)).view(4, 3, -1)
        return difference.abs().sum(dim=(1, 2)).gt(0).tolist()

    assert reached() == [True] * 4
    torch.nn.init.constant_(model.global_gate.bias, 1e4)
    assert reached() == [False, False, True, True]


def test_sentences_are_encoded_alike_wherever_they_stand() -> None:
    """Below the global layer; positions begin anew with each sentence."""
    model = network()
    torch.nn.init.constant_(model.global_gate.bias, 1e4)
    first = instance([(3, 1), (4, 1)])
    moved = Instance(first.source[::-1], first.target, (), np.empty(0, np.int64), tree=False)
    states = []
    for one in (first, moved):
        batch = model.pack([one])
        states.append(model.encode_packed(batch.source, batch.plans))
    torch.testing.assert_close(states[0], torch.cat((states[1][:, 6:], states[1][:, :6]), dim=1))


@pytest.mark.parametrize(
    ("switches", "told"), [({"position_reset": True}, "position_reset"), ({"width": 10, "heads": 2}, "even")]
)
def test_settings_it_cannot_have(switches: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        HybridContextSettings(**switches)
