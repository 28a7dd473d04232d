"""Selective attention (Maruf, Martins, Haffari 2019): words attend to the words of other sentences.

FlatAtt is one softmax over all words. HierAtt chooses sentences by sparsemax and words in each by softmax; a word's
weight is the product (spec 02, section 6).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.models.context.lines import Lines
from discourse_nmt.models.selective.pairs import PairVectors, joined_results, queries_of
from discourse_nmt.models.selective.sparsemax import sparsemax
from discourse_nmt.models.selective.structural_positions import UnitGroup
from discourse_nmt.models.sublayers.dropout import Dropout
from discourse_nmt.models.sublayers.parts import begin_alike, begin_copying, linear, split_heads

SCORES = 2**22  # scores of words that are computed in one go


class Keys(NamedTuple):
    """Keys and values, per head."""

    words: Tensor
    """[L, h, K, d_k]."""
    values: Tensor
    """[L, h, K, d_k]."""
    sentences: Tensor | None
    """[L, h, N, d_k]; HierAtt only."""

    def take(self, lines: Lines, rows: Tensor) -> "Keys":
        """The keys of ``lines`` [B, K] of the sentences ``rows`` [B, N]; here each of R sentences is a line."""
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
        """Initialise the attention to copy similar words of similar sentences."""
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

        The output of a query that may attend to no sentence is undefined.
        """
        projected = split_heads(self._scaled(self.word_query, queries), self.heads)
        of_units = of_sentences = None
        if added is not None:
            of_units = added.unit_scores(self._through(projected.transpose(1, 2), self.word_key))
        if keys.sentences is not None:
            of_means = split_heads(self._scaled(self.sentence_query, queries), self.heads)
            of_sentences = of_means @ keys.sentences.transpose(-1, -2)
            if added is not None:
                folded = self._through(of_means.transpose(1, 2), self.sentence_key)
                of_sentences = of_sentences + added.sentence_scores(folded)
        mixed, unit_weights = [], []
        many = max(1, SCORES // (projected.shape[1] * projected.shape[2] * keys.words.shape[2]))
        for chunk in (slice(begin, begin + many) for begin in range(0, len(queries), many)):
            scores = projected[chunk] @ keys.words[chunk].transpose(-1, -2)
            if added is not None and of_units is not None:
                units = added.units[chunk, None, None].expand(*scores.shape)
                scores = scores + of_units[chunk].gather(-1, units)
            shares = None if of_sentences is None else of_sentences[chunk]
            weights = self._weights(scores, shares, lines.select(chunk), seen[chunk])
            mixed.append(weights @ keys.values[chunk])
            if added is not None:
                members = F.one_hot(added.units[chunk], added.means.shape[2]).to(weights.dtype)
                unit_weights.append(weights @ members[:, None])
        heads = torch.cat(mixed).transpose(1, 2)
        if added is not None:
            heads = heads + self._valued(added.mixed(torch.cat(unit_weights)))
        result: Tensor = self.output(heads.flatten(2))
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
        """:meth:`forward` with different ``words`` [E, K, d] for each of the units of the queries, at most ``count``.

        Queries and weighted sums are projected instead of the words, of which there are far more.
        """
        results = []
        for group in groups:
            group_queries, group_words = queries_of(queries, group), words(group)
            group_lines = lines.select(group.owners // count)
            scores = self._products(group_queries, self.word_query, self.word_key, group_words)
            of_sentences = None
            if self.hierarchical:
                sentences = group_lines.means(group_words.dtype) @ group_words
                of_sentences = self._products(group_queries, self.sentence_query, self.sentence_key, sentences)
            weights = self._weights(scores, of_sentences, group_lines, queries_of(seen, group)).transpose(1, 2)
            mixed = (weights.flatten(1, 2) @ group_words).unflatten(1, weights.shape[1:3])
            results.append(self._valued(mixed).flatten(2)[group.real])
        result: Tensor = self.output(joined_results(results, groups, queries.shape[:2]))
        return result

    def _weights(self, scores: Tensor, of_sentences: Tensor | None, lines: Lines, seen: Tensor) -> Tensor:
        """The weight of each word [L, h, Q, K], by ``scores`` of the same shape and of sentences [L, h, Q, N]."""
        seen = seen & lines.present[:, None]
        if of_sentences is not None:
            shares = sparsemax(of_sentences.masked_fill(~seen[:, None], -torch.inf))
            return self.dropout(lines.softmax(scores, shares))
        visible = seen.take_along_dim(lines.segments.clamp(min=0)[:, None], dim=2) & lines.words[:, None]
        hidden = torch.finfo(scores.dtype).min  # finite, for queries without a visible word
        weights: Tensor = self.dropout(scores.masked_fill(~visible[:, None], hidden).softmax(dim=-1))
        return weights

    def _products(self, queries: Tensor, query: nn.Linear, key: nn.Linear, words: Tensor) -> Tensor:
        """Scores [E, h, t, K] of ``queries`` [E, t, d] with ``words`` [E, K, d]."""
        folded = self._through(self._scaled(query, queries).unflatten(-1, (self.heads, -1)), key)
        return (folded.flatten(1, 2) @ words.transpose(1, 2)).unflatten(1, folded.shape[1:3]).transpose(1, 2)

    def _scaled(self, query: nn.Linear, queries: Tensor) -> Tensor:
        return query(queries) * (query.out_features // self.heads) ** -0.5

    def _through(self, queries: Tensor, key: nn.Linear) -> Tensor:
        """Queries [..., h, d_k] of projected keys as queries [..., h, d] of states before the projection ``key``."""
        return torch.einsum("...hc,hcd->...hd", queries, key.weight.unflatten(0, (self.heads, -1)))

    def _valued(self, mixed: Tensor) -> Tensor:
        """Sums of words [..., h, d] as sums of their values [..., h, d_k]."""
        return torch.einsum("...hd,hcd->...hc", mixed, self.value.weight.unflatten(0, (self.heads, -1)))
