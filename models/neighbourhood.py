"""Neighbourhoods: which text units attend to which, and attention that costs what is related.

A neighbourhood is a relation between units of text (sentences, discourse units, graph nodes). Every position belongs
to one unit, and a query sees the keys of the units that its own unit is related to. The plan of a neighbourhood
gathers, for every query unit, its queries and the keys it sees, so that time and memory grow with the number of
related pairs of positions and never with the square of the length.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Integers = npt.NDArray[np.int64]

NOWHERE = -1  # the unit of positions that neither look nor are looked at: padding
GROWTH = 1.4  # units whose numbers of keys differ by less than this factor are padded to the same number


@dataclass(frozen=True)
class Group:
    """Query units that are attended together, padded to the same numbers of queries and keys.

    ``queries`` [U, q] and ``keys`` [U, k] number positions of the flattened batch; ``allowed`` is true where a query
    may look, [U, 1, 1, k] or [U, 1, q, k], None for everywhere.
    """

    queries: Tensor
    keys: Tensor
    allowed: Tensor | None


@dataclass(frozen=True)
class Neighbourhood:
    """The plan by which :func:`models.attention.attend` gathers queries and keys.

    ``places`` [B * Q] tells where each query's result is among the results of the groups, laid side by side; a query
    without keys has the place after the last one, which holds zeros.
    """

    groups: tuple[Group, ...]
    places: Tensor

    def to(self, device: torch.device) -> "Neighbourhood":
        """The same plan on another device."""
        groups = tuple(
            Group(
                group.queries.to(device),
                group.keys.to(device),
                None if group.allowed is None else group.allowed.to(device),
            )
            for group in self.groups
        )
        return Neighbourhood(groups, self.places.to(device))

    @property
    def pairs(self) -> int:
        """Pairs of a query and a key that are computed, padding included."""
        return sum(group.queries.numel() * group.keys.shape[1] for group in self.groups)


def neighbourhood(
    query_units: Integers, key_units: Integers, relations: Sequence[Integers], causal: bool = False
) -> Neighbourhood:
    """Plan the attention of a batch.

    ``query_units`` [B, Q] and ``key_units`` [B, K] give the unit of each position within its sequence, counted from
    0, or :data:`NOWHERE`. ``relations[b]`` [P, 2] are the pairs (query unit, key unit) of sequence b, each once; a
    unit sees itself only where the pair says so. ``causal`` also hides the keys after a query's own position.
    """
    query_ids, units = _numbered(query_units, key_units)
    key_ids, _ = _numbered(key_units, query_units)
    offsets = _offsets(query_units, key_units)
    pairs = np.concatenate([relation + offset for relation, offset in zip(relations, offsets)] or [np.empty((0, 2))])
    pairs = pairs.astype(np.int64)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    queries, query_starts, query_counts = _members(query_ids, units)
    keys, key_starts, key_counts = _members(key_ids, units)

    # All keys of every query unit, one unit after the other.
    gathered = keys[_ranges(key_starts[pairs[:, 1]], key_counts[pairs[:, 1]])]
    totals = np.bincount(pairs[:, 0], weights=key_counts[pairs[:, 1]], minlength=units).astype(np.int64)
    total_starts = np.cumsum(totals) - totals

    width = query_units.shape[1]
    groups = []
    places = np.full(query_units.size, -1, np.int64)
    reached = 0
    seeing = np.flatnonzero((totals > 0) & (query_counts > 0))
    for chosen in _alike(seeing, totals):
        rows = _padded(queries, query_starts[chosen], query_counts[chosen])
        columns = _padded(gathered, total_starts[chosen], totals[chosen])
        places[rows.ravel()] = reached + np.arange(rows.size)  # padding repeats a query, whose result is the same
        reached += rows.size
        allowed = np.arange(columns.shape[1]) < totals[chosen][:, None]
        visible: npt.NDArray[np.bool_] = allowed[:, None, None]
        if causal:
            visible = visible & ((columns[:, None, None] % key_units.shape[1]) <= (rows[:, None, :, None] % width))
        groups.append(
            Group(
                torch.from_numpy(rows),
                torch.from_numpy(columns),
                None if visible.all() else torch.from_numpy(visible),
            )
        )
    places[places < 0] = reached
    return Neighbourhood(tuple(groups), torch.from_numpy(places))


def _offsets(query_units: Integers, key_units: Integers) -> Integers:
    """Number of the first unit of each sequence when the units of the batch are counted on."""
    counts = np.maximum(query_units.max(1, initial=NOWHERE), key_units.max(1, initial=NOWHERE)) + 1
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))


def _numbered(units: Integers, others: Integers) -> tuple[Integers, int]:
    """The unit of each position of the flattened batch, counted over the batch, and the number of units."""
    offsets = _offsets(units, others)
    return np.where(units == NOWHERE, NOWHERE, units + offsets[:-1, None]).ravel(), int(offsets[-1])


def _members(ids: Integers, units: int) -> tuple[Integers, Integers, Integers]:
    """Positions by unit and in order, where each unit's begin, and how many it has."""
    counts = np.bincount(ids[ids >= 0], minlength=units)
    return np.argsort(ids, kind="stable")[np.count_nonzero(ids < 0) :], np.cumsum(counts) - counts, counts


def _ranges(starts: Integers, counts: Integers) -> Integers:
    """The numbers ``start, start + 1, ...`` of every range, one range after the other."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - counts), counts)


def _padded(values: Integers, starts: Integers, counts: Integers) -> Integers:
    """Rows ``values[start : start + count]``, filled up with their last value."""
    columns = np.minimum(np.arange(counts.max()), counts[:, None] - 1)
    return values[starts[:, None] + columns]


def _alike(units: Integers, totals: Integers) -> list[Integers]:
    """The ``units`` in groups whose totals lie close together, so that little is padded."""
    if not len(units):
        return []
    levels = np.floor(np.log(totals[units]) / np.log(GROWTH)).astype(np.int64)
    return [units[levels == level] for level in np.unique(levels)]
