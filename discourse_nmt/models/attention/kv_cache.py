"""The keys and values that decoding keeps between its steps: those of the source, and of the target so far.

Both are stored by the attention module that projected them, with one row per sentence, and are moved rarely: rows that
leave are overwritten by the last ones, and new rows are written after those that stay.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.base.arrays import Integers

KeysValues = tuple[Tensor, Tensor]  # (B, h, K, d_k) and (B, h, K, d_v), where d_v is d_k in most attentions
BLOCK = 32  # positions of r hypotheses that a cache allocates at a time
DROPPING_BLOCK = 8  # the same of a cache that drops dead positions, which pays more often than copying


class MemoryKeyValues:
    """Keys and values of the source: computed once, and gathered once for the sentences that read them.

    ``visible`` [B, 1, 1 or r, K] is true where a sentence's r hypotheses may look. With ``memory_index`` [B, K] each
    sentence reads these positions of a memory [1, S, d] that all sentences share; ``projected`` then holds the keys and
    values of the whole memory, to be shared with other objects. Otherwise each sentence has a memory row of its own.
    """

    def __init__(
        self, visible: Tensor, memory_index: Tensor | None = None, projected: dict[nn.Module, KeysValues] | None = None
    ) -> None:
        self.visible = visible
        self.memory_index = memory_index
        self.projected = {} if projected is None else projected
        self.stored: dict[nn.Module, KeysValues] = {}
        """By module, in the layout of :func:`by_position`, allocated for more rows and positions."""
        self.views: dict[nn.Module, KeysValues] = {}
        """The rows and positions in use, as attention reads them."""

    @property
    def visible(self) -> Tensor:
        """See :class:`MemoryKeyValues`."""
        return self._visible

    @visible.setter
    def visible(self, visible: Tensor) -> None:
        self._visible, self.mask, self.views = visible, added(visible), {}

    def once(self, module: nn.Module, compute: Callable[[], KeysValues]) -> KeysValues:
        """The result of the first ``compute`` for ``module``, gathered: [B, h, K, d_k] each."""
        if module in self.views:
            return self.views[module]
        if module not in self.stored:
            index = self.memory_index
            if index is None:
                self.stored[module] = pair(lambda tensor: by_position(tensor).contiguous(), compute())
            else:
                if module not in self.projected:
                    self.projected[module] = pair(lambda tensor: by_position(tensor)[0], compute())
                self.stored[module] = pair(lambda tensor: gather(tensor, index), self.projected[module])
        rows, positions = len(self.visible), self.visible.shape[3]
        self.views[module] = pair(lambda tensor: tensor[:rows, :positions].transpose(1, 2), self.stored[module])
        return self.views[module]

    def admit(self, other: "MemoryKeyValues") -> None:
        """Append the rows of ``other``, which are of the same memory."""
        index, rows = other.memory_index, len(self.visible)
        assert self.memory_index is not None and index is not None
        for module, (keys, values) in self.stored.items():
            new_keys, new_values = pair(lambda tensor: gather(tensor, index), self.projected[module])
            self.stored[module] = appended(keys, rows, new_keys), appended(values, rows, new_values)
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
    ``earlier`` are keys and values before the first position, [B, P, h, d_k]; a row attends to those where ``visible``
    [B, P] is true, which are the first ones.
    """

    def __init__(
        self,
        earlier: Mapping[nn.Module, KeysValues] | None = None,
        visible: Tensor | None = None,
        drops: bool = False,
    ) -> None:
        self.drops = drops
        self.length = 0
        """Target positions decoded so far."""
        self.ancestors = torch.empty(0) if visible is None else visible[:, None, None]
        """[B, 1, r, K] bool, true where the position belongs to the prefix of the hypothesis (third axis)."""
        self.ends: Integers = np.zeros(0, np.int64) if visible is None else visible.sum(dim=1).cpu().numpy()
        """[B] the number of positions of each row."""
        self.growing = dict(earlier or {})
        """By module, in the layout of :func:`by_position`, allocated for more rows and positions."""
        self.allocated = (0, 0)
        """Allocated rows and positions."""
        self.newest = torch.empty(0)
        """[B * r] the indices of the newest positions in the allocated rows, laid end to end."""
        self.mask = torch.empty(0)
        """Added to the scores of the newest positions: 0 where they may look, else -inf, broadcasts to [B, h, r, K]."""

    def begin_position(self, own: Tensor) -> None:
        """Allocate the next position of r prefixes, which attend to each other where ``own`` [B, 1, r, r] is true."""
        rows, _, new, _ = own.shape
        if not len(self.ends):
            self.ends, self.ancestors = np.zeros(rows, np.int64), own.new_zeros(rows, 1, new, 0)
        width = int(self.ends.max()) + new
        if rows > self.allocated[0] or width > self.allocated[1]:  # blocks, so that most steps copy nothing
            if self.drops and self.length:
                self._drop_dead()
                width = int(self.ends.max()) + new
            block = DROPPING_BLOCK if self.drops else BLOCK
            self.allocated = max(rows, self.allocated[0]), max(width + (block - 1) * new, self.allocated[1])
        columns = self.ends[:, None] + np.arange(new)  # (B, r)
        index = torch.from_numpy(columns).to(own.device)
        # Longer rows may have left.
        before = self.ancestors.expand(-1, -1, new, -1)
        self.ancestors = F.pad(before, (0, width - before.shape[3]))
        self.ancestors.scatter_(3, index[:, None, None].expand_as(own), own)
        self.mask = added(self._allowed(index))
        newest = columns + np.arange(rows)[:, None] * self.allocated[1]
        self.newest = torch.from_numpy(newest.ravel()).to(own.device)
        self.ends = self.ends + new
        self.length += 1

    def _allowed(self, columns: Tensor) -> Tensor:
        """Where the newest positions, which are at ``columns`` [B, r], may look: broadcasts to [B, h, r, K]."""
        return self.ancestors

    def _drop_dead(self) -> Tensor:
        """Leave out the positions of no prefix; returns the earlier position of each one that stays, [B, K]."""
        live = self.ancestors.any(dim=2)[:, 0]
        self.ends = live.sum(dim=1).cpu().numpy()
        kept = live.byte().argsort(dim=1, descending=True, stable=True)[:, : int(self.ends.max())]
        self.ancestors = self.ancestors.gather(3, kept[:, None, None].expand(-1, -1, self.ancestors.shape[2], -1))
        flat = kept + torch.arange(len(kept), device=kept.device)[:, None] * self.allocated[1]
        self.growing = {
            module: pair(lambda tensor: gather(tensor.flatten(0, 1), flat), keys_values)
            for module, keys_values in self.growing.items()
        }
        self.allocated = (0, 0)
        return kept

    def extend(self, module: nn.Module, keys: Tensor, values: Tensor) -> KeysValues:
        """Append the newest position, [B, h, r, d_k] each; return all, [B, h, K, d_k] each."""
        newest = by_position(keys), by_position(values)
        old = self.growing.get(module) or pair(lambda tensor: tensor[:0], newest)
        self.growing[module] = pair(lambda tensor: resized(tensor, *self.allocated), old)
        rows, _, _, positions = self.ancestors.shape
        reached = []
        for stored, new in zip(self.growing[module], newest):
            stored.flatten(0, 1).index_copy_(0, self.newest, new.flatten(0, 1))
            reached.append(stored[:rows, :positions].transpose(1, 2))
        return reached[0], reached[1]

    def read(self, rows: Tensor, positions: Tensor) -> dict[nn.Module, KeysValues]:
        """The keys and values [n, h, d_k] at the ``positions`` [n] of the ``rows`` [n]."""
        return {module: pair(lambda tensor: tensor[rows, positions], both) for module, both in self.growing.items()}

    def admit(self, other: "KeyValueCache") -> None:
        """Append the rows of ``other``, which have no own position yet."""
        rows, hypotheses = len(self.ends), self.ancestors.shape[2]
        positions = max(other.ancestors.shape[3], self.allocated[1])
        self.allocated = max(rows + len(other.ends), self.allocated[0]), positions
        for module, new in other.growing.items():
            keys, values = pair(lambda tensor: resized(tensor, *self.allocated), self.growing[module])
            self.growing[module] = appended(keys, rows, new[0]), appended(values, rows, new[1])
        self.ancestors = stacked(self.ancestors, other.ancestors.expand(-1, -1, hypotheses, -1), 3)
        self.ends = np.concatenate((self.ends, other.ends))

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """Keep the rows ``sentences`` (None: all), each with copies of its hypotheses ``parents`` [B, r]."""
        if sentences is not None:
            self.ancestors, self.ends = self.ancestors[sentences], self.ends[sentences.cpu().numpy()]
            move(self.growing, sentences)
        chosen = parents[:, None, :, None].expand(-1, -1, -1, self.ancestors.shape[-1])
        self.ancestors = self.ancestors.gather(2, chosen)


def added(visible: Tensor) -> Tensor:
    """``visible`` (bool) as a mask that is added to scores: 0 where it is true, else ``-inf``."""
    return torch.zeros(visible.shape, device=visible.device).masked_fill_(~visible, -math.inf)


def own_hypotheses(sentences: int, hypotheses: int, device: torch.device) -> Tensor:
    """Where the newest positions of r hypotheses look among themselves, each at itself: [B, 1, r, r] bool."""
    return torch.eye(hypotheses, dtype=torch.bool, device=device).expand(sentences, 1, -1, -1)


def pair(change: Callable[[Tensor], Tensor], keys_values: KeysValues) -> KeysValues:
    """Keys and values, each changed."""
    keys, values = keys_values
    return change(keys), change(values)


def by_position(states: Tensor) -> Tensor:
    """Keys or values [B, h, K, d_k] in the layout of storage, position after position: [B, K, h, d_k]."""
    return states.transpose(1, 2)


def gather(stored: Tensor, index: Tensor) -> Tensor:
    """``stored`` [S, h, d_k] at ``index`` [B, K]: [B, K, h, d_k]."""
    return stored.index_select(0, index.flatten()).unflatten(0, index.shape)


def resized(stored: Tensor, rows: int, positions: int) -> Tensor:
    """``stored`` [b, k, h, d_k] as [``rows``, ``positions``, h, d_k], filled up with zeros."""
    if stored.shape[:2] == (rows, positions):
        return stored
    # Padding is read before it is written; although hidden, it must be a number.
    larger = stored.new_zeros(rows, positions, *stored.shape[2:])
    larger[: stored.shape[0], : stored.shape[1]] = stored
    return larger


def appended(stored: Tensor, first: int, new: Tensor) -> Tensor:
    """``stored`` [b, k, h, d_k], resized if needed, with ``new`` [n, m, h, d_k] as its rows from ``first`` on."""
    end, positions = first + len(new), new.shape[1]
    stored = resized(stored, max(end, stored.shape[0]), max(positions, stored.shape[1]))
    stored[first:end, :positions] = new
    return stored


def move(stored: Mapping[nn.Module, KeysValues], sentences: Tensor) -> None:
    """Move the rows ``sentences`` of all ``stored`` keys and values to the front, in place."""
    moved = (sentences != torch.arange(len(sentences), device=sentences.device)).nonzero()[:, 0]
    if len(moved):
        sources = sentences[moved]
        for keys_values in stored.values():
            for tensor in keys_values:
                tensor[moved] = tensor[sources]


def stacked(first: Tensor, second: Tensor, dim: int) -> Tensor:
    """The rows of both, filled up with zeros along ``dim``."""
    size = max(first.shape[dim], second.shape[dim])
    return torch.cat((widened(first, size, dim), widened(second, size, dim)))


def widened(states: Tensor, size: int, dim: int) -> Tensor:
    """``states`` filled up with zeros to ``size`` along ``dim``."""
    missing = size - states.shape[dim]
    if not missing:
        return states
    shape = list(states.shape)
    shape[dim] = missing
    return torch.cat((states, states.new_zeros(shape)), dim)
