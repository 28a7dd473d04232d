"""Rows of a ragged batch in groups of similar lengths, so that layers compute little padding.

The sentences of a paragraph are short and long. One batch padded to the longest of them would be mostly padding.
Instead, groups of rows with a padding of their own are computed one after the other and joined again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

# The cost of a group besides its positions, in positions: a group too small to fill a GPU takes the time of a full one.
COSTS = {"cpu": 96, "cuda": 8192}
MIXED_PRECISION_COST = (
    200  # on a CPU with autocast, where positions take less time and weights are rounded for each group
)


@dataclass(frozen=True)
class LengthGroups:
    """The rows of each group, rising, as ``row_lists`` and as tensors ``rows``; ``lengths`` of the longest rows."""

    row_lists: tuple[tuple[int, ...], ...]
    rows: tuple[Tensor, ...]
    lengths: tuple[int, ...]

    def __iter__(self) -> Iterator[tuple[Tensor, int]]:
        """The rows [n] of each group and their length."""
        return zip(self.rows, self.lengths)

    @cached_property
    def joined_index(self) -> Tensor:
        """The index of each row of the batch among the rows of all groups, group after group: [B]."""
        return torch.cat(self.rows).argsort()

    def join(self, parts: Sequence[Tensor], length: int) -> Tensor:
        """The batch [B, length, d] from the results ``parts`` of all groups, [n, its length, d]; zeros at padding."""
        padded = [F.pad(part, (0, 0, 0, length - part.shape[1])) for part in parts]
        return padded[0] if len(parts) == 1 else torch.cat(padded).index_select(0, self.joined_index)


def length_groups(lengths: Sequence[int], device: torch.device) -> LengthGroups:
    """Cut the rows of ``lengths`` into the groups of least cost: padded positions and a fixed cost of each."""
    mixed = device.type == "cpu" and torch.is_autocast_enabled("cpu")
    cost = MIXED_PRECISION_COST if mixed else COSTS[device.type]
    order = np.argsort(lengths, kind="stable")
    ascending = np.asarray(lengths)[order]
    least, begins = np.zeros(len(order) + 1), [0]
    for end in range(1, len(order) + 1):  # the cheapest cut of the shortest `end` rows, by its last group
        costs = least[:end] + (end - np.arange(end)) * ascending[end - 1]
        begins.append(int(costs.argmin()))
        least[end] = costs[begins[-1]] + cost
    groups: list[np.ndarray] = []
    end = len(order)
    while end:
        groups.append(np.sort(order[begins[end] : end]))
        end = begins[end]
    return LengthGroups(
        tuple(tuple(group.tolist()) for group in groups),
        tuple(torch.from_numpy(group).to(device) for group in groups),
        tuple(max(lengths[row] for row in group.tolist()) for group in groups),
    )
