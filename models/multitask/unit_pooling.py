"""From words to discourse units (EDUs) of a paragraph: where units end, and a vector for each.

Units are lines (:class:`.Lines`) whose parts are units instead of sentences: everything that
is done by sentence can be done by unit.
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
    """After which positions a unit ends, [L, K] bool, by the logits ``boundaries`` [L, K] (specification 04, 3).

    A unit ends inside no word, so only where ``word_ends`` [L, K] is true, and always where a sentence does.
    """
    likely = boundaries.sigmoid() > threshold
    return (likely & word_ends & lines.words) | last_words(lines)


def units_of_lines(lines: Lines, cuts: Tensor) -> Lines:
    """The units of the sentences of ``lines``, counted from 0 over a line, by where they end: ``cuts`` [L, K] bool.

    A sentence's marks belong to its first and its last unit, but are no words of them. Marks of a sentence without
    words belong to none.
    """
    cuts = (cuts & lines.words) | last_words(lines)
    before = cuts.cumsum(dim=1) - cuts.long()  # units that ended before this position
    with_words = lines.present.gather(1, lines.segments.clamp(min=0))
    # Behind the last word of a sentence its last unit is the one that has ended.
    first = torch.nn.functional.pad(lines.segments[:, 1:] != lines.segments[:, :-1], (1, 0), value=True)
    behind = ~lines.words & ~first
    numbers = (before - behind.long()).masked_fill((lines.segments == NO_SEGMENT) | ~with_words, NO_SEGMENT)
    return replace(lines, segments=numbers, segment_count=max(1, int(cuts.sum(dim=1).max())))


def pooled(units: Lines, states: Tensor) -> Tensor:
    """The largest of each component over the words of each unit (equation 5): [L, M, d] of ``states`` [L, K, d].

    0 where there is no such unit.
    """
    counts = torch.bincount((lines_before(units) + units.segments)[units.words], minlength=units.present.numel())
    real = counts.nonzero()[:, 0]
    table = states.new_zeros(units.present.numel(), states.shape[2])
    if len(real):
        table = table.index_copy(0, real, torch.segment_reduce(states[units.words], "max", lengths=counts[real]))
    return table.view(*units.present.shape, -1)


def lines_before(units: Lines) -> Tensor:
    """How many units the lines before each one have room for: [L, 1]."""
    return torch.arange(len(units.table_index), device=units.table_index.device)[:, None] * units.segment_count


def spread(units: Lines, vectors: Tensor) -> Tensor:
    """The vector of each position's unit: [L, K, d] of ``vectors`` [L, M, d]."""
    rows = lines_before(units) + units.segments.clamp(min=0)
    return vectors.flatten(0, 1).index_select(0, rows.flatten()).view(*rows.shape, -1)
