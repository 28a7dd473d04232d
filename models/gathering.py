"""Attention that gathers, for every unit of queries, the keys it is related to.

Units of similar sizes are padded to the same size and attended together, so that time and memory grow with the number
of related pairs of positions and never with the square of the length.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F
from torch import Tensor

from models.units import Integers, Members, ranges

KEY_GROWTH = 1.4  # units whose numbers of keys differ by less than this factor are padded to the same number
QUERY_GROWTH = 2.0  # likewise of queries


@dataclass(frozen=True)
class Group:
    """``units`` that are attended together, padded to ``queries`` queries and ``keys`` keys each.

    ``allowed`` is true where a query may look, [units, 1, 1 or queries, keys], None for everywhere. ``causal`` lets
    query i of a unit see its keys 0 … i.
    """

    units: int
    queries: int
    keys: int
    allowed: Tensor | None
    causal: bool


@dataclass(frozen=True)
class Gathering:
    """The positions of the flattened batch that the groups read, side by side, and where the results belong.

    ``rows`` are the queries of all groups, ``columns`` their keys. ``places`` [B * Q] tells where each query's result
    is among those of the groups; a query without keys has the place after the last one, which holds zeros.
    """

    rows: Tensor
    columns: Tensor
    groups: tuple[Group, ...]
    places: Tensor

    @property
    def pairs(self) -> int:
        """Pairs of a query and a key that are computed, padding included."""
        return sum(group.units * group.queries * group.keys for group in self.groups)


def gathering(
    queries: Members, keys: Members, pairs: Integers, length: int, causal: bool, device: torch.device
) -> Gathering:
    """Plan the gathers of a flattened batch of ``length`` queries whose related units are ``pairs`` [P, 2], sorted."""
    units = len(queries.counts)
    gathered = keys.positions[ranges(keys.starts[pairs[:, 1]], keys.counts[pairs[:, 1]])]  # unit after unit
    totals = np.bincount(pairs[:, 0], weights=keys.counts[pairs[:, 1]], minlength=units).astype(np.int64)
    starts = np.cumsum(totals) - totals
    # A text that looks at itself, each unit at itself only: the keys of a unit are its queries, in the same order.
    alone = np.array_equal(pairs[:, 0], pairs[:, 1]) and np.array_equal(queries.positions, keys.positions)

    all_rows, all_columns, groups, reached = [], [], [], 0
    places = np.full(length, -1, np.int64)
    for chosen in _alike(np.flatnonzero((totals > 0) & (queries.counts > 0)), queries.counts, totals):
        rows, real = _padded(queries.positions, queries.starts[chosen], queries.counts[chosen])
        columns, allowed = _padded(gathered, starts[chosen], totals[chosen])
        places[rows[real]] = reached + np.flatnonzero(real)
        reached += rows.size
        all_rows.append(rows.ravel())
        all_columns.append(columns.ravel())
        visible: npt.NDArray[np.bool_] = allowed[:, None, None]
        if alone and causal:
            visible = np.ones(1, bool)  # keys that are padding follow all real ones
        elif causal:
            visible = visible & (columns[:, None, None] <= rows[:, None, :, None])
        mask = None if visible.all() else torch.from_numpy(visible).to(device)
        groups.append(Group(len(chosen), rows.shape[1], columns.shape[1], mask, alone and causal))
    places[places < 0] = reached
    return Gathering(_joined(all_rows, device), _joined(all_columns, device), tuple(groups), _joined([places], device))


def attend_gathered(query: Tensor, keys: Tensor, values: Tensor, plan: Gathering, dropout: float) -> Tensor:
    """Attention [B, h, Q, d_v] by the ``plan``; ``keys`` are [B, h, K, d_k] and ``values`` [B, h, K, d_v]."""
    batch, heads, length, _ = query.shape

    def gather(states: Tensor, positions: Tensor, sizes: list[tuple[int, int]]) -> list[Tensor]:
        rows = states.transpose(1, 2).flatten(0, 1).flatten(1).index_select(0, positions)
        parts = rows.split([units * size for units, size in sizes])
        return [part.view(*size, heads, -1).transpose(1, 2) for part, size in zip(parts, sizes)]

    query_sizes = [(group.units, group.queries) for group in plan.groups]
    key_sizes = [(group.units, group.keys) for group in plan.groups]
    parts = zip(
        plan.groups,
        gather(query, plan.rows, query_sizes),
        gather(keys, plan.columns, key_sizes),
        gather(values, plan.columns, key_sizes),
    )
    results = [
        F.scaled_dot_product_attention(q, k, v, attn_mask=group.allowed, is_causal=group.causal, dropout_p=dropout)
        .transpose(1, 2)
        .reshape(-1, heads * values.shape[-1])
        for group, q, k, v in parts
    ]
    results.append(query.new_zeros(1, heads * values.shape[-1]))
    together = torch.cat(results).index_select(0, plan.places)
    return together.view(batch, length, heads, -1).transpose(1, 2)


def _padded(values: Integers, starts: Integers, counts: Integers) -> tuple[Integers, npt.NDArray[np.bool_]]:
    """Rows ``values[start : start + count]``, filled up with their last value, and what of them is real."""
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
    return [units[level == number] for number in range(level.max(initial=-1) + 1)]


def _joined(parts: list[Integers], device: torch.device) -> Tensor:
    return torch.from_numpy(np.concatenate([np.empty(0, np.int64), *parts])).to(device)
