"""What depends on the units of a query and of a word: their vectors, and rows of queries unit by unit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from discourse_nmt.models.selective.structural_positions import UnitGroup


@dataclass(frozen=True)
class PairVectors:
    """A vector for each pair of a query's unit and a word's unit, which is added to the word (additive ``ctx``).

    Scores and sums are computed per unit instead of per word (section 13).
    """

    groups: Sequence[UnitGroup]
    vectors: Sequence[Tensor]
    """Of each group [E, M, d]: by the query's unit and the word's."""
    units: Tensor
    """[L, K]: unit of each position."""
    means: Tensor
    """[L, N, M]: which part of a sentence's words is in which unit."""

    def unit_scores(self, queries: Tensor) -> Tensor:
        """Products of ``queries`` [L, Q, h, d] with what is added to the words of each unit: [L, h, Q, M]."""
        return self._each(queries, lambda rows, vectors, _: rows @ vectors.transpose(1, 2)).transpose(1, 2)

    def sentence_scores(self, queries: Tensor) -> Tensor:
        """Products of ``queries`` [L, Q, h, d] with the mean of what is added to a sentence's words: [L, h, Q, N]."""

        def products(rows: Tensor, vectors: Tensor, lines: Tensor) -> Tensor:
            return rows @ (self.means[lines] @ vectors).transpose(1, 2)

        return self._each(queries, products).transpose(1, 2)

    def mixed(self, weights: Tensor) -> Tensor:
        """Sums of what is added to the words, by the ``weights`` of the units [L, h, Q, M]: [L, Q, h, d]."""
        return self._each(weights.transpose(1, 2), lambda rows, vectors, _: rows @ vectors)

    def _each(self, table: Tensor, compute: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Tensor:
        """``compute`` of the rows [E, t * h, x] of ``table`` [L, Q, h, x] in each group: [L, Q, h, y]."""
        results = []
        for group, vectors in zip(self.groups, self.vectors):
            rows = rows_of(table, group)
            found = compute(rows.flatten(1, 2), vectors, group.owners // self.means.shape[2])
            results.append(found.unflatten(1, rows.shape[1:3])[group.real])
        return together(results, self.groups, table.shape[:2])


def rows_of(table: Tensor, group: UnitGroup) -> Tensor:
    """The rows of ``table`` [L, Q, ...] that are queries of the group: [E, t, ...]."""
    return table.flatten(0, 1).index_select(0, group.queries.flatten()).view(*group.queries.shape, *table.shape[2:])


def together(results: Sequence[Tensor], groups: Sequence[UnitGroup], shape: torch.Size) -> Tensor:
    """The ``results`` [n, ...] for the real queries of each group, in their places: [L, Q, ...], 0 elsewhere."""
    found = torch.cat(list(results))
    places = torch.cat([group.queries[group.real] for group in groups])
    return found.new_zeros(shape.numel(), *found.shape[1:]).index_copy(0, places, found).unflatten(0, shape)
