"""Attention to the discourse units and the words of a paragraph at once (spec 04, section 6).

A word's weight is that of its unit times its own. This is the attention to sentences and words of Maruf, Martins and
Haffari 2019, with units in the place of sentences, softmax over units instead of sparsemax, and keys of units that
depend on the discourse structure.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from discourse_nmt.models.context.lines import Lines
from discourse_nmt.models.sublayers.dropout import Dropout
from discourse_nmt.models.sublayers.parts import join_heads, linear, split_heads
from discourse_nmt.models.switches.multitask import WordNorm


@dataclass(frozen=True)
class UnitKeys:
    """Keys and values of P paragraphs, per head."""

    units: Tensor | None
    """[P, h, M, d_k]; None for attention to words alone."""
    words: Tensor
    """[P, h, K, d_k]."""
    values: Tensor
    """[P, h, K, d_k]."""

    def select(self, paragraphs: Tensor) -> "UnitKeys":
        """The ``paragraphs``, in this order."""
        return UnitKeys(
            None if self.units is None else self.units[paragraphs], self.words[paragraphs], self.values[paragraphs]
        )


class UnitAttention(nn.Module):
    """Attention to units and words (6 d x d matrices), or with ``by_units`` false to words alone (4)."""

    def __init__(self, width: int, heads: int, dropout: float, norm: WordNorm, by_units: bool = True) -> None:
        super().__init__()
        self.heads = heads
        self.norm = norm
        self.word_query, self.word_key, self.value, self.output = (linear(width, width, bias=False) for _ in range(4))
        self.unit_query = linear(width, width, bias=False) if by_units else None
        self.unit_key = linear(width, width, bias=False) if by_units else None
        self.dropout = Dropout(dropout)

    def keys(self, units: Tensor, words: Tensor) -> UnitKeys:
        """Project the vectors of ``units`` [P, M, d] and the states of ``words`` [P, K, d]."""
        return UnitKeys(
            None if self.unit_key is None else split_heads(self.unit_key(units), self.heads),
            split_heads(self.word_key(words), self.heads),
            split_heads(self.value(words), self.heads),
        )

    def forward(self, queries: Tensor, keys: UnitKeys, units: Lines) -> Tensor:
        """Attention of ``queries`` [P, Q, d] to the words of ``units``: [P, Q, d] (spec 04, equation 13)."""
        scores = self._scores(self.word_query, queries, keys.words)
        of_units = None
        if self.unit_query is not None and keys.units is not None:
            of_units = self._scores(self.unit_query, queries, keys.units)
        weights = word_weights(scores, of_units, units, self.norm)
        mixed = self.dropout(weights).to(keys.values.dtype) @ keys.values
        result: Tensor = self.output(join_heads(mixed))
        return result

    def _scores(self, query: nn.Linear, queries: Tensor, keys: Tensor) -> Tensor:
        scale = (query.out_features // self.heads) ** -0.5
        scores = split_heads(query(queries) * scale, self.heads) @ keys.transpose(-1, -2)
        return scores.to(torch.promote_types(scores.dtype, torch.float32))


def word_weights(scores: Tensor, of_units: Tensor | None, units: Lines, norm: WordNorm) -> Tensor:
    """The weight of each word [P, h, Q, K] (spec 04, equations 10 to 12); other positions get 0.

    ``scores`` [P, h, Q, K] are of words, ``of_units`` [P, h, Q, M] of their units, None for attention to words alone.
    ``norm``: the softmax of words is over all of the paragraph (``global``), so that products sum to less than
    1; they are divided by their sum (``global_renorm``); or it is inside each unit (``edu``).
    """
    lowest = torch.finfo(scores.dtype).min  # finite, for paragraphs without words
    shares = None
    if of_units is not None:
        shares = of_units.masked_fill(~units.present[:, None, None], lowest).softmax(dim=-1)
        if norm == "edu":
            return units.softmax(scores, shares)
    weights = scores.masked_fill(~units.words[:, None, None], lowest).softmax(dim=-1)
    if shares is None:
        return weights
    unit_of_word = units.segments.clamp(min=0)[:, None, None].expand_as(scores)
    products = weights * shares.gather(-1, unit_of_word)
    if norm == "global":
        return products
    return products / products.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(products.dtype).tiny)
