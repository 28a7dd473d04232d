"""From words to discourse units (EDUs) of a paragraph: the ends of units, and a vector for each.

The units of paragraphs are :class:`.Lines` whose segments are units instead of sentences.
"""

from dataclasses import replace

import torch
from torch import Tensor

from discourse_nmt.models.context.lines import NO_SEGMENT, Lines


def last_words(lines: Lines) -> Tensor:
    """The last word of each sentence: [L, K] bool. A mark, or padding, follows it."""
    following = torch.nn.functional.pad(lines.words[:, 1:], (0, 1), value=False)
    return lines.words & ~following


def predicted_cuts(lines: Lines, boundaries: Tensor, word_ends: Tensor, threshold: float) -> Tensor:
    """Whether a unit ends after each position, [L, K] bool, by the logits ``boundaries`` [L, K] (spec 04, equation 4).

    A unit ends only at the end of a word, where ``word_ends`` [L, K] is true, and always at the end of a sentence.
    """
    likely = boundaries.sigmoid() > threshold
    return (likely & word_ends & lines.words) | last_words(lines)


def units_of_lines(lines: Lines, cuts: Tensor) -> Lines:
    """The units of ``lines``, counted from 0 in each line; ``cuts`` [L, K] bool is true where a unit ends.

    A sentence's marks belong to its first and its last unit, but are not words of them. Marks of a sentence without
    words belong to no unit.
    """
    cuts = (cuts & lines.words) | last_words(lines)
    before = cuts.cumsum(dim=1) - cuts.long()  # units that ended before this position
    with_words = lines.present.gather(1, lines.segments.clamp(min=0))
    # After the last word of a sentence, the current unit is the one that has just ended.
    first = torch.nn.functional.pad(lines.segments[:, 1:] != lines.segments[:, :-1], (1, 0), value=True)
    behind = ~lines.words & ~first
    unit_of_position = (before - behind.long()).masked_fill((lines.segments == NO_SEGMENT) | ~with_words, NO_SEGMENT)
    return replace(lines, segments=unit_of_position, segment_count=max(1, int(cuts.sum(dim=1).max())))


def pooled(units: Lines, states: Tensor) -> Tensor:
    """The maximum of each component over the words of each unit: [L, M, d] of ``states`` [L, K, d].

    Source: spec 04, equation 5. Absent units get 0.
    """
    counts = torch.bincount((first_units(units) + units.segments)[units.words], minlength=units.present.numel())
    real = counts.nonzero()[:, 0]
    table = states.new_zeros(units.present.numel(), states.shape[2])
    if len(real):
        table = table.index_copy(0, real, torch.segment_reduce(states[units.words], "max", lengths=counts[real]))
    return table.view(*units.present.shape, -1)


def first_units(units: Lines) -> Tensor:
    """The index of the first unit of each line among the units of all lines: [L, 1]."""
    return torch.arange(len(units.table_index), device=units.table_index.device)[:, None] * units.segment_count


def spread(units: Lines, vectors: Tensor) -> Tensor:
    """The vector of each position's unit: [L, K, d] of ``vectors`` [L, M, d]."""
    rows = first_units(units) + units.segments.clamp(min=0)
    return vectors.flatten(0, 1).index_select(0, rows.flatten()).view(*rows.shape, -1)
