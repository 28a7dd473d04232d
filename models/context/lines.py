"""Words of several sentences side by side in one line, and sums over each sentence of it."""

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from discourse_nmt.corpus.vocabulary import BEGIN, END
from discourse_nmt.models.context.paragraphs import NO_SENTENCE, History, ParagraphSource


@dataclass(frozen=True)
class Lines:
    """L lines of K positions, each of up to N sentences, which stand in a table of R padded rows of S positions."""

    places: Tensor
    """[L, K]: the position ``row * S + column`` of the table that stands here; at padding the line's last one."""
    sentences: Tensor
    """[L, K]: number of its sentence in the line; :data:`NO_SENTENCE` at padding."""
    words: Tensor
    """[L, K] bool: whether it is read as context, which padding and the marks of the source are not."""
    count: int
    """Sentences of the longest line, N."""

    @cached_property
    def present(self) -> Tensor:
        """Which sentences there are that have words: [L, N] bool."""
        return self.members(torch.float32).any(dim=1)

    def members(self, kind: torch.dtype) -> Tensor:
        """1 where a word (second axis) is in a sentence: [L, K, N]."""
        numbers = torch.arange(self.count, device=self.sentences.device)
        return ((self.sentences[..., None] == numbers) & self.words[..., None]).to(kind)

    def means(self, kind: torch.dtype) -> Tensor:
        """The matrix [L, N, K] that takes the mean over each sentence's words; 0 for a sentence without."""
        members = self.members(kind)
        return (members / members.sum(dim=1, keepdim=True).clamp(min=1)).transpose(1, 2)

    def select(self, lines: Tensor | slice) -> "Lines":
        """The ``lines``, in this order."""
        return Lines(self.places[lines], self.sentences[lines], self.words[lines], self.count)

    def take(self, table: Tensor) -> Tensor:
        """The entries of ``table`` [R, S, ...] in lines: [L, K, ...]."""
        return table.flatten(0, 1).index_select(0, self.places.flatten()).view(*self.places.shape, *table.shape[2:])

    def put(self, table: Tensor, entries: Tensor) -> Tensor:
        """``table`` [R, S, ...] with the ``entries`` [L, K, ...] in their places."""
        real = self.sentences != NO_SENTENCE
        return table.flatten(0, 1).index_copy(0, self.places[real], entries[real].to(table.dtype)).view(table.shape)

    def softmax(self, scores: Tensor, shares: Tensor) -> Tensor:
        """Softmax of ``scores`` [L, h, Q, K] over the words of each sentence, times the sentence's share.

        ``shares`` [L, h, Q, N]. What is no word gets 0.
        """
        scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
        scores = scores.masked_fill(~self.words[:, None, None], -torch.inf)
        numbers = self.sentences.clamp(min=0)[:, None, None].expand_as(scores)
        largest = scores.new_full(shares.shape, -torch.inf).scatter_reduce(-1, numbers, scores.detach(), "amax")
        largest = largest.masked_fill(largest == -torch.inf, 0)
        members = self.members(scores.dtype)[:, None]
        powers = (scores - largest @ members.transpose(-1, -2)).exp()
        sums = powers @ members
        factors = shares / sums.masked_fill(sums == 0, 1)
        return powers * (factors.to(members.dtype) @ members.transpose(-1, -2))


def lines_of_paragraphs(source: ParagraphSource) -> Lines:
    """The source of each paragraph in one line, in text order; a sentence's number is that in its paragraph."""
    paragraphs, length = source.paragraphs, source.ids.shape[1]
    positions = (~source.padding).flatten().nonzero()[:, 0]
    rows = positions // length
    counts = torch.bincount(paragraphs.numbers[rows])
    columns = torch.arange(int(counts.max()), device=counts.device)
    inside = columns < counts[:, None]
    order = (counts.cumsum(0) - counts)[:, None] + columns.minimum(counts[:, None] - 1)
    places = positions[order]
    sentences = paragraphs.places[rows[order]].masked_fill(~inside, NO_SENTENCE)
    ids = source.ids.flatten()[places]
    return Lines(places, sentences, inside & (ids != BEGIN) & (ids != END), paragraphs.rows.shape[1])


def lines_of_rows(padding: Tensor) -> Lines:
    """Each row of a table [R, S], true at ``padding``, as a line with one sentence."""
    places = torch.arange(padding.numel(), device=padding.device).view(padding.shape)
    return Lines(places, torch.zeros_like(places).masked_fill(padding, NO_SENTENCE), ~padding, 1)


def lines_of_history(history: History) -> Lines:
    """What each row of a batch sees of its earlier target sentences, the nearest first and numbered so."""
    rows, length = history.rows.clamp(min=0), history.ids.shape[1]
    real = (~history.padding[rows] & ~history.absent[..., None]).flatten(1)  # [B, K * T]
    counts = real.sum(dim=1, keepdim=True)
    order = real.byte().argsort(dim=1, descending=True, stable=True)[:, : max(1, int(counts.max()))]
    inside = torch.arange(order.shape[1], device=order.device) < counts
    sentences = order // length
    places = rows.gather(1, sentences) * length + order % length
    return Lines(places, sentences.masked_fill(~inside, NO_SENTENCE), inside, rows.shape[1])
