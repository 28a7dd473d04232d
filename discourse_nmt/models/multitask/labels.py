"""The labels of multi-task learning, as tensors of a batch."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.models.multitask.paragraph_analysis import UNANNOTATED, ParagraphAnalysis


@dataclass(frozen=True)
class Labels:
    """Tensors of a batch of P paragraphs with up to M units; the last three are None without a parser."""

    word_ends: Tensor
    """[B, S] bool: true at the last subword of a word."""
    cuts: Tensor | None = None
    """[B, S] bool: true where a unit ends after the position."""
    heads: Tensor | None = None
    """[P, M]: the head of each unit; ``UNANNOTATED`` also at padding."""
    relations: Tensor | None = None
    """[P, M]: the class of its relation; ``UNANNOTATED`` likewise."""

    def to(self, device: torch.device) -> "Labels":
        """The same on another device."""
        cuts, heads, relations = (
            None if tensor is None else tensor.to(device, non_blocking=True)
            for tensor in (self.cuts, self.heads, self.relations)
        )
        return Labels(self.word_ends.to(device, non_blocking=True), cuts, heads, relations)


def labels_of(analyses: Sequence[ParagraphAnalysis], shape: torch.Size, classes: Sequence[str]) -> Labels:
    """The tensors, on the CPU, of a batch of paragraphs; ``shape`` [B, S] is that of its source.

    ``classes`` names the classes of relations. Raises :class:`InputError` for a relation that is none of them.
    """
    word_ends = np.zeros(tuple(shape), bool)
    for row, words in enumerate(words for paragraph in analyses for words in paragraph.words):
        word_ends[row, 1 : len(words) + 1] = ends_of(words)
    if any(paragraph.units is None for paragraph in analyses):
        return Labels(torch.from_numpy(word_ends))
    cuts = np.zeros(tuple(shape), bool)
    for row, units in enumerate(units for paragraph in analyses for units in paragraph.units or ()):
        cuts[row, 1 : len(units) + 1] = ends_of(units)
    class_index = {name: index for index, name in enumerate(classes)}
    count = max(1, *(len(paragraph.heads) for paragraph in analyses))
    heads, relations = np.full((2, len(analyses), count), UNANNOTATED)
    for index, paragraph in enumerate(analyses):
        heads[index, : len(paragraph.heads)] = paragraph.heads
        known = [head != UNANNOTATED for head in paragraph.heads]
        for unit in np.flatnonzero(known).tolist():
            relation = paragraph.relations[unit]
            if relation not in class_index:
                message = f"{relation} is none of the relations of the system"
                raise InputError(message, remedy=f"add it to settings.relations, or {nearest(relation, classes)}")
            relations[index, unit] = class_index[relation]
    return Labels(*map(torch.from_numpy, (word_ends, cuts, heads, relations)))


def ends_of(segments: Integers) -> Booleans:
    """Whether an entry is the last one of its word or unit, given the word or unit of each: [n] bool."""
    return np.diff(segments, append=-1) != 0


def shortened(paragraph: ParagraphAnalysis, sentences: int, root: str) -> list[ParagraphAnalysis]:
    """A ``paragraph`` cut into runs of ``sentences``; a unit whose head is in another run becomes a ``root``."""
    runs = []
    borders = [*range(0, len(paragraph.words), sentences), len(paragraph.words)]
    for start, stop in pairwise(borders):
        words = paragraph.words[start:stop]
        if paragraph.units is None:
            runs.append(ParagraphAnalysis(words))
            continue
        units = list(paragraph.units[start:stop])
        flat = np.concatenate([np.empty(0, np.int64), *units])
        first, last = (int(flat[0]), int(flat[-1]) + 1) if len(flat) else (0, 0)
        heads, relations = np.array(paragraph.heads[first:last], np.int64), list(paragraph.relations[first:last])
        outside = (heads != UNANNOTATED) & ((heads < first) | (heads >= last))
        heads[outside] = np.flatnonzero(outside) + first
        relations = [root if cut else relation for cut, relation in zip(outside.tolist(), relations)]
        shifted = np.where(heads == UNANNOTATED, UNANNOTATED, heads - first)
        runs.append(ParagraphAnalysis(words, [of_sentence - first for of_sentence in units], shifted, relations))
    return runs
