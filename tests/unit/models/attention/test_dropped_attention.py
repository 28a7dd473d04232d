"""Attention with dropout of the weights against the literal formula, given which weights are zero."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.models.attention import dropped_attention
from discourse_nmt.models.attention.dropped_attention import DroppedAttention
from discourse_nmt.models.attention.multi_head import attend, path_of
from discourse_nmt.models.attention.neighbourhood import neighbourhood

SHARE = 0.3


def literal(query: Tensor, keys: Tensor, values: Tensor, allowed: Tensor, staying: Tensor, share: float) -> Tensor:
    """Weights of all pairs, of which those ``staying`` are scaled; zeros for a query without keys."""
    logits = (query @ keys.transpose(2, 3) / math.sqrt(query.shape[3])).masked_fill(~allowed, -math.inf)
    return (logits.softmax(-1).nan_to_num(0) * staying / (1 - share)) @ values


def example(batch: int, queries: int, keys: int) -> list[Tensor]:
    """Query, keys and values in double precision; the values are the identity, so that results are the weights."""
    torch.manual_seed(1)
    states = [torch.randn(batch, size, 2, 4, dtype=torch.float64).transpose(1, 2) for size in (queries, keys)]
    identity = torch.eye(keys, dtype=torch.float64).expand(batch, 2, keys, keys).contiguous()
    return [part.requires_grad_() for part in (*states, identity)]


def check(found: Tensor, states: list[Tensor], allowed: Tensor, share: float) -> None:
    """``found`` and its gradients are the literal ones of the weights that stayed."""
    allowed = allowed.expand(found.shape)
    staying = found.detach() != 0
    assert not (staying & ~allowed).any()
    expected = literal(states[0], states[1], states[2], allowed, staying, share)
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)
    slope = torch.randn(found.shape, dtype=torch.float64)
    for got, wanted in zip(*(torch.autograd.grad(result, states, slope) for result in (found, expected))):
        torch.testing.assert_close(got, wanted, rtol=1e-9, atol=1e-10)
    left = staying[allowed].double().mean().item()
    assert left == pytest.approx(1 - share, abs=4 * math.sqrt(share * (1 - share) / int(allowed.sum())) + 1e-9)


def masks(queries: int, keys: int) -> dict[str, Tensor | None]:
    torch.manual_seed(2)
    padding = torch.ones(3, 1, 1, keys, dtype=torch.bool)
    padding[1, ..., keys // 2 :] = padding[2] = False  # the last row has no keys
    return {"everywhere": None, "padding": padding, "any": torch.rand(3, 1, queries, keys) < 0.5}


@pytest.mark.parametrize("share", [SHARE, 0.0])
@pytest.mark.parametrize("weights", [1, 300, 2**18])
@pytest.mark.parametrize("mask", ["everywhere", "padding", "any"])
def test_weights_results_and_gradients(mask: str, weights: int, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of one query, of some, of all rows."""
    monkeypatch.setattr(dropped_attention, "WEIGHTS", weights)
    states, allowed = example(3, 19, 23), masks(19, 23)[mask]
    found = DroppedAttention.apply(*states, allowed, False, share)
    check(found, states, torch.ones(1, dtype=torch.bool) if allowed is None else allowed, share)


@pytest.mark.parametrize("queries", [5, 128])
def test_causal_blocks(queries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dropped_attention, "QUERIES", queries)
    states = example(3, 23, 23)
    found = DroppedAttention.apply(*states, None, True, SHARE)
    check(found, states, torch.ones(23, 23, dtype=torch.bool).tril(), SHARE)


@pytest.mark.parametrize("causal", [True, False])
def test_a_neighbourhood(causal: bool) -> None:
    """The path that gathers: sentences of unequal lengths that see themselves and the one before."""
    units = np.repeat(np.arange(40), np.arange(40) % 13 + 1)[None]
    pairs = np.array([(unit, seen) for unit in range(40) for seen in (unit - 1, unit) if seen >= 0])
    plan = neighbourhood(units, units, [pairs], causal=causal)
    assert path_of(plan, SHARE) == "gather"
    states = example(1, units.shape[1], units.shape[1])
    found = attend(states[0], states[1], states[2], plan, False, SHARE)
    distance = torch.from_numpy(units[0][:, None] - units[0][None])
    allowed = (distance == 0) | (distance == 1)
    check(found, states, allowed.tril() if causal else allowed, SHARE)


def test_in_mixed_precision_the_weights_are_exact() -> None:
    """Forward and backward under autocast, from states that are not rounded themselves."""
    states, results = [part.detach().float().requires_grad_() for part in example(2, 9, 9)], []
    for enabled in (False, True):
        torch.manual_seed(3)
        with torch.autocast("cpu", torch.bfloat16, enabled=enabled):
            found = attend(states[0], states[1], states[2], None, True, SHARE)
            results.append([found, *torch.autograd.grad(found.square().sum(), states)])
    for exact, mixed in zip(*results):
        assert torch.equal(exact, mixed)


def test_a_mask_that_is_added_hides_the_same_keys() -> None:
    states, allowed = example(3, 19, 23), masks(19, 23)["any"]
    assert allowed is not None
    added = torch.zeros(allowed.shape).masked_fill(~allowed, -math.inf)
    check(attend(states[0], states[1], states[2], added, False, SHARE), states, allowed, SHARE)


def test_draws_are_independent_and_follow_the_seed() -> None:
    states = [part.detach() for part in example(2, 300, 300)]
    torch.manual_seed(5)
    first, second = (attend(states[0], states[1], states[2], None, False, 0.5) for _ in range(2))
    torch.manual_seed(5)
    assert torch.equal(attend(states[0], states[1], states[2], None, False, 0.5), first)
    stayed = (first != 0).double() - 0.5
    others = [(second != 0).double() - 0.5, *(stayed.roll(1, axis) for axis in range(4))]
    for other in others:
        assert abs((stayed * other).mean().item()) < 0.25 * 0.01
