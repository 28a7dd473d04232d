"""Batches of whole paragraphs: one padded row for each sentence, and the paragraph of each row."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Self

import torch
from torch import Tensor, nn

from discourse_nmt.base.vocabulary import PAD
from discourse_nmt.models.core.length_groups import LengthGroups, length_groups

NO_SENTENCE = -1  # stands for "no sentence" where the row of one is expected


class Movable(Protocol):
    """Tensors that may be on another device."""

    def to(self, device: torch.device) -> Self:
        """The same on another device."""


@dataclass(frozen=True)
class Paragraphs:
    """The paragraphs of a batch; the sentences of a paragraph are adjacent rows, in text order."""

    paragraph_of_row: Tensor
    """[B] int64, rising from 0."""

    @cached_property
    def sentence_of_row(self) -> Tensor:
        """The index of each sentence in its paragraph: [B]."""
        counts = torch.bincount(self.paragraph_of_row)
        return self._row_index - (counts.cumsum(0) - counts)[self.paragraph_of_row]

    @cached_property
    def rows(self) -> Tensor:
        """The rows of each paragraph: [P, N], padded with :data:`NO_SENTENCE`."""
        counts = torch.bincount(self.paragraph_of_row)
        rows = self.paragraph_of_row.new_full((len(counts), int(counts.max())), NO_SENTENCE)
        rows[self.paragraph_of_row, self.sentence_of_row] = self._row_index
        return rows

    @property
    def _row_index(self) -> Tensor:
        return torch.arange(len(self.paragraph_of_row), device=self.paragraph_of_row.device)

    def earlier(self, count: int | None) -> Tensor:
        """The ``count`` sentences before each one (None: all), the nearest first: [B, K] rows or :data:`NO_SENTENCE`.

        K is as large as the longest paragraph needs, at least 1.
        """
        longest = max(1, self.rows.shape[1] - 1)
        steps = 1 + torch.arange(longest if count is None else min(count, longest), device=self.paragraph_of_row.device)
        rows = self._row_index[:, None] - steps
        return rows.masked_fill(self.sentence_of_row[:, None] < steps, NO_SENTENCE)

    def seen(self, context: str) -> Tensor:
        """Which sentence has which as its context, ``offline``, ``online`` or ``none``: [B, B] bool."""
        order = self._row_index
        together = self.paragraph_of_row[:, None] == self.paragraph_of_row
        if context == "offline":
            return together & (order[:, None] != order)
        return together & (order[:, None] > order) & (context == "online")

    def to(self, device: torch.device) -> "Paragraphs":
        """The same on another device."""
        return Paragraphs(self.paragraph_of_row.to(device, non_blocking=True))


@dataclass(frozen=True)
class ParagraphSource:
    """The source of a batch of paragraphs: ``ids`` [B, S] are ``<s> ids </s>``, padded.

    ``structure`` is the result of the network's ``arrange`` for the paragraphs' structure files; None where the network
    reads no structure or decodes without it.
    """

    ids: Tensor
    paragraphs: Paragraphs
    structure: Any = None

    @cached_property
    def padding(self) -> Tensor:
        """[B, S] bool, true at padding."""
        return self.ids == PAD

    @cached_property
    def lengths(self) -> list[int]:
        """Tokens of each sentence, marks included: [B]."""
        lengths: list[int] = (~self.padding).sum(dim=1).tolist()
        return lengths

    @cached_property
    def groups(self) -> LengthGroups:
        """The sentences in groups of similar lengths."""
        return length_groups(self.lengths, self.ids.device)

    def to(self, device: torch.device) -> "ParagraphSource":
        """The same on another device."""
        structure = None if self.structure is None else self.structure.to(device)
        return ParagraphSource(self.ids.to(device, non_blocking=True), self.paragraphs.to(device), structure)


@dataclass(frozen=True)
class ParagraphBatch:
    """A training batch: ``target_input`` [B, T] is ``<s> ids``, ``target_output`` [B, T] ``ids </s>``, both padded."""

    source: ParagraphSource
    target_input: Tensor
    target_output: Tensor

    @property
    def target_tokens(self) -> int:
        """Tokens that are predicted: target subwords and ``</s>``."""
        return int((self.target_output != PAD).sum())

    @cached_property
    def groups(self) -> LengthGroups:
        """The sentences in groups of similar target lengths."""
        return length_groups((self.target_input != PAD).sum(dim=1).tolist(), self.target_input.device)

    def to(self, device: torch.device) -> "ParagraphBatch":
        """The batch on ``device``."""
        if device.type == "cpu":
            return self
        targets = (self.target_input.to(device, non_blocking=True), self.target_output.to(device, non_blocking=True))
        return ParagraphBatch(self.source.to(device), *targets)


@dataclass(frozen=True)
class History:
    """R target sentences, of which each row of a batch reads up to K earlier ones."""

    states: Tensor
    """[R, T, w]: the result of the network's ``history_states``."""
    ids: Tensor
    """[R, T]: ``<s> ids``, padded."""
    rows: Tensor
    """[B, K]: the sentences that each row reads, the nearest first; :data:`NO_SENTENCE` where there are fewer."""
    drafts: bool = False
    """Whether they are drafts, each sentence by itself; the nearest is that of the row's own sentence then."""
    computed: dict[nn.Module, Any] = field(default_factory=dict)
    """Results that a block computes once, by the block."""

    @cached_property
    def padding(self) -> Tensor:
        """[R, T] bool, true at padding."""
        return self.ids == PAD

    @cached_property
    def absent(self) -> Tensor:
        """[B, K] bool, true where there is no such sentence."""
        return self.rows == NO_SENTENCE

    def select(self, sentences: Tensor) -> "History":
        """The history of the rows ``sentences``."""
        return replace(self, rows=self.rows[sentences])
