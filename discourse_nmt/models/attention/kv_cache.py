"""The keys and values that decoding keeps between its steps: those of the source, and of the target so far.

Both are stored by the attention module that projected them, side by side, position after position, with one row per
sentence. They are moved rarely: rows that leave are overwritten by the last ones, and new rows are written after those
that stay.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Integers
from discourse_nmt.models.attention.neighbourhood import Neighbourhood

KeysValues = tuple[Tensor, Tensor]  # (B, h, K, d_k) and (B, h, K, d_v), where d_v is d_k in most attentions
BLOCK = 32  # positions of r hypotheses that a cache allocates at a time
DROPPING_BLOCK = 8  # the same of a cache that drops dead positions, which pays more often than copying


class Projecting(Protocol):
    """An attention module that projects keys and values."""

    def by_head(self, keys_values: Tensor) -> KeysValues:
        """The keys and values of each head, of ``keys_values`` [B, K, w], as they are stored side by side."""
        ...


class MemoryKeyValues:
    """Keys and values of the source: computed once, and gathered once for the sentences that read them.

    ``visible`` [B, 1, 1 or r, K] is true where a sentence's r hypotheses may look. With ``memory_index`` [B, K] each
    sentence reads these positions of a memory [1, S, d] that all sentences share; ``projected`` then holds the keys and
    values of the whole memory, to be shared with other objects. Otherwise each sentence has a memory row of its own.
    """

    def __init__(
        self, visible: Tensor, memory_index: Tensor | None = None, projected: dict[Projecting, Tensor] | None = None
    ) -> None:
        self.visible = visible
        self.memory_index = memory_index
        self.projected = {} if projected is None else projected
        self.stored: dict[Projecting, Tensor] = {}
        """[B, K, w] by module, allocated for more rows and positions."""
        self.views: dict[Projecting, KeysValues] = {}
        """The rows and positions in use, as attention reads them."""

    @property
    def visible(self) -> Tensor:
        """See :class:`MemoryKeyValues`."""
        return self._visible

    @visible.setter
    def visible(self, visible: Tensor) -> None:
        self._visible, self.mask, self.views = visible, added(visible), {}

    def once(self, module: Projecting, compute: Callable[[], Tensor]) -> KeysValues:
        """The result [B, S, w] of the first ``compute`` for ``module``, gathered: [B, h, K, d_k] each."""
        if module in self.views:
            return self.views[module]
        if module not in self.stored:
            index = self.memory_index
            if index is None:
                self.stored[module] = compute()
            else:
                if module not in self.projected:
                    self.projected[module] = compute()[0]
                self.stored[module] = gather(self.projected[module], index)
        rows, positions = len(self.visible), self.visible.shape[3]
        self.views[module] = module.by_head(self.stored[module][:rows, :positions])
        return self.views[module]

    def admit(self, other: "MemoryKeyValues") -> None:
        """Append the rows of ``other``, which are of the same memory."""
        index, rows = other.memory_index, len(self.visible)
        assert self.memory_index is not None and index is not None
        for module, stored in self.stored.items():
            self.stored[module] = appended(stored, rows, gather(self.projected[module], index))
        self.visible = stacked(self.visible, other.visible, 3)
        self.memory_index = stacked(self.memory_index, index, 1)

    def select(self, sentences: Tensor) -> None:
        """Keep the rows ``sentences``."""
        move(self.stored, sentences)
        self.visible = self.visible[sentences]
        self.memory_index = None if self.memory_index is None else self.memory_index[sentences]


class KeyValueCache:
    """Keys and values of the target.

    A row holds all positions of its r hypotheses side by side, in the order of computation. They are not moved when
    hypotheses are dropped or doubled; ``ancestors`` says which positions belong to the prefix of each hypothesis. With
    ``drops`` those that belong to none are left out when the cache grows, which changes no result.
    ``earlier`` are keys and values before the first position, [B, P, w]; a row attends to those where ``visible``
    [B, P] is true, which are the first ones.
    """

    def __init__(
        self,
        earlier: Mapping[Projecting, Tensor] | None = None,
        visible: Tensor | None = None,
        drops: bool = False,
    ) -> None:
        self.drops = drops
        self.length = 0
        """Target positions decoded so far."""
        self.ancestors = torch.empty(0) if visible is None else added(visible[:, None, None])
        """[B, 1, r, K] 0 where the position belongs to the prefix of the hypothesis (third axis), else ``-inf``."""
        self.ends: Integers = np.zeros(0, np.int64) if visible is None else visible.sum(dim=1).cpu().numpy()
        """[B] the number of positions of each row."""
        self.growing = dict(earlier or {})
        """[B, K, w] by module, allocated for more rows and positions."""
        self.allocated = (0, 0)
        """Allocated rows and positions."""
        self.newest = torch.empty(0)
        """[B * r] the indices of the newest positions in the allocated rows, laid end to end."""
        self.mask = torch.empty(0)
        """Added to the scores of the newest positions: 0 where they may look, else -inf, [B, 1, r, K]."""

    def begin_position(self, rows: int, hypotheses: int, device: torch.device) -> None:
        """Allocate the next position of as many ``hypotheses`` in each of the ``rows``; it attends to itself."""
        if not len(self.ends):
            self.ends, self.ancestors = np.zeros(rows, np.int64), torch.empty(rows, 1, hypotheses, 0, device=device)
        width = int(self.ends.max()) + hypotheses
        if rows > self.allocated[0] or width > self.allocated[1]:
            self._allocate(rows, hypotheses)
            width = int(self.ends.max()) + hypotheses
        columns = self.ends[:, None] + np.arange(hypotheses)  # (B, r)
        index = torch.from_numpy(columns).to(device)
        self.ancestors.scatter_(3, index[:, None, :, None], 0.0)
        self.mask = self._allowed(index, width)
        newest = columns + np.arange(rows)[:, None] * self.allocated[1]
        self.newest = torch.from_numpy(newest.ravel()).to(device)
        self.ends = self.ends + hypotheses
        self.length += 1

    def _allocate(self, rows: int, hypotheses: int) -> None:
        """Make room for a block of positions, so that most steps copy nothing."""
        if self.drops and self.length:
            self._drop_dead()
        block = DROPPING_BLOCK if self.drops else BLOCK
        width = int(self.ends.max()) + block * hypotheses
        self.allocated = max(rows, self.allocated[0]), max(width, self.allocated[1])
        before = self.ancestors.expand(-1, -1, hypotheses, -1)
        self.ancestors = widened(before, self.allocated[1], 3, -math.inf)

    def _allowed(self, columns: Tensor, width: int) -> Tensor:
        """:attr:`mask` for the newest positions, which are at ``columns`` [B, r] of ``width``."""
        return self.ancestors[..., :width]

    def _drop_dead(self) -> Tensor:
        """Leave out the positions that are not live; returns the earlier position of each one that stays, [B, K]."""
        live = self._live()
        self.ends = live.sum(dim=1).cpu().numpy()
        kept = live.byte().argsort(dim=1, descending=True, stable=True)[:, : int(self.ends.max())]
        ancestors = self.ancestors.masked_fill_(~live[:, None, None], -math.inf)  # those that fill up a row stay dead
        self.ancestors = ancestors.gather(3, kept[:, None, None].expand(-1, -1, ancestors.shape[2], -1))
        flat = kept + torch.arange(len(kept), device=kept.device)[:, None] * self.allocated[1]
        self.growing = {module: gather(stored.flatten(0, 1), flat) for module, stored in self.growing.items()}
        self.allocated = (0, 0)
        return kept

    def _live(self) -> Tensor:
        """Which positions belong to a prefix, [B, K] bool."""
        return (self.ancestors == 0).any(dim=2)[:, 0]

    def extend(self, module: Projecting, newest: Tensor) -> KeysValues:
        """Append the newest positions, [B * r, w]; return all that are reached, [B, h, K, d_k] each."""
        stored = self.growing.get(module)
        if stored is None:
            stored = newest.new_empty(0, 0, newest.shape[1])
        self.growing[module] = stored = resized(stored, *self.allocated)
        stored.flatten(0, 1).index_copy_(0, self.newest, newest)
        return module.by_head(stored[: len(self.ends), : self.mask.shape[3]])

    def read(self, rows: Tensor, positions: Tensor) -> dict[Projecting, Tensor]:
        """The keys and values [n, w] at the ``positions`` [n] of the ``rows`` [n]."""
        return {module: stored[rows, positions] for module, stored in self.growing.items()}

    def admit(self, other: "KeyValueCache") -> None:
        """Append the rows of ``other``, which have no own position yet."""
        rows, hypotheses = len(self.ends), self.ancestors.shape[2]
        positions = max(other.ancestors.shape[3], self.allocated[1])
        self.allocated = max(rows + len(other.ends), self.allocated[0]), positions
        for module, new in other.growing.items():
            self.growing[module] = appended(resized(self.growing[module], *self.allocated), rows, new)
        new_ancestors = other.ancestors.expand(-1, -1, hypotheses, -1)
        parts = [widened(ancestors, positions, 3, -math.inf) for ancestors in (self.ancestors, new_ancestors)]
        self.ancestors = torch.cat(parts)
        self.ends = np.concatenate((self.ends, other.ends))

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """Keep the rows ``sentences`` (None: all), each with copies of its hypotheses ``parents`` [B, r]."""
        rows, _, hypotheses, width = self.ancestors.shape
        if sentences is None:
            sentences = torch.arange(rows, device=parents.device)
        else:
            self.ends = self.ends[sentences.cpu().numpy()]
            move(self.growing, sentences)
        chosen = sentences[:, None] * hypotheses + parents
        flat = self.ancestors.view(rows * hypotheses, width).index_select(0, chosen.flatten())
        self.ancestors = flat.view(*parents.shape, width)[:, None]


@dataclass(frozen=True, eq=False)
class RecordedNeighbourhood(Neighbourhood):
    """A neighbourhood of a text with itself that records the keys and values of all its positions."""

    keys_values: dict[Projecting, Tensor] = field(default_factory=dict)
    """[K, w] by module, of the only sequence."""

    @classmethod
    def of(cls, plan: Neighbourhood) -> "RecordedNeighbourhood":
        """The same neighbourhood, with nothing recorded."""
        return cls(plan.query_units, plan.key_units, plan.pairs, plan.causal, plan.device)


def added(visible: Tensor) -> Tensor:
    """``visible`` (bool) as a mask that is added to scores: 0 where it is true, else ``-inf``."""
    return torch.zeros(visible.shape, device=visible.device).masked_fill_(~visible, -math.inf)


def gather(stored: Tensor, index: Tensor) -> Tensor:
    """``stored`` [S, w] at ``index`` [B, K]: [B, K, w]."""
    return stored.index_select(0, index.flatten()).unflatten(0, index.shape)


def resized(stored: Tensor, rows: int, positions: int) -> Tensor:
    """``stored`` [b, k, w] as [``rows``, ``positions``, w], filled up with zeros."""
    if stored.shape[:2] == (rows, positions):
        return stored
    # Padding is read before it is written; although hidden, it must be a number.
    larger = stored.new_zeros(rows, positions, stored.shape[2])
    larger[: stored.shape[0], : stored.shape[1]] = stored
    return larger


def appended(stored: Tensor, first: int, new: Tensor) -> Tensor:
    """``stored`` [b, k, w], resized if needed, with ``new`` [n, m, w] as its rows from ``first`` on."""
    end, positions = first + len(new), new.shape[1]
    stored = resized(stored, max(end, stored.shape[0]), max(positions, stored.shape[1]))
    stored[first:end, :positions] = new
    return stored


def move(stored: Mapping[Projecting, Tensor], sentences: Tensor) -> None:
    """Move the rows ``sentences`` of all ``stored`` keys and values to the front, in place."""
    moved = (sentences != torch.arange(len(sentences), device=sentences.device)).nonzero()[:, 0]
    if len(moved):
        sources = sentences[moved]
        for keys_values in stored.values():
            keys_values[moved] = keys_values[sources]


def stacked(first: Tensor, second: Tensor, dim: int) -> Tensor:
    """The rows of both, filled up with zeros along ``dim``."""
    size = max(first.shape[dim], second.shape[dim])
    return torch.cat((widened(first, size, dim, 0), widened(second, size, dim, 0)))


def widened(states: Tensor, size: int, dim: int, value: float) -> Tensor:
    """``states`` filled up with ``value`` to ``size`` along ``dim``, in memory of their own."""
    shape = list(states.shape)
    shape[dim] = size - shape[dim]
    return torch.cat((states, states.new_full(shape, value)), dim)
