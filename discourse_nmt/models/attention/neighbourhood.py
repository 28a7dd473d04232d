"""Neighbourhoods: which text units attend to which.

A neighbourhood is a relation between units of text (sentences, discourse units, graph nodes). Every position belongs
to one unit, and a query may look at the keys of the units that its own unit is related to. The plans and masks of an
attention are made at first use and kept, so that all layers of a network share them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask

from discourse_nmt.base.arrays import Integers
from discourse_nmt.models.attention.block_mask import block_mask, relation_table
from discourse_nmt.models.attention.gathering import Gathering, gathering
from discourse_nmt.models.attention.units import NOWHERE, Members, members

__all__ = ["NOWHERE", "Neighbourhood", "neighbourhood"]


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Who attends to whom in a batch, for :func:`.attend`.

    ``query_units`` [B, Q] and ``key_units`` [B, K] hold the unit of each position, counted over the batch, or
    :data:`NOWHERE`; ``pairs`` [P, 2] the related (query unit, key unit), sorted, each once. ``causal`` also hides the
    keys after a query's own position. ``device`` is where the states are.
    """

    query_units: Integers
    key_units: Integers
    pairs: Integers
    causal: bool
    device: torch.device

    def to(self, device: torch.device) -> "Neighbourhood":
        """The same neighbourhood for states on another device."""
        return replace(self, device=device)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Sequences, queries of a sequence, keys of a sequence: B, Q, K."""
        return (*self.query_units.shape, self.key_units.shape[1])

    @property
    def area(self) -> int:
        """Pairs of a query and a key of the same sequence."""
        return self.query_units.size * self.key_units.shape[1]

    @cached_property
    def related(self) -> int:
        """Pairs of a query and a key of related units, those that causality hides included."""
        return int(self.queries.counts[self.pairs[:, 0]] @ self.keys.counts[self.pairs[:, 1]])

    @cached_property
    def queries(self) -> Members:
        """The queries of each unit, numbered over the flattened batch."""
        return members(self.query_units, self.units)

    @cached_property
    def keys(self) -> Members:
        """The keys of each unit, numbered over the flattened batch."""
        return members(self.key_units, self.units)

    @cached_property
    def units(self) -> int:
        """Number of units."""
        return int(max(self.query_units.max(initial=NOWHERE), self.key_units.max(initial=NOWHERE))) + 1

    @cached_property
    def gathering(self) -> Gathering:
        """The plan of gathers, whose size grows with the related pairs."""
        with torch.inference_mode(False):
            return gathering(self.queries, self.keys, self.pairs, self.query_units.size, self.causal, self.device)

    @cached_property
    def block_mask(self) -> BlockMask:
        """The block mask over the flattened batch, [1, 1, B * Q, B * K]."""
        queries, keys = self.query_units.ravel(), self.key_units.ravel()
        with torch.inference_mode(False):
            return block_mask(queries, keys, self.pairs, self.units, self.causal, self.device)

    @cached_property
    def mask(self) -> Tensor | None:
        """True where a query may look, [B, 1, Q, K] bool; None for everywhere."""
        allowed = relation_table(self.pairs, self.units)[self.query_units[:, :, None], self.key_units[:, None]]
        if self.causal:
            allowed &= np.tri(*self.shape[1:], dtype=bool)
        with torch.inference_mode(False):
            return None if allowed.all() else torch.from_numpy(allowed[:, None]).to(self.device)


def neighbourhood(
    query_units: Integers, key_units: Integers, relations: Sequence[Integers], causal: bool = False
) -> Neighbourhood:
    """The neighbourhood of a batch.

    ``query_units`` [B, Q] and ``key_units`` [B, K] give the unit of each position within its sequence, counted from
    0, or :data:`NOWHERE`. ``relations[b]`` [P, 2] are the pairs (query unit, key unit) of sequence b, each once; a
    unit is related to itself only by such a pair. ``causal`` also hides the keys after a query's own position (Q = K).
    """
    if causal and query_units.shape != key_units.shape:
        raise ValueError("a causal neighbourhood is that of a text with itself")
    counts = np.maximum(query_units.max(1, initial=NOWHERE), key_units.max(1, initial=NOWHERE)) + 1
    offsets = np.cumsum(counts) - counts
    shifted = [relation.reshape(-1, 2) + offset for relation, offset in zip(relations, offsets)]
    pairs = np.concatenate([np.empty((0, 2), np.int64), *shifted])
    result = Neighbourhood(
        np.where(query_units == NOWHERE, NOWHERE, query_units + offsets[:, None]),
        np.where(key_units == NOWHERE, NOWHERE, key_units + offsets[:, None]),
        pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))],
        causal,
        torch.device("cpu"),
    )
    return _without_later_units(result) if causal else result


def _without_later_units(whole: Neighbourhood) -> Neighbourhood:
    """The neighbourhood without the pairs whose keys all follow all their queries."""
    last, first = whole.queries.last(NOWHERE), whole.keys.first(whole.key_units.size)
    return replace(whole, pairs=whole.pairs[first[whole.pairs[:, 1]] <= last[whole.pairs[:, 0]]])
