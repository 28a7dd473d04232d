"""Batches of whole paragraphs: their sentences in padded rows, and which rows stand together."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from discourse_nmt.corpus.vocabulary import PAD
from discourse_nmt.models.core.length_groups import LengthGroups, length_groups

NO_SENTENCE = -1  # in the place of the number of a sentence that there is not


@dataclass(frozen=True)
class Paragraphs:
    """The paragraph of each row of a batch: ``numbers`` [B] int64, rising from 0.

    The sentences of a paragraph are adjacent rows, in text order.
    """

    numbers: Tensor

    @cached_property
    def places(self) -> Tensor:
        """Number of each sentence in its paragraph, from 0: [B]."""
        counts = torch.bincount(self.numbers)
        return torch.arange(len(self.numbers), device=self.numbers.device) - (counts.cumsum(0) - counts)[self.numbers]

    @cached_property
    def rows(self) -> Tensor:
        """The rows of each paragraph: [P, N], filled up with :data:`NO_SENTENCE`."""
        counts = torch.bincount(self.numbers)
        rows = self.numbers.new_full((len(counts), int(counts.max())), NO_SENTENCE)
        rows[self.numbers, self.places] = torch.arange(len(self.numbers), device=rows.device)
        return rows

    def earlier(self, count: int | None) -> Tensor:
        """The ``count`` sentences before each one (None: all), the nearest first: [B, K] rows or :data:`NO_SENTENCE`.

        K is as large as a paragraph needs, at least 1.
        """
        longest = max(1, self.rows.shape[1] - 1)
        back = torch.arange(1, (longest if count is None else min(count, longest)) + 1, device=self.numbers.device)
        rows = torch.arange(len(self.numbers), device=back.device)[:, None] - back
        return rows.masked_fill(self.places[:, None] < back, NO_SENTENCE)

    def seen(self, context: str) -> Tensor:
        """Which sentence sees which as its context, ``offline``, ``online`` or ``none``: [B, B] bool."""
        order = torch.arange(len(self.numbers), device=self.numbers.device)
        together = self.numbers[:, None] == self.numbers
        if context == "offline":
            return together & (order[:, None] != order)
        return together & (order[:, None] > order) & (context == "online")

    def to(self, device: torch.device) -> "Paragraphs":
        """The same on another device."""
        return Paragraphs(self.numbers.to(device, non_blocking=True))


@dataclass(frozen=True)
class ParagraphSource:
    """The source of a batch of paragraphs: ``ids`` [B, S] are ``<s> ids </s>``, padded.

    ``structure`` is what the network made of the paragraphs' structure files by its ``arrange``; None where it reads
    none or decoding renounces it.
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
    """What training reads; ``target_input`` [B, T] is ``<s> ids``, ``target_output`` [B, T] ``ids </s>``, padded."""

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
    """Target sentences that others look back at: R of them, of which each row of a batch sees up to K.

    ``kept`` is for what a block computes of them once, by the block.
    """

    states: Tensor
    """[R, T, w]: what the network's ``top_states`` gives for them."""
    ids: Tensor
    """[R, T]: ``<s> ids``, padded."""
    rows: Tensor
    """[B, K]: the sentences that each row sees, the nearest first; :data:`NO_SENTENCE` where there are fewer."""
    kept: dict[nn.Module, Any] = field(default_factory=dict)

    @cached_property
    def padding(self) -> Tensor:
        """[R, T] bool, true at padding."""
        return self.ids == PAD

    @cached_property
    def absent(self) -> Tensor:
        """[B, K] bool, true where there is no such sentence."""
        return self.rows == NO_SENTENCE

    def select(self, sentences: Tensor) -> "History":
        """What the rows ``sentences`` see."""
        return replace(self, rows=self.rows[sentences])
