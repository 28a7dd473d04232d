"""Attention of packed systems: to one relation, or to the own sentence joined with a wider one.

The wider relation is the RST tree in the RST-Transformer and the whole instance in the G-Transformer.
"""

from collections.abc import Mapping
from typing import Literal, Protocol

from torch import Tensor, nn

from discourse_nmt.models.attention.multi_head import MultiHeadAttention, SourcePlan, TargetPlan
from discourse_nmt.models.attention.neighbourhood import Neighbourhood
from discourse_nmt.models.packed.relations import Relation
from discourse_nmt.models.sublayers.parts import PASSING, Gate

Fusion = Literal["serial", "parallel", "mix"]
TargetPlans = Mapping[Relation, TargetPlan]
SourcePlans = Mapping[Relation, SourcePlan]


class Related(Protocol):
    """An attention along relations."""

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relations whose plans it reads."""
        ...


class SourceSelfAttention(Related, Protocol):
    """The self-attention of an encoder layer of a packed system."""

    def among(self, states: Tensor, plans: Mapping[Relation, Neighbourhood]) -> Tensor:
        """Self-attention of ``states`` [1, S, d], the same shape."""
        ...


class PackedAttention(Related, Protocol):
    """The attention of a layer of a packed system; states are flat, [1, tokens, d]."""

    def among(self, states: Tensor, plans: TargetPlans) -> Tensor:
        """Self-attention of ``states`` [1, T, d], the same shape."""
        ...

    def across(self, states: Tensor, memory: Tensor, plans: SourcePlans) -> Tensor:
        """Attention of ``states`` [1, T, d] to ``memory`` [1, S, d]: [1, T, d]."""
        ...


class RelationAttention(MultiHeadAttention):
    """Attention to the tokens of one relation: SentAttn, RSTAttn, or all (spec 01, equations 2 to 4 and 6)."""

    def __init__(self, width: int, heads: int, dropout: float, relation: Relation) -> None:
        super().__init__(width, heads, dropout)
        self.relation: Relation = relation

    @property
    def relations(self) -> tuple[Relation, ...]:
        """See :class:`Related`."""
        return (self.relation,)

    def among(self, states: Tensor, plans: TargetPlans) -> Tensor:
        """See :class:`PackedAttention`."""
        return self.to_itself(states, plans[self.relation])

    def across(self, states: Tensor, memory: Tensor, plans: SourcePlans) -> Tensor:
        """See :class:`PackedAttention`."""
        return self.to_memory(states, memory, plans[self.relation])


class FusedAttention(MultiHeadAttention):
    """Attention to the sentence and to a wider relation.

    serial: the wider attention reads the sentence's output (spec 01, equations 8 to 10). parallel: both read the same
    input and are mixed by a gate (spec 01, equations 11 to 13). mix: as serial, and both are mixed by the gate.
    ``shared`` uses the same projections for both; ``inner_norm`` normalises the sentence's output before the wider
    attention projects it. ``unchanged`` begins with a gate that passes on the sentence's attention. The module's own
    projections are those of the sentence, so that a sentence model fits.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        dropout: float,
        fusion: Fusion,
        wider: Relation,
        *,
        shared: bool = False,
        inner_norm: bool = False,
        unchanged: bool = False,
    ) -> None:
        super().__init__(width, heads, dropout)
        self.fusion = fusion
        self.wider: Relation = wider
        self.related: MultiHeadAttention | None = None if shared else MultiHeadAttention(width, heads, dropout)
        self.gate = None if fusion == "serial" else Gate(width)
        if unchanged and self.gate is not None:
            self.gate.begin_constant(PASSING)
        self.inner_norm = nn.LayerNorm(width) if inner_norm else nn.Identity()

    @property
    def relations(self) -> tuple[Relation, ...]:
        """See :class:`Related`."""
        return ("sentence", self.wider)

    def among(self, states: Tensor, plans: TargetPlans) -> Tensor:
        """See :class:`PackedAttention`."""
        local = self.to_itself(states, plans["sentence"])
        return self._join(local, self._wide.to_itself(self._input(states, local), plans[self.wider]))

    def across(self, states: Tensor, memory: Tensor, plans: SourcePlans) -> Tensor:
        """See :class:`PackedAttention`; keys and values of both attentions are the memory's."""
        local = self.to_memory(states, memory, plans["sentence"])
        return self._join(local, self._wide.to_memory(self._input(states, local), memory, plans[self.wider]))

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
        joined: Tensor = self.gate(local, wide)
        return joined
