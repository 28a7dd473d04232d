"""Selective attention (Maruf, Martins, Haffari 2019): words attend to the words of other sentences.

FlatAtt is one softmax over all words. HierAtt chooses sentences by sparsemax and words in each by softmax; a word's
weight is the product. Specification 02, section 6.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.models.context.lines import Lines
from discourse_nmt.models.core.parts import Dropout, begin_alike, begin_copying, linear, split_heads
from discourse_nmt.models.selective.pairs import PairVectors, rows_of, together
from discourse_nmt.models.selective.sparsemax import sparsemax
from discourse_nmt.models.selective.structural_positions import UnitGroup

SCORES = 2**22  # scores of words that are computed at a time


class Keys(NamedTuple):
    """What queries are compared with and what they read, per head."""

    words: Tensor
    """[L, h, K, d_k]."""
    values: Tensor
    """[L, h, K, d_k]."""
    sentences: Tensor | None
    """[L, h, N, d_k]; HierAtt only."""

    def take(self, lines: Lines, rows: Tensor) -> "Keys":
        """Of R sentences, each a line here, those of ``lines`` [B, K], whose sentences are ``rows`` [B, N]."""
        words, values = (lines.take(part.transpose(1, 2)).transpose(1, 2) for part in (self.words, self.values))
        if self.sentences is None:
            return Keys(words, values, None)
        return Keys(words, values, self.sentences[:, :, 0][rows.clamp(min=0)].transpose(1, 2))


class SelectiveAttention(nn.Module):
    """FlatAtt (4 d x d matrices), or HierAtt (6); none has a bias, as in the public code."""

    def __init__(self, width: int, heads: int, hierarchical: bool, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.hierarchical = hierarchical
        self.word_query, self.word_key, self.value, self.output = (linear(width, width, bias=False) for _ in range(4))
        if hierarchical:
            self.sentence_query, self.sentence_key = (linear(width, width, bias=False) for _ in range(2))
        self.dropout = Dropout(dropout)

    def begin_copying(self) -> None:
        """Let a word begin with copies of words like it, of sentences like it."""
        begin_copying(self.value.weight, self.output.weight)
        begin_alike(self.word_query.weight, self.word_key.weight)
        if self.hierarchical:
            begin_alike(self.sentence_query.weight, self.sentence_key.weight)

    def keys(self, states: Tensor, lines: Lines) -> Keys:
        """Project the words' ``states`` [L, K, d] and the means of each sentence."""
        sentences = None
        if self.hierarchical:
            sentences = split_heads(self.sentence_key(lines.means(states.dtype) @ states), self.heads)
        return Keys(
            split_heads(self.word_key(states), self.heads), split_heads(self.value(states), self.heads), sentences
        )

    def forward(
        self, queries: Tensor, keys: Keys, lines: Lines, seen: Tensor, added: PairVectors | None = None
    ) -> Tensor:
        """Attention of ``queries`` [L, Q, d] to the words of the sentences ``seen`` [L, Q, N] bool: [L, Q, d].

        What a query gets that sees no sentence means nothing.
        """
        asked = split_heads(self._scaled(self.word_query, queries), self.heads)
        of_units = of_sentences = None
        if added is not None:
            of_units = added.unit_scores(self._through(asked.transpose(1, 2), self.word_key))
        if keys.sentences is not None:
            of_means = split_heads(self._scaled(self.sentence_query, queries), self.heads)
            of_sentences = of_means @ keys.sentences.transpose(-1, -2)
            if added is not None:
                folded = self._through(of_means.transpose(1, 2), self.sentence_key)
                of_sentences = of_sentences + added.sentence_scores(folded)
        mixed, unit_weights = [], []
        many = max(1, SCORES // (asked.shape[1] * asked.shape[2] * keys.words.shape[2]))
        for part in (slice(begin, begin + many) for begin in range(0, len(queries), many)):
            scores = asked[part] @ keys.words[part].transpose(-1, -2)
            if added is not None and of_units is not None:
                units = added.units[part, None, None].expand(*scores.shape)
                scores = scores + of_units[part].gather(-1, units)
            shares = None if of_sentences is None else of_sentences[part]
            weights = self._weights(scores, shares, lines.select(part), seen[part])
            mixed.append(weights @ keys.values[part])
            if added is not None:
                members = F.one_hot(added.units[part], added.means.shape[2]).to(weights.dtype)
                unit_weights.append(weights @ members[:, None])
        found = torch.cat(mixed).transpose(1, 2)
        if added is not None:
            found = found + self._valued(added.mixed(torch.cat(unit_weights)))
        result: Tensor = self.output(found.flatten(2))
        return result

    def by_unit(
        self,
        queries: Tensor,
        words: Callable[[UnitGroup], Tensor],
        lines: Lines,
        seen: Tensor,
        groups: Sequence[UnitGroup],
        count: int,
    ) -> Tensor:
        """:meth:`forward` where the ``words`` [E, K, d] are others for each of the units that ask, at most ``count``.

        It is queries and sums of words that go through the projections of keys and values: words are far more.
        """
        results = []
        for group in groups:
            own, rows, read = group.owners // count, rows_of(queries, group), words(group)
            part = lines.select(own)
            scores = self._products(rows, self.word_query, self.word_key, read)
            of_sentences = None
            if self.hierarchical:
                sentences = part.means(read.dtype) @ read
                of_sentences = self._products(rows, self.sentence_query, self.sentence_key, sentences)
            weights = self._weights(scores, of_sentences, part, rows_of(seen, group)).transpose(1, 2)
            mixed = (weights.flatten(1, 2) @ read).unflatten(1, weights.shape[1:3])
            results.append(self._valued(mixed).flatten(2)[group.real])
        result: Tensor = self.output(together(results, groups, queries.shape[:2]))
        return result

    def _weights(self, scores: Tensor, of_sentences: Tensor | None, lines: Lines, seen: Tensor) -> Tensor:
        """The weight of each word [L, h, Q, K], by ``scores`` of the same shape and of sentences [L, h, Q, N]."""
        seen = seen & lines.present[:, None]
        if of_sentences is not None:
            shares = sparsemax(of_sentences.masked_fill(~seen[:, None], -torch.inf))
            return self.dropout(lines.softmax(scores, shares))
        visible = seen.take_along_dim(lines.sentences.clamp(min=0)[:, None], dim=2) & lines.words[:, None]
        hidden = torch.finfo(scores.dtype).min  # finite, for queries that see nothing
        found: Tensor = self.dropout(scores.masked_fill(~visible[:, None], hidden).softmax(dim=-1))
        return found

    def _products(self, queries: Tensor, query: nn.Linear, key: nn.Linear, words: Tensor) -> Tensor:
        """Scores [E, h, t, K] of ``queries`` [E, t, d] with ``words`` [E, K, d]."""
        folded = self._through(self._scaled(query, queries).unflatten(-1, (self.heads, -1)), key)
        return (folded.flatten(1, 2) @ words.transpose(1, 2)).unflatten(1, folded.shape[1:3]).transpose(1, 2)

    def _scaled(self, query: nn.Linear, queries: Tensor) -> Tensor:
        return query(queries) * (query.out_features // self.heads) ** -0.5

    def _through(self, queries: Tensor, key: nn.Linear) -> Tensor:
        """Queries [..., h, d_k] for keys as what they compare before the projection ``key``: [..., h, d]."""
        return torch.einsum("...hc,hcd->...hd", queries, key.weight.unflatten(0, (self.heads, -1)))

    def _valued(self, mixed: Tensor) -> Tensor:
        """Sums of words [..., h, d] as sums of their values [..., h, d_k]."""
        return torch.einsum("...hd,hcd->...hc", mixed, self.value.weight.unflatten(0, (self.heads, -1)))
