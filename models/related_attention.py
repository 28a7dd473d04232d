"""Attention of packed systems: to one relation, or to the own sentence fused with a wider one (spec 01)."""

from collections.abc import Mapping
from typing import Literal, Protocol

import torch
from torch import Tensor, nn

from models.attention import MultiHeadAttention
from models.layers import linear
from models.neighbourhood import Neighbourhood
from models.packing import Relation

Fusion = Literal["serial", "parallel", "mix"]
RelationPlans = Mapping[Relation, Neighbourhood]


class PackedAttention(Protocol):
    """What a layer of a packed system asks of its attention; states are flat, [1, tokens, d]."""

    def among(self, states: Tensor, plans: RelationPlans) -> Tensor:
        """Self-attention of ``states`` [1, T, d], the same shape."""
        ...

    def across(self, states: Tensor, memory: Tensor, plans: RelationPlans) -> Tensor:
        """Attention of ``states`` [1, T, d] to ``memory`` [1, S, d]: [1, T, d]."""
        ...


class RelationAttention(MultiHeadAttention):
    """Attention to the tokens of one relation: SentAttn, RSTAttn (equation 6), or everything in the instance."""

    def __init__(self, width: int, heads: int, dropout: float, relation: Relation) -> None:
        super().__init__(width, heads, dropout)
        self.relation: Relation = relation

    def among(self, states: Tensor, plans: RelationPlans) -> Tensor:
        """See :class:`PackedAttention`."""
        return self.to_itself(states, plans[self.relation])

    def across(self, states: Tensor, memory: Tensor, plans: RelationPlans) -> Tensor:
        """See :class:`PackedAttention`."""
        return self.to_memory(states, memory, plans[self.relation])


class FusedAttention(MultiHeadAttention):
    """SentAttn and RSTAttn in one block; the block's own projections are SentAttn's, so that a sentence model fits.

    serial: RSTAttn on top of SentAttn's output (equations 8 to 10). parallel: both on the same input, joined by a gate
    (11 to 13). mix: RSTAttn on top of SentAttn, joined with SentAttn by the gate. ``shared`` takes the same
    projections for both attentions; ``inner_norm`` normalises SentAttn's output before RSTAttn projects it.
    """

    def __init__(
        self, width: int, heads: int, dropout: float, fusion: Fusion, *, shared: bool = False, inner_norm: bool = False
    ) -> None:
        super().__init__(width, heads, dropout)
        self.fusion = fusion
        self.related: MultiHeadAttention | None = None if shared else MultiHeadAttention(width, heads, dropout)
        self.gate = None if fusion == "serial" else linear(2 * width, width)
        self.inner_norm = nn.LayerNorm(width) if inner_norm else nn.Identity()

    def among(self, states: Tensor, plans: RelationPlans) -> Tensor:
        """See :class:`PackedAttention`."""
        local = self.to_itself(states, plans["sentence"])
        return self._join(local, self._wide.to_itself(self._input(states, local), plans["tree"]))

    def across(self, states: Tensor, memory: Tensor, plans: RelationPlans) -> Tensor:
        """See :class:`PackedAttention`; keys and values of both attentions are the memory's."""
        local = self.to_memory(states, memory, plans["sentence"])
        return self._join(local, self._wide.to_memory(self._input(states, local), memory, plans["tree"]))

    @property
    def _wide(self) -> MultiHeadAttention:
        return self if self.related is None else self.related

    def _input(self, states: Tensor, local: Tensor) -> Tensor:
        if self.fusion == "parallel":
            return states
        normed: Tensor = self.inner_norm(local)
        return normed

    def _join(self, local: Tensor, wide: Tensor) -> Tensor:
        if self.gate is None:
            return wide
        gate = torch.sigmoid(self.gate(torch.cat((local, wide), dim=-1)))
        return local * gate + wide * (1 - gate)
