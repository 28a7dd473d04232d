"""What decoding keeps between its steps: keys and values of the source, and of the target so far.

Both are kept by the attention module that projected them, with one row per sentence, and are moved as little as can be:
rows that leave are overwritten by the last ones, and new rows are written behind those that stay.
"""

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor, nn

from discourse_nmt.corpus.arrays import Integers

KeysValues = tuple[Tensor, Tensor]  # (B, h, K, d_k) and (B, h, K, d_v), where d_v is d_k in most attentions
BLOCK = 32  # positions of r hypotheses that a cache makes room for at a time


class MemoryKeyValues:
    """Keys and values of the source: computed once, and gathered once for the sentences that read them.

    ``visible`` [B, 1, 1 or r, K] is true where a sentence's r hypotheses may look. With ``places`` [B, K] each
    sentence reads these positions of a memory [1, S, d] that all of them share; ``projected`` then keeps the keys and
    values of the whole memory for other memory_keys_values. Otherwise each sentence has a memory row of its own.
    """

    def __init__(
        self, visible: Tensor, places: Tensor | None = None, projected: dict[nn.Module, KeysValues] | None = None
    ) -> None:
        self.visible = visible
        self.places = places
        self.projected = {} if projected is None else projected
        self.kept: dict[nn.Module, KeysValues] = {}
        """Stored as :func:`laid` has it, with room for more."""

    def once(self, module: nn.Module, compute: Callable[[], KeysValues]) -> KeysValues:
        """What ``compute`` returned for ``module`` the first time, gathered: [B, h, K, d_k] each."""
        if module not in self.kept:
            places = self.places
            if places is None:
                self.kept[module] = pair(lambda part: laid(part).contiguous(), compute())
            else:
                if module not in self.projected:
                    self.projected[module] = pair(lambda part: laid(part)[0], compute())
                self.kept[module] = pair(lambda part: gather(part, places), self.projected[module])
        rows, positions = len(self.visible), self.visible.shape[3]
        return pair(lambda part: part[:rows, :positions].transpose(1, 2), self.kept[module])

    def admit(self, other: "MemoryKeyValues") -> None:
        """Append the rows of ``other``, a keys_values of the same memory."""
        places, rows = other.places, len(self.visible)
        assert self.places is not None and places is not None
        for module, parts in self.kept.items():
            new = pair(lambda part: gather(part, places), self.projected[module])
            self.kept[module] = behind(parts[0], rows, new[0]), behind(parts[1], rows, new[1])
        self.visible = stacked(self.visible, other.visible, 3)
        self.places = stacked(self.places, places, 1)

    def select(self, sentences: Tensor) -> None:
        """Keep the rows ``sentences``."""
        self.visible = self.visible[sentences]
        self.places = None if self.places is None else self.places[sentences]
        move(self.kept, sentences)


class KeyValueCache:
    """Keys and values of the target.

    A row holds all positions of its r hypotheses side by side, in the order they were computed: they are never moved
    when hypotheses are dropped or doubled, ``ancestors`` says instead which of them belong to the prefix of which.
    ``earlier`` are keys and values that come before the first position, [B, P, h, d_k], of which a row sees those where
    ``visible`` [B, P] is true: the first ones of each.
    """

    def __init__(self, earlier: Mapping[nn.Module, KeysValues] | None = None, visible: Tensor | None = None) -> None:
        self.length = 0
        """Target positions decoded so far."""
        self.ancestors = torch.empty(0) if visible is None else visible[:, None, None]
        """[B, 1, r, K] bool, true where the hypothesis (third axis) has the position as its own."""
        self.ends: Integers = np.zeros(0, np.int64) if visible is None else visible.sum(dim=1).cpu().numpy()
        """[B] the number of positions of each row."""
        self.growing = dict(earlier or {})
        """Laid as :func:`laid` has it, with room for more."""
        self.room = (0, 0)
        """Rows and positions that there is to be room for."""
        self.newest = torch.empty(0)
        """[B * r] where the newest positions go, in rows of that size laid end to end."""

    def begin_position(self, own: Tensor) -> None:
        """Make room for the next position of r prefixes, of which each sees the others where ``own`` [B, 1, r, r]."""
        rows, _, new, _ = own.shape
        if not len(self.ends):
            self.ends, self.ancestors = np.zeros(rows, np.int64), own.new_zeros(rows, 1, new, 0)
        width = int(self.ends.max()) + new
        before = self.ancestors[..., :width]  # there may have been longer rows
        self.ancestors = own.new_zeros(rows, 1, new, width)
        self.ancestors[..., : before.shape[-1]] = before
        places = torch.from_numpy(self.ends[:, None] + np.arange(new)).to(own.device)  # (B, r)
        self.ancestors.scatter_(3, places[:, None, None].expand_as(own), own)
        if rows > self.room[0] or width > self.room[1]:  # in blocks of positions, so that most steps copy nothing
            self.room = max(rows, self.room[0]), max(width + (BLOCK - 1) * new, self.room[1])
        self.newest = (places + torch.arange(rows, device=own.device)[:, None] * self.room[1]).flatten()
        self.ends = self.ends + new
        self.length += 1

    @property
    def allowed(self) -> Tensor:
        """What the newest positions see: broadcasts to [B, h, r, K]."""
        return self.ancestors

    def extend(self, module: nn.Module, keys: Tensor, values: Tensor) -> KeysValues:
        """Append the newest position, [B, h, r, d_k] each; return all, [B, h, K, d_k] each."""
        newest = pair(laid, (keys, values))
        old = self.growing.get(module) or pair(lambda part: part[:0], newest)
        grown = pair(lambda part: resized(part, *self.room), old)
        for part, new in zip(grown, newest):
            part.flatten(0, 1).index_copy_(0, self.newest, new.flatten(0, 1))
        self.growing[module] = grown
        rows, positions = self.ancestors.shape[0], self.ancestors.shape[-1]
        return pair(lambda part: part[:rows, :positions].transpose(1, 2), grown)

    def read(self, rows: Tensor, places: Tensor) -> dict[nn.Module, KeysValues]:
        """The keys and values [n, h, d_k] at the positions ``places`` [n] of the ``rows`` [n]."""
        return {module: pair(lambda part: part[rows, places], parts) for module, parts in self.growing.items()}

    def admit(self, other: "KeyValueCache") -> None:
        """Append the rows of ``other``, which have not begun."""
        rows, hypotheses = len(self.ends), self.ancestors.shape[2]
        self.room = max(rows + len(other.ends), self.room[0]), max(other.ancestors.shape[3], self.room[1])
        for module, new in other.growing.items():
            keys, values = pair(lambda part: resized(part, *self.room), self.growing[module])
            self.growing[module] = behind(keys, rows, new[0]), behind(values, rows, new[1])
        self.ancestors = stacked(self.ancestors, other.ancestors.expand(-1, -1, hypotheses, -1), 3)
        self.ends = np.concatenate((self.ends, other.ends))

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """Keep the rows ``sentences`` (None: all), each with copies of its hypotheses ``parents`` [B, r]."""
        if sentences is not None:
            self.ancestors, self.ends = self.ancestors[sentences], self.ends[sentences.cpu().numpy()]
            move(self.growing, sentences)
        chosen = parents[:, None, :, None].expand(-1, -1, -1, self.ancestors.shape[-1])
        self.ancestors = self.ancestors.gather(2, chosen)


def own_hypotheses(sentences: int, hypotheses: int, device: torch.device) -> Tensor:
    """The newest positions of r hypotheses, each of which sees its own alone: [B, 1, r, r] bool."""
    return torch.eye(hypotheses, dtype=torch.bool, device=device).expand(sentences, 1, -1, -1)


def pair(change: Callable[[Tensor], Tensor], parts: KeysValues) -> KeysValues:
    """Keys and values, each changed."""
    return change(parts[0]), change(parts[1])


def laid(part: Tensor) -> Tensor:
    """Keys or values [B, h, K, d_k] as they are stored, a position after the other: [B, K, h, d_k]."""
    return part.transpose(1, 2)


def gather(stored: Tensor, places: Tensor) -> Tensor:
    """``stored`` [S, h, d_k] at ``places`` [B, K]: [B, K, h, d_k]."""
    return stored.index_select(0, places.flatten()).unflatten(0, places.shape)


def resized(part: Tensor, rows: int, positions: int) -> Tensor:
    """``part`` [b, k, h, d_k] with room for ``rows`` and ``positions`` in all, filled up with zeros."""
    if part.shape[:2] == (rows, positions):
        return part
    # Padding reads what was never written; hidden, it must still be a number.
    larger = part.new_zeros(rows, positions, *part.shape[2:])
    larger[: part.shape[0], : part.shape[1]] = part
    return larger


def behind(part: Tensor, first: int, new: Tensor) -> Tensor:
    """``part`` [b, k, h, d_k] whose rows from ``first`` on are ``new`` [n, m, h, d_k], with more room if need be."""
    end, positions = first + len(new), new.shape[1]
    part = resized(part, max(end, part.shape[0]), max(positions, part.shape[1]))
    part[first:end, :positions] = new
    return part


def move(kept: Mapping[nn.Module, KeysValues], sentences: Tensor) -> None:
    """Make the rows ``sentences`` of all that is ``kept`` its first ones, in place."""
    moved = (sentences != torch.arange(len(sentences), device=sentences.device)).nonzero()[:, 0]
    if len(moved):
        sources = sentences[moved]
        for parts in kept.values():
            for part in parts:
                part[moved] = part[sources]


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
