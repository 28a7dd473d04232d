"""Attention with dropout of the weights on a CPU, where torch's fused kernel has none.

Weights are computed in blocks that fit the processor's cache, and kept for the gradient. Torch's own path makes several
passes over all of them, and draws a random number for each. With causality a block reads no key after its last query.
"""

import math
from collections.abc import Iterator
from typing import Protocol

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from discourse_nmt.models.sublayers.dropout import scale_of, zeroed
from discourse_nmt.models.sublayers.products import Kept

WEIGHTS = 2**18  # of a block, unless one query has more: 1 MiB
QUERIES = 128  # of a block with causality


class KeptAttention(Kept, Protocol):
    """Also how attention was computed."""

    causal: bool
    probability: float


class DroppedAttention(torch.autograd.Function):
    """``dropout(softmax(query keys^T / sqrt(d_k))) values`` [B, h, Q, d_v]; arguments are those of :func:`.attend`.

    A weight is zero with ``probability``, and the others are divided by that of staying.
    """

    @staticmethod
    def forward(
        ctx: KeptAttention,
        query: Tensor,
        keys: Tensor,
        values: Tensor,
        allowed: Tensor | None,
        causal: bool,
        probability: float,
    ) -> Tensor:
        """See :func:`dropped_forward`."""
        result, kept = dropped_forward(query, keys, values, allowed, causal, probability)
        ctx.causal, ctx.probability = causal, probability
        ctx.save_for_backward(query, keys, values, *kept)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx: KeptAttention, slope: Tensor) -> tuple[Tensor | None, ...]:
        """See :func:`dropped_backward`."""
        query, keys, values, *kept = ctx.saved_tensors
        gradients = dropped_backward(slope, query, keys, values, kept, ctx.causal, ctx.probability)
        return *gradients, None, None, None


@torch.autocast("cpu", enabled=False)
def dropped_forward(
    query: Tensor, keys: Tensor, values: Tensor, allowed: Tensor | None, causal: bool, probability: float
) -> tuple[Tensor, list[Tensor]]:
    """The result of :class:`DroppedAttention`; of each block its weights and the positions of the zeroed ones."""
    batch, heads, length, width = query.shape
    rows_of_query = (query * (1 / math.sqrt(width))).flatten(0, 1)
    rows_of_keys, rows_of_values = keys.flatten(0, 1), values.flatten(0, 1)
    hidden, added = None, None
    if allowed is not None:
        hidden = allowed.logical_not().expand(batch, heads, -1, -1).flatten(0, 1)  # [B * h, 1 or Q, K]
        added = torch.zeros(hidden.shape, dtype=query.dtype).masked_fill_(hidden, -math.inf)
    result, kept = query.new_empty(batch * heads, length, values.shape[3]), []
    for rows, queries, seen in _blocks(rows_of_query, rows_of_keys, causal):
        pair = rows_of_query[rows, queries], rows_of_keys[rows, seen].transpose(1, 2)
        part = slice(None) if added is None or added.shape[1] == 1 else queries
        weights = torch.bmm(*pair) if added is None else torch.baddbmm(added[rows, part, seen], *pair)
        if causal:
            weights[..., queries.start :].masked_fill_(_later(queries), -math.inf)
        torch.softmax(weights, -1, out=weights)
        if hidden is not None and (empty := hidden[rows, part].all(-1, keepdim=True)).any():
            weights.masked_fill_(empty, 0)
        positions = zeroed(weights.numel(), probability)
        kept += [weights, positions]
        torch.bmm(_without(weights, positions), rows_of_values[rows, seen], out=result[rows, queries])
    result *= scale_of(probability)
    return result.view(batch, heads, length, -1), kept


@torch.autocast("cpu", enabled=False)
def dropped_backward(
    slope: Tensor,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    kept: list[Tensor],
    causal: bool,
    probability: float,
) -> list[Tensor]:
    """Gradients of query, keys and values, given that of the result and what :func:`dropped_forward` returned."""
    shapes = [states.shape for states in (query, keys, values)]
    query, keys, values = (states.flatten(0, 1) for states in (query, keys, values))
    scale = 1 / math.sqrt(query.shape[2])
    above = (slope * scale_of(probability)).flatten(0, 1)
    of_query, of_keys, of_values = torch.empty_like(query), torch.zeros_like(keys), torch.zeros_like(values)
    for place, (rows, queries, seen) in enumerate(_blocks(query, keys, causal)):
        weights, positions = kept[2 * place : 2 * place + 2]
        part = above[rows, queries]
        of_values[rows, seen].baddbmm_(_without(weights, positions).transpose(1, 2), part)
        of_weights = torch.bmm(part, values[rows, seen].transpose(1, 2))
        of_weights.view(-1).index_fill_(0, positions, 0)
        of_logits = torch._softmax_backward_data(of_weights, weights, -1, weights.dtype)
        torch.bmm(of_logits, keys[rows, seen], out=of_query[rows, queries])
        of_keys[rows, seen].baddbmm_(of_logits.transpose(1, 2), query[rows, queries])
    gradients = of_query.mul_(scale), of_keys.mul_(scale), of_values
    return [gradient.view(shape) for gradient, shape in zip(gradients, shapes)]


def _blocks(query: Tensor, keys: Tensor, causal: bool) -> Iterator[tuple[slice, slice, slice]]:
    """Rows of the batch, queries and keys of each block; several rows only where all their weights fit into one."""
    batch, length, _ = query.shape
    of_row = length * keys.shape[1]
    if of_row <= WEIGHTS and not (causal and length > QUERIES):
        row_count, query_count = max(1, WEIGHTS // max(1, of_row)), length
    else:
        row_count, query_count = 1, QUERIES if causal else max(1, WEIGHTS // keys.shape[1])
    for row in range(0, batch, row_count):
        for first in range(0, length, query_count):
            last = min(first + query_count, length)
            yield slice(row, row + row_count), slice(first, last), slice(0, last if causal else keys.shape[1])


def _later(queries: slice) -> Tensor:
    """True where a key follows a query, both in the range ``queries``."""
    count = queries.stop - queries.start
    return torch.ones(count, count, dtype=torch.bool).triu_(1)


def _without(weights: Tensor, positions: Tensor) -> Tensor:
    return weights.flatten().index_fill(0, positions, 0).view(weights.shape)
