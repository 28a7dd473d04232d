"""Lines: the words of several sentences side by side, cut into segments, and sums over each segment.

A segment is a sentence, or a discourse unit in multi-task learning.
"""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.models.context.paragraphs import History, ParagraphSource

NO_SEGMENT = -1  # stands for "no segment": padding, and the marks of a sentence without units


@dataclass(frozen=True)
class Lines:
    """L lines of K positions with up to N segments each, taken from a table of R padded rows of S positions."""

    table_index: Tensor
    """[L, K]: the index ``row * S + column`` of each position in the table; at padding that of the line's last one."""
    segments: Tensor
    """[L, K]: the segment of each position, counted from 0 in the line; :data:`NO_SEGMENT` at padding."""
    words: Tensor
    """[L, K] bool: whether the position is read as context; padding and the marks of the source are not."""
    segment_count: int
    """Segments of the line with most, N."""

    @cached_property
    def present(self) -> Tensor:
        """Which segments have words: [L, N] bool."""
        return self.members(torch.float32).any(dim=1)

    def members(self, kind: torch.dtype) -> Tensor:
        """1 where a word (second axis) is in a segment (third axis): [L, K, N]."""
        segments = torch.arange(self.segment_count, device=self.segments.device)
        return ((self.segments[..., None] == segments) & self.words[..., None]).to(kind)

    def means(self, kind: torch.dtype) -> Tensor:
        """The matrix [L, N, K] of means over the words of each segment; 0 for a segment without words."""
        members = self.members(kind)
        return (members / members.sum(dim=1, keepdim=True).clamp(min=1)).transpose(1, 2)

    def select(self, lines: Tensor | slice) -> "Lines":
        """The ``lines``, in this order."""
        return Lines(self.table_index[lines], self.segments[lines], self.words[lines], self.segment_count)

    def take(self, table: Tensor) -> Tensor:
        """The entries of ``table`` [R, S, ...], in lines: [L, K, ...]."""
        taken = table.flatten(0, 1).index_select(0, self.table_index.flatten())
        return taken.view(*self.table_index.shape, *table.shape[2:])

    def put(self, table: Tensor, entries: Tensor) -> Tensor:
        """``table`` [R, S, ...] with the ``entries`` [L, K, ...] written at their indices."""
        real = self.segments != NO_SEGMENT
        return (
            table.flatten(0, 1).index_copy(0, self.table_index[real], entries[real].to(table.dtype)).view(table.shape)
        )

    def softmax(self, scores: Tensor, shares: Tensor) -> Tensor:
        """Softmax of ``scores`` [L, h, Q, K] over the words of each segment, times the segment's share.

        ``shares`` are [L, h, Q, N]. Positions that are not words get 0.
        """
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
        scores = scores.masked_fill(~self.words[:, None, None], -torch.inf)
        segments = self.segments.clamp(min=0)[:, None, None].expand_as(scores)
        largest = scores.new_full(shares.shape, -torch.inf).scatter_reduce(-1, segments, scores.detach(), "amax")
        largest = largest.masked_fill(largest == -torch.inf, 0)
        members = self.members(scores.dtype)[:, None]
        powers = (scores - largest @ members.transpose(-1, -2)).exp()
        sums = powers @ members
        factors = shares / sums.masked_fill(sums == 0, 1)
        return powers * (factors.to(members.dtype) @ members.transpose(-1, -2))


def lines_of_paragraphs(source: ParagraphSource) -> Lines:
    """The source of each paragraph in one line, in text order; segments are its sentences."""
    paragraphs, length = source.paragraphs, source.ids.shape[1]
    real_index = (~source.padding).flatten().nonzero()[:, 0]
    row_of_token = real_index // length
    counts = torch.bincount(paragraphs.paragraph_of_row[row_of_token])
    columns = torch.arange(int(counts.max()), device=counts.device)
    inside = columns < counts[:, None]
    order = (counts.cumsum(0) - counts)[:, None] + columns.minimum(counts[:, None] - 1)
    table_index = real_index[order]
    segments = paragraphs.sentence_of_row[row_of_token[order]].masked_fill(~inside, NO_SEGMENT)
    ids = source.ids.flatten()[table_index]
    return Lines(table_index, segments, inside & (ids != BEGIN) & (ids != END), paragraphs.rows.shape[1])


def lines_of_rows(padding: Tensor) -> Lines:
    """Each row of a table [R, S], true at ``padding``, as a line of one segment."""
    table_index = torch.arange(padding.numel(), device=padding.device).view(padding.shape)
    return Lines(table_index, torch.zeros_like(table_index).masked_fill(padding, NO_SEGMENT), ~padding, 1)


def lines_of_history(history: History) -> Lines:
    """The earlier target sentences of each row of a batch, the nearest first; segments are these sentences."""
    rows, length = history.rows.clamp(min=0), history.ids.shape[1]
    real = (~history.padding[rows] & ~history.absent[..., None]).flatten(1)  # [B, K * T]
    counts = real.sum(dim=1, keepdim=True)
    order = real.byte().argsort(dim=1, descending=True, stable=True)[:, : max(1, int(counts.max()))]
    inside = torch.arange(order.shape[1], device=order.device) < counts
    segments = order // length
    table_index = rows.gather(1, segments) * length + order % length
    return Lines(table_index, segments.masked_fill(~inside, NO_SEGMENT), inside, rows.shape[1])
