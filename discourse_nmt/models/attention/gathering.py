"""Plans of gathers: for every unit of queries the positions of the keys that it is related to.

Units of similar sizes are padded to the same size and attended together, so that time and memory grow with the number
of related pairs of positions, not with the square of the length.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.base.spans import ranges
from discourse_nmt.models.attention.units import Members

KEY_GROWTH = 1.4  # units whose numbers of keys differ by less than this factor are padded to the same number
QUERY_GROWTH = 2.0  # likewise of queries
POSITIONS = 2048  # queries or keys of a group, unless one unit has more: 4 MiB of states of width 512


@dataclass(frozen=True)
class GatherGroup:
    """``units`` that are attended together, padded to ``queries`` queries and ``keys`` keys each.

    ``rows`` [units * queries] and ``columns`` [units * keys] are positions in the flattened batch; padding repeats a
    unit's last position. ``padding`` holds the indices in ``rows`` of padding. ``results`` is ``rows`` with the index
    after the last query at padding. ``allowed`` is true where a query may look, [units, 1, 1 or queries, keys], None
    for everywhere. ``causal`` lets query i of a unit look at its keys 0 … i.
    """

    units: int
    queries: int
    keys: int
    rows: Tensor
    columns: Tensor
    padding: Tensor
    results: Tensor
    allowed: Tensor | None
    causal: bool

    @cached_property
    def added(self) -> Tensor | None:
        """``allowed`` as what is added to the logits: 0 where a query may look, else -inf, in single precision."""
        if self.allowed is None:
            return None
        zeros = torch.zeros(self.allowed.shape, device=self.allowed.device)
        return zeros.masked_fill_(self.allowed.logical_not(), -math.inf)


@dataclass(frozen=True)
class Gathering:
    """The groups of all units that have queries and keys; each query is in one of them."""

    groups: tuple[GatherGroup, ...]

    @property
    def pairs(self) -> int:
        """Pairs of a query and a key that are computed, padding included."""
        return sum(group.units * group.queries * group.keys for group in self.groups)


def gathering(
    queries: Members, keys: Members, pairs: Integers, length: int, causal: bool, device: torch.device
) -> Gathering:
    """Plan the gathers of a flattened batch of ``length`` queries whose related units are ``pairs`` [P, 2], sorted."""
    units = len(queries.counts)
    gathered = keys.positions[ranges(keys.starts[pairs[:, 1]], keys.stops[pairs[:, 1]])]  # unit after unit
    totals = np.bincount(pairs[:, 0], weights=keys.counts[pairs[:, 1]], minlength=units).astype(np.int64)
    starts = np.cumsum(totals) - totals
    # Self-attention of each unit to itself only: the keys of a unit are its queries, in the same order.
    alone = np.array_equal(pairs[:, 0], pairs[:, 1]) and np.array_equal(queries.positions, keys.positions)

    groups = []
    for chosen in _alike(np.flatnonzero((totals > 0) & (queries.counts > 0)), queries.counts, totals):
        rows, real = _padded(queries.positions, queries.starts[chosen], queries.counts[chosen])
        columns, allowed = _padded(gathered, starts[chosen], totals[chosen])
        visible: Booleans = allowed[:, None, None]
        if alone and causal:
            visible = np.ones(1, bool)  # keys that are padding follow all real ones
        elif causal:
            visible = visible & (columns[:, None, None] <= rows[:, None, :, None])
        groups.append(
            GatherGroup(
                units=len(chosen),
                queries=rows.shape[1],
                keys=columns.shape[1],
                rows=torch.from_numpy(rows.ravel()).to(device),
                columns=torch.from_numpy(columns.ravel()).to(device),
                padding=torch.from_numpy(np.flatnonzero(~real)).to(device),
                results=torch.from_numpy(np.where(real, rows, length).ravel()).to(device),
                allowed=None if visible.all() else torch.from_numpy(visible).to(device),
                causal=alone and causal,
            )
        )
    return Gathering(tuple(groups))


def _padded(values: Integers, starts: Integers, counts: Integers) -> tuple[Integers, Booleans]:
    """Rows ``values[start : start + count]``, padded with their last value; and a mask, false at padding."""
    columns = np.arange(counts.max())
    real = columns < counts[:, None]
    return values[starts[:, None] + np.minimum(columns, counts[:, None] - 1)], real


def _alike(units: Integers, queries: Integers, keys: Integers) -> list[Integers]:
    """The ``units`` in groups whose numbers of queries and of keys lie close together, so that little is padded."""
    levels = [
        np.floor(np.log(counts[units]) / np.log(growth)).astype(np.int64)
        for counts, growth in ((queries, QUERY_GROWTH), (keys, KEY_GROWTH))
    ]
    _, level = np.unique(np.stack(levels), axis=1, return_inverse=True)
    groups = (units[level == value] for value in range(level.max(initial=-1) + 1))
    return [piece for group in groups for piece in _cut(group, np.maximum(queries[group].max(), keys[group].max()))]


def _cut(units: Integers, size: int) -> list[Integers]:
    """The ``units`` in pieces of at most :data:`POSITIONS` positions, each unit padded to ``size``."""
    count = max(1, POSITIONS // size)
    return [units[begin : begin + count] for begin in range(0, len(units), count)]
