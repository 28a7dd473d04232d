"""Attention that gathers, for every unit of queries, the keys that it is related to; see :mod:`.attention.gathering`.

A group's states are gathered for the result and again for its gradient, instead of being kept in between: they are
several times as large as the states of the text, and allocating that much memory is slow on a CPU.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

from discourse_nmt.models.attention.dropped_attention import dropped_backward, dropped_forward
from discourse_nmt.models.attention.gathering import GatherGroup, Gathering
from discourse_nmt.models.sublayers.products import Kept

ATEN = torch.ops.aten


def attend_gathered(query: Tensor, keys: Tensor, values: Tensor, plan: Gathering, dropout: float) -> Tensor:
    """Attention [B, h, Q, d_v] by the ``plan``; ``keys`` are [B, h, K, d_k] and ``values`` [B, h, K, d_v]."""
    batch, heads, length, _ = query.shape
    flat = _flat(query), _flat(keys), _flat(values)
    if not plan.groups or query.device.type == "cpu":
        # Torch's fused kernel on a CPU has neither dropout nor values of another width than the keys'.
        kernel = Fused() if dropout == 0 and values.shape[3] == keys.shape[3] else Dropped(dropout)
        mixed: Tensor = GatheredAttention.apply(*flat, plan.groups, heads, kernel)
    else:
        mixed = _differentiated(*flat, plan.groups, heads, dropout)
    return mixed.view(batch, length, heads, -1).transpose(1, 2)


class KeptGroups(Kept, Protocol):
    """Also the groups, and the number of tensors that the kernel keeps of each."""

    groups: tuple[GatherGroup, ...]
    heads: int
    kernel: "Kernel"
    counts: list[int]


class GatheredAttention(torch.autograd.Function):
    """Attention [B * Q, h * d] of ``query`` [B * Q, h * d] to ``keys`` and ``values`` [B * K, h * d], on a CPU."""

    @staticmethod
    def forward(
        ctx: KeptGroups,
        query: Tensor,
        keys: Tensor,
        values: Tensor,
        groups: tuple[GatherGroup, ...],
        heads: int,
        kernel: "Kernel",
    ) -> Tensor:
        """Keeps the result and, for each group, what the ``kernel`` needs for the gradient."""
        mixed = query.new_zeros(len(query) + 1, values.shape[1])  # the last row is padding's
        kept_of_groups = []
        for group in groups:
            parts = _gathered(group, (query, keys, values), heads)
            result, kept = kernel.forward(parts, group)
            mixed.index_copy_(0, group.results, _flat(result))
            kept_of_groups.append(kept)
        mixed[-1] = 0
        ctx.groups, ctx.heads, ctx.kernel, ctx.counts = groups, heads, kernel, [len(kept) for kept in kept_of_groups]
        ctx.save_for_backward(query, keys, values, mixed, *(tensor for kept in kept_of_groups for tensor in kept))
        return mixed[:-1]

    @staticmethod
    @once_differentiable
    def backward(ctx: KeptGroups, slope: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of query, keys and values."""
        query, keys, values, mixed, *all_kept = ctx.saved_tensors
        stops = list(accumulate(ctx.counts))
        of_query = query.new_zeros(len(mixed), query.shape[1])
        of_keys, of_values = keys.new_zeros(keys.shape), values.new_zeros(values.shape)
        for group, count, stop in zip(ctx.groups, ctx.counts, stops):
            parts = _gathered(group, (query, keys, values), ctx.heads)
            result = _split(mixed.index_select(0, group.results), group.queries, ctx.heads)
            above = slope.index_select(0, group.rows).index_fill_(0, group.padding, 0)
            above = _split(above, group.queries, ctx.heads)
            q, k, v = ctx.kernel.backward(above, parts, result, all_kept[stop - count : stop], group)
            of_query.index_copy_(0, group.results, _flat(q))
            of_keys.index_add_(0, group.columns, _flat(k))
            of_values.index_add_(0, group.columns, _flat(v))
        return of_query[:-1], of_keys, of_values, None, None, None


class Kernel(Protocol):
    """Attention of a group."""

    def forward(self, parts: list[Tensor], group: GatherGroup) -> tuple[Tensor, list[Tensor]]:
        """Attention of query, keys and values, and what :meth:`backward` needs besides."""
        ...

    def backward(
        self, above: Tensor, parts: list[Tensor], result: Tensor, kept: list[Tensor], group: GatherGroup
    ) -> Sequence[Tensor]:
        """Gradients of query, keys and values, given that of the result."""
        ...


class Fused:
    """Torch's kernel; it keeps the logarithms of the sums of exponentials [units, h, queries]."""

    def forward(self, parts: list[Tensor], group: GatherGroup) -> tuple[Tensor, list[Tensor]]:
        """See :class:`Kernel`."""
        result, total = ATEN._scaled_dot_product_flash_attention_for_cpu(
            *parts, 0.0, group.causal, attn_mask=_added(group, parts[0])
        )
        return result, [total]

    def backward(
        self, above: Tensor, parts: list[Tensor], result: Tensor, kept: list[Tensor], group: GatherGroup
    ) -> Sequence[Tensor]:
        """See :class:`Kernel`."""
        gradients: Sequence[Tensor] = ATEN._scaled_dot_product_flash_attention_for_cpu_backward(
            above, *parts, result, *kept, 0.0, group.causal, attn_mask=_added(group, parts[0])
        )
        return gradients


@dataclass(frozen=True)
class Dropped:
    """:mod:`.dropped_attention`; it keeps the weights."""

    probability: float

    def forward(self, parts: list[Tensor], group: GatherGroup) -> tuple[Tensor, list[Tensor]]:
        """See :class:`Kernel`."""
        query, keys, values = parts
        return dropped_forward(query, keys, values, group.allowed, group.causal, self.probability)

    def backward(
        self, above: Tensor, parts: list[Tensor], result: Tensor, kept: list[Tensor], group: GatherGroup
    ) -> Sequence[Tensor]:
        """See :class:`Kernel`."""
        query, keys, values = parts
        return dropped_backward(above, query, keys, values, kept, group.causal, self.probability)


def _differentiated(
    query: Tensor, keys: Tensor, values: Tensor, groups: tuple[GatherGroup, ...], heads: int, dropout: float
) -> Tensor:
    """The same with torch's own gradient and dropout, on any device; all groups are gathered in one go."""
    rows, columns, places = (
        torch.cat(parts) for parts in zip(*((group.rows, group.columns, group.results) for group in groups))
    )
    parts = zip(
        query.index_select(0, rows).split([len(group.rows) for group in groups]),
        *(states.index_select(0, columns).split([len(group.columns) for group in groups]) for states in (keys, values)),
    )
    results = [
        F.scaled_dot_product_attention(
            _split(q, group.queries, heads),
            _split(k, group.keys, heads),
            _split(v, group.keys, heads),
            attn_mask=group.allowed,
            is_causal=group.causal,
            dropout_p=dropout,
        )
        for group, (q, k, v) in zip(groups, parts)
    ]
    mixed = query.new_zeros(len(query) + 1, values.shape[1])  # the last row is padding's
    return mixed.index_copy(0, places, torch.cat([_flat(result) for result in results]))[:-1]


def _gathered(group: GatherGroup, states: Sequence[Tensor], heads: int) -> list[Tensor]:
    """Query [units, h, queries, d_k], keys [units, h, keys, d_k] and values [units, h, keys, d_v] of a ``group``."""
    places = (group.rows, group.queries), (group.columns, group.keys), (group.columns, group.keys)
    return [_split(part.index_select(0, rows), size, heads) for part, (rows, size) in zip(states, places)]


def _split(rows: Tensor, size: int, heads: int) -> Tensor:
    return rows.view(-1, size, heads, rows.shape[1] // heads).transpose(1, 2)  # (n, h * d) -> (units, h, size, d)


def _flat(states: Tensor) -> Tensor:
    return states.transpose(1, 2).flatten(2).flatten(0, 1)  # (units, h, size, d) -> (n, h * d)


def _added(group: GatherGroup, states: Tensor) -> Tensor | None:
    """What is added to the logits of a ``group``, in the precision of the ``states``."""
    return None if group.added is None else group.added.to(states.dtype)
