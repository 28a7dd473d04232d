"""The labels that multi-task learning learns from, as tensors of a batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.corpus.arrays import Booleans, Integers
from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import nearest
from discourse_nmt.models.multitask.paragraph_analysis import UNANNOTATED, ParagraphAnalysis


@dataclass(frozen=True)
class Labels:
    """Tensors of a batch of P paragraphs with up to M units; the last three are None without a parser."""

    word_ends: Tensor
    """[B, S] bool: which positions are the last subword of a word."""
    cuts: Tensor | None = None
    """[B, S] bool: after which positions a unit ends."""
    heads: Tensor | None = None
    """[P, M]: the head of each unit; ``UNANNOTATED`` also at padding."""
    relations: Tensor | None = None
    """[P, M]: the class of its relation; ``UNANNOTATED`` likewise."""

    def to(self, device: torch.device) -> "Labels":
        """The same on another device."""
        moved: dict[str, Any] = {
            name: each if each is None else each.to(device, non_blocking=True) for name, each in vars(self).items()
        }
        return Labels(**moved)


def labels_of(analyses: Sequence[ParagraphAnalysis], shape: torch.Size, classes: Sequence[str]) -> Labels:
    """The tensors, on the CPU, of a batch of paragraphs; ``shape`` [B, S] is that of its source.

    ``classes`` names the classes of relations. Raises :class:`InputError` for a relation that is none of them.
    """
    word_ends = np.zeros(tuple(shape), bool)
    for row, words in enumerate(words for one in analyses for words in one.words):
        word_ends[row, 1 : len(words) + 1] = ends_of(words)
    if any(one.units is None for one in analyses):
        return Labels(torch.from_numpy(word_ends))
    cuts = np.zeros(tuple(shape), bool)
    for row, units in enumerate(units for one in analyses for units in one.units or ()):
        cuts[row, 1 : len(units) + 1] = ends_of(units)
    numbers = {name: number for number, name in enumerate(classes)}
    count = max(1, *(len(one.heads) for one in analyses))
    heads, relations = np.full((2, len(analyses), count), UNANNOTATED)
    for place, one in enumerate(analyses):
        heads[place, : len(one.heads)] = one.heads
        known = [head != UNANNOTATED for head in one.heads]
        for unit in np.flatnonzero(known).tolist():
            relation = one.relations[unit]
            if relation not in numbers:
                message = f"{relation} is none of the relations of the system"
                raise InputError(message, remedy=f"add it to settings.relations, or {nearest(relation, classes)}")
            relations[place, unit] = numbers[relation]
    return Labels(*map(torch.from_numpy, (word_ends, cuts, heads, relations)))


def ends_of(numbers: Integers) -> Booleans:
    """Which entries are the last one of their number: [n] bool."""
    return np.diff(numbers, append=-1) != 0


def shortened(one: ParagraphAnalysis, sentences: int, root: str) -> list[ParagraphAnalysis]:
    """A paragraph cut into runs of ``sentences``; a unit whose head is in another run is a ``root`` of its own."""
    parts = []
    borders = [*range(0, len(one.words), sentences), len(one.words)]
    for start, stop in pairwise(borders):
        words = one.words[start:stop]
        if one.units is None:
            parts.append(ParagraphAnalysis(words))
            continue
        units = list(one.units[start:stop])
        numbers = np.concatenate([np.empty(0, np.int64), *units])
        first, last = (int(numbers[0]), int(numbers[-1]) + 1) if len(numbers) else (0, 0)
        heads, relations = np.array(one.heads[first:last], np.int64), list(one.relations[first:last])
        outside = (heads != UNANNOTATED) & ((heads < first) | (heads >= last))
        heads[outside] = np.flatnonzero(outside) + first
        relations = [root if left else relation for left, relation in zip(outside.tolist(), relations)]
        shifted = np.where(heads == UNANNOTATED, UNANNOTATED, heads - first)
        parts.append(ParagraphAnalysis(words, [found - first for found in units], shifted, relations))
    return parts
