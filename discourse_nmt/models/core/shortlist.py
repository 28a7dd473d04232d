"""Shortlists of the target vocabulary: a search scores only the symbols that its source sentences make probable.

A sentence is allowed the N most probable translations of each of its subwords, the special symbols, and the most
frequent subwords (Jean et al. 2015, "On using very large target vocabulary for neural machine translation", section
3.3). Its probabilities are those among the symbols that it is allowed, whatever the other sentences of its batch.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.base.vocabulary import BEGIN, END, PAD, SPECIALS

FREQUENT = 100  # subwords that every sentence is allowed, the first ones of the vocabulary
BLOCK = 256  # a list has a multiple of symbols if there are so many: kernels are made once for each size of matrix

SubwordIds = Sequence[int] | Integers
Product = Callable[[Tensor], Tensor]
"""Multiplies states [..., d] with a matrix: [..., outputs]."""


@dataclass(frozen=True)
class Shortlist:
    """The U symbols that the n sentences of a search are allowed."""

    symbols: Integers
    """[U] ids in rising order. Special symbols, and a symbol of the language, have the place of their id."""
    added: Tensor
    """[n, U] added to the scores: 0 or the bias of the symbol, ``-inf`` where a sentence is not allowed it."""
    product: Product
    """Multiplies states with the output matrix of the symbols."""

    def logits(self, states: Tensor, sentences: Tensor) -> Tensor:
        """Scores [B * r, U] after decoder ``states`` [B * r, d] of r hypotheses of each of the ``sentences`` [B]."""
        scores = self.product(states)
        scores.unflatten(0, (len(sentences), -1)).add_(self.added[sentences][:, None])
        return scores


class Shortlists:
    """Makes the shortlists of a model.

    ``translations`` [source symbols, N] are target ids by falling probability, padded with special symbols; ``output``
    [V, d] is the output matrix, ``bias`` [V] is added to the scores, and ``prepare`` makes the product with a matrix.
    """

    def __init__(
        self, translations: Integers, output: Tensor, bias: Tensor | None, prepare: Callable[[Tensor], Product]
    ) -> None:
        self.translations = translations.copy()
        self.translations[[PAD, BEGIN, END]] = END
        self.output = output
        self.bias = bias
        self.prepare = prepare

    def of(self, sources: Sequence[SubwordIds]) -> Shortlist:
        """The shortlist of a search of sentences with the ids ``sources``; marks and padding change nothing."""
        allowed = np.zeros((len(sources), len(self.output)), np.bool_)
        allowed[:, : len(SPECIALS) + FREQUENT] = True
        for number, ids in enumerate(sources):
            allowed[number, self.translations[np.asarray(ids, np.int64)]] = True
        scored: Booleans = np.logical_or.reduce(allowed)
        scored[np.flatnonzero(~scored)[: -np.count_nonzero(scored) % BLOCK]] = True
        symbols: Integers = np.flatnonzero(scored)
        chosen = torch.from_numpy(symbols).to(self.output.device)
        forbidden = torch.from_numpy(~allowed[:, symbols]).to(self.output.device)
        bias = self.output.new_zeros(len(symbols)) if self.bias is None else self.bias[chosen]
        added = bias.expand(forbidden.shape).masked_fill(forbidden, -math.inf)
        return Shortlist(symbols, added, self.prepare(self.output[chosen]))
