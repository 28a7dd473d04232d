"""The analysis of a batch of paragraphs by a multi-task network."""

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
    """The analysis of P paragraphs of K positions with up to M units."""

    lines: Lines
    units: Lines
    states: Tensor
    """[P, K, d]: the encoder's states."""
    boundaries: Tensor
    """[P, K]: logits of the probability that a unit ends after a position."""
    vectors: Tensor
    """[P, M, d]: the units in view of each other."""
    heads: Tensor | None
    """[P, M, M]: scores of the heads of each unit, before the softmax; None without a dependency head."""


@dataclass(frozen=True)
class Discourse:
    """The analysis of the paragraphs of the rows of a memory."""

    analysis: Analysis
    paragraphs: Tensor
    """[B]: the paragraph of each row."""
    keys: UnitKeys | None
    """The keys of the decoder, if it attends to units or words of the paragraph."""

    def select(self, sentences: Tensor) -> "Discourse":
        """The rows ``sentences``, in this order."""
        return replace(self, paragraphs=self.paragraphs[sentences])

    @cached_property
    def seen(self) -> tuple[UnitKeys, Lines, Tensor]:
        """Keys and units of the U paragraphs of the rows, and the rows [U, N] of each paragraph, or NO_SENTENCE."""
        assert self.keys is not None
        present, owners = self.paragraphs.unique(return_inverse=True)
        order = owners.argsort(stable=True)
        rows = Paragraphs(owners[order]).rows
        rows = torch.where(rows == NO_SENTENCE, NO_SENTENCE, order[rows.clamp(min=0)])
        return self.keys.select(present), self.analysis.units.select(present), rows


def discourse_of(memory: ContextMemory) -> Discourse:
    """The analysis of the rows of a memory."""
    discourse = memory.contexts["discourse"]
    assert isinstance(discourse, Discourse)
    return discourse
