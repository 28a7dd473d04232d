"""Attention against an explicit loop, and its cache."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from discourse_nmt.models.attention.kv_cache import KeyValueCache, MemoryKeyValues
from discourse_nmt.models.attention.multi_head import MultiHeadAttention, attend

WIDTH, HEADS = 12, 3


def literal(
    attention: MultiHeadAttention, states: Tensor, memory: Tensor, allowed: Callable[[int, int, int], bool]
) -> Tensor:
    """Equations of the overview, section 6, one query and one head at a time; allowed(b, q, k) -> bool."""
    matrices, biases = attention.projection.weight.chunk(3), attention.projection.bias.chunk(3)
    result = torch.zeros(states.shape)
    size = WIDTH // HEADS
    for b in range(len(states)):
        query = states[b] @ matrices[0].T + biases[0]
        keys = memory[b] @ matrices[1].T + biases[1]
        values = memory[b] @ matrices[2].T + biases[2]
        for q in range(states.shape[1]):
            heads = []
            for head in range(HEADS):
                part = slice(head * size, (head + 1) * size)
                places = [k for k in range(memory.shape[1]) if allowed(b, q, k)]
                logits = torch.stack([query[q, part] @ keys[k, part] / math.sqrt(size) for k in places])
                weights = logits.softmax(0)
                heads.append(torch.stack([weights[i] * values[k, part] for i, k in enumerate(places)]).sum(0))
            result[b, q] = torch.cat(heads) @ attention.output.weight.T + attention.output.bias
    return result


@pytest.fixture
def attention() -> MultiHeadAttention:
    torch.manual_seed(2)
    module = MultiHeadAttention(WIDTH, HEADS, 0.0)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    return module.eval()


def test_attention_equals_the_loop(attention: MultiHeadAttention) -> None:
    states, memory = torch.randn(2, 4, WIDTH), torch.randn(2, 5, WIDTH)
    padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
    mask = ~padding[:, None, None]
    everywhere = literal(attention, states, states, lambda b, q, k: True)
    causal = literal(attention, states, states, lambda b, q, k: k <= q)
    across = literal(attention, states, memory, lambda b, q, k: not padding[b, k])
    assert torch.allclose(attention.to_itself(states), everywhere, atol=1e-5)
    assert torch.allclose(attention.to_itself(states, causal=True), causal, atol=1e-5)
    assert torch.allclose(attention.to_memory(states, memory, mask), across, atol=1e-5)


def test_adjacent_rows_share_a_memory_row(attention: MultiHeadAttention) -> None:
    states, memory = torch.randn(6, 4, WIDTH), torch.randn(2, 5, WIDTH)
    mask = torch.rand(2, 1, 1, 5) < 0.7
    mask[..., 0] = True
    apart = attention.to_memory(states, memory.repeat_interleave(3, 0), mask.repeat_interleave(3, 0))
    assert torch.allclose(attention.to_memory(states, memory, mask), apart, atol=1e-6)


@pytest.mark.parametrize("drops", [False, True])
def test_cache_follows_hypotheses_and_sentences(attention: MultiHeadAttention, drops: bool) -> None:
    """Steps with random selections in between equal causal attention over each hypothesis's own prefix."""
    torch.manual_seed(4)
    sentences, r = 3, 2
    cache = KeyValueCache(drops=drops)
    prefixes = torch.empty(sentences * r, 0, WIDTH)
    for step in range(40):  # more than one block of the cache
        newest = torch.randn(sentences * r, 1, WIDTH)
        cache.begin_position(sentences, r, newest.device)
        prefixes = torch.cat((prefixes, newest), 1)
        expected = attention.to_itself(prefixes, causal=True)[:, -1:]
        assert torch.allclose(attention.to_itself(newest, cache), expected, atol=1e-5)
        parents = torch.randint(r, (sentences, r))
        kept = torch.tensor([2, 0]) if step == 20 else None
        if kept is not None:
            parents, sentences = parents[:2], 2
        cache.select(kept, parents)
        old = prefixes.unflatten(0, (-1, r))
        old = old if kept is None else old[kept]
        prefixes = torch.stack([old[i, parents[i, j]] for i in range(sentences) for j in range(r)])
    assert (cache.ends == 40 * r).all() if not drops else (cache.ends < 60).all()


def test_passage_computes_the_source_once(attention: MultiHeadAttention) -> None:
    memory, calls = torch.randn(2, 5, WIDTH), []
    keys_values = MemoryKeyValues(torch.ones(2, 1, 1, 5, dtype=torch.bool))
    handle = attention.output.register_forward_hook(lambda *_: calls.append(1))
    first = attention.to_memory(torch.ones(4, 1, WIDTH), memory, keys_values)
    changed = attention.to_memory(torch.ones(4, 1, WIDTH), memory * 2, keys_values)
    handle.remove()
    assert len(calls) == 2 and torch.equal(first, changed)


@pytest.mark.parametrize("causal", [True, False])
def test_bf16_is_computed_in_single_precision(causal: bool) -> None:
    """On a CPU; under autocast, too, which would round the states again."""
    rounded = [torch.randn(2, HEADS, 7, 4).bfloat16().requires_grad_() for _ in range(3)]
    wide = [states.detach().float().requires_grad_() for states in rounded]
    with torch.autocast("cpu", torch.bfloat16):
        found = attend(rounded[0], rounded[1], rounded[2], None, causal, 0.0)
    expected = attend(wide[0], wide[1], wide[2], None, causal, 0.0)
    assert torch.equal(found, expected.bfloat16())
    slope = torch.randn(found.shape).bfloat16()
    gradients = (torch.autograd.grad(found, rounded, slope), torch.autograd.grad(expected, wide, slope.float()))
    for got, wanted in zip(*gradients):
        assert torch.equal(got, wanted.bfloat16())
