"""Vectors of pairs of a query's unit and a word's unit, and queries in groups of units."""

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
    """[E, M, d] for each group, by the query's unit and the word's unit."""
    units: Tensor
    """[L, K]: unit of each position."""
    means: Tensor
    """[L, N, M]: the share of each sentence's words that is in each unit."""

    def unit_scores(self, queries: Tensor) -> Tensor:
        """Products of ``queries`` [L, Q, h, d] with the vectors added to the words of each unit: [L, h, Q, M]."""
        return self._by_group(queries, lambda rows, vectors, _: rows @ vectors.transpose(1, 2)).transpose(1, 2)

    def sentence_scores(self, queries: Tensor) -> Tensor:
        """Products of ``queries`` [L, Q, h, d] with the mean vector added to a sentence's words: [L, h, Q, N]."""

        def products(rows: Tensor, vectors: Tensor, lines: Tensor) -> Tensor:
            return rows @ (self.means[lines] @ vectors).transpose(1, 2)

        return self._by_group(queries, products).transpose(1, 2)

    def mixed(self, weights: Tensor) -> Tensor:
        """Sums of the added vectors, by the ``weights`` [L, h, Q, M] of the units: [L, Q, h, d]."""
        return self._by_group(weights.transpose(1, 2), lambda rows, vectors, _: rows @ vectors)

    def _by_group(self, table: Tensor, compute: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Tensor:
        """``compute`` of the rows [E, t * h, x] of ``table`` [L, Q, h, x] in each group: [L, Q, h, y]."""
        results = []
        for group, vectors in zip(self.groups, self.vectors):
            rows = queries_of(table, group)
            computed = compute(rows.flatten(1, 2), vectors, group.owners // self.means.shape[2])
            results.append(computed.unflatten(1, rows.shape[1:3])[group.real])
        return joined_results(results, self.groups, table.shape[:2])


def queries_of(table: Tensor, group: UnitGroup) -> Tensor:
    """The rows of ``table`` [L, Q, ...] that are queries of the group: [E, t, ...]."""
    return table.flatten(0, 1).index_select(0, group.queries.flatten()).view(*group.queries.shape, *table.shape[2:])


def joined_results(results: Sequence[Tensor], groups: Sequence[UnitGroup], shape: torch.Size) -> Tensor:
    """The ``results`` [n, ...] of the real queries of each group, joined by query: [L, Q, ...], 0 elsewhere."""
    values = torch.cat(list(results))
    query_index = torch.cat([group.queries[group.real] for group in groups])
    return values.new_zeros(shape.numel(), *values.shape[1:]).index_copy(0, query_index, values).unflatten(0, shape)
