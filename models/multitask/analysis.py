"""What a multi-task network finds out about a batch of paragraphs."""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from discourse_nmt.models.context.host import ContextMemory
from discourse_nmt.models.context.lines import Lines
from discourse_nmt.models.context.paragraphs import NO_SENTENCE, Paragraphs
from discourse_nmt.models.multitask.unit_attention import UnitKeys


@dataclass(frozen=True)
class Analysis:
    """What the network says of P paragraphs of K positions with up to M units."""

    lines: Lines
    units: Lines
    states: Tensor
    """[P, K, d]: the encoder's, which it was made of."""
    boundaries: Tensor
    """[P, K]: logits that a unit ends after a position."""
    vectors: Tensor
    """[P, M, d]: the units in view of each other."""
    heads: Tensor | None
    """[P, M, M]: scores of the heads of each unit, before the softmax; None without a dependency head."""


@dataclass(frozen=True)
class Discourse:
    """The analysis behind the rows of a memory."""

    analysis: Analysis
    paragraphs: Tensor
    """[B]: the paragraph of each row."""
    keys: UnitKeys | None
    """Those of the decoder, where it attends to units or words of the paragraph."""

    def select(self, sentences: Tensor) -> "Discourse":
        """The rows ``sentences``, in this order."""
        return replace(self, paragraphs=self.paragraphs[sentences])

    @cached_property
    def seen(self) -> tuple[UnitKeys, Lines, Tensor]:
        """What the rows see, by paragraph, and the rows of each of those paragraphs: [U, N] or NO_SENTENCE."""
        assert self.keys is not None
        present, owners = self.paragraphs.unique(return_inverse=True)
        order = owners.argsort(stable=True)
        rows = Paragraphs(owners[order]).rows
        rows = torch.where(rows == NO_SENTENCE, NO_SENTENCE, order[rows.clamp(min=0)])
        return self.keys.select(present), self.analysis.units.select(present), rows


def discourse_of(memory: ContextMemory) -> Discourse:
    """What the multi-task network found out about the rows of a memory."""
    discourse = memory.contexts["discourse"]
    assert isinstance(discourse, Discourse)
    return discourse
