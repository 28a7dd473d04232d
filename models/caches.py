"""What decoding keeps between its steps: keys and values of the source, and of the target so far.

Both are kept by the attention module that projected them, with one row per sentence.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

KeysValues = tuple[Tensor, Tensor]  # (B, h, K, d_k) and (B, h, K, d_v), where d_v is d_k in most attentions
BLOCK = 32  # positions of r hypotheses that a cache makes room for at a time


class Passage:
    """Keys and values of the source: computed once, and gathered once for the sentences that read them.

    ``visible`` broadcasts to [B, h, r, K], true where a sentence's r hypotheses may look. With ``places`` [B, K] each
    sentence reads these positions of a memory [1, S, d] that all of them share; ``projected`` then keeps the keys and
    values of the whole memory for other passages. Otherwise each sentence has a memory row of its own.
    """

    def __init__(
        self, visible: Tensor, places: Tensor | None = None, projected: dict[nn.Module, KeysValues] | None = None
    ) -> None:
        self.visible = visible
        self.places = places
        self.projected = {} if projected is None else projected
        self.kept: dict[nn.Module, KeysValues] = {}

    def once(self, module: nn.Module, compute: Callable[[], KeysValues]) -> KeysValues:
        """What ``compute`` returned for ``module`` the first time, gathered: [B, h, K, d_k] each."""
        if module not in self.kept:
            if self.places is None:
                self.kept[module] = compute()
            else:
                if module not in self.projected:
                    self.projected[module] = compute()
                keys, values = self.projected[module]
                self.kept[module] = gather(keys[0], self.places), gather(values[0], self.places)
        return self.kept[module]

    def admit(self, other: "Passage") -> None:
        """Append the rows of ``other``, a passage of the same memory."""
        assert self.places is not None and other.places is not None
        for module, (keys, values) in self.kept.items():
            projected = self.projected[module]
            new = [gather(part[0], other.places) for part in projected]
            self.kept[module] = stacked(keys, new[0], 2), stacked(values, new[1], 2)
        self.visible = stacked(self.visible, other.visible, 3)
        self.places = stacked(self.places, other.places, 1)

    def select(self, sentences: Tensor) -> None:
        """Keep the rows ``sentences``."""
        self.visible = self.visible[sentences]
        self.places = None if self.places is None else self.places[sentences]
        self.kept = {module: rows(parts, sentences) for module, parts in self.kept.items()}


class Cache:
    """Keys and values of the target.

    They hold all positions of the r hypotheses side by side, in the order they were computed: they are never moved
    when hypotheses are dropped or doubled, ``ancestors`` says instead which of them belong to the prefix of which.
    ``earlier`` are keys and values that come before the first position, [B, h, P, d_k], of which a sentence sees those
    where ``visible`` [B, P] is true. Room is made for ``block`` positions at a time.
    """

    def __init__(
        self,
        earlier: Mapping[nn.Module, KeysValues] | None = None,
        visible: Tensor | None = None,
        block: int | None = None,
    ) -> None:
        self.block = block or BLOCK
        self.length = 0
        """Target positions decoded so far."""
        self.ancestors = torch.empty(0) if visible is None else visible[:, None, None]
        """[B, 1, r, P + length * r] bool, true where the hypothesis (third axis) has the position as its own."""
        self.before: int = self.ancestors.shape[-1]
        """Positions that come before the first one, P."""
        self.growing = dict(earlier or {})

    def begin_position(self, own: Tensor) -> None:
        """Make room for the next position of r prefixes, of which each sees the others where ``own`` [B, 1, r, r]."""
        before = self.ancestors.expand(-1, -1, own.shape[2], -1) if self.ancestors.numel() else own[..., :0]
        self.ancestors = torch.cat((before, own), dim=-1)
        self.length += 1

    @property
    def allowed(self) -> Tensor:
        """What the newest positions see: broadcasts to [B, h, r, P + length * r]."""
        return self.ancestors

    def extend(self, module: nn.Module, keys: Tensor, values: Tensor) -> KeysValues:
        """Append the newest position, [B, h, r, d_k] each; return all, [B, h, P + length * r, d_k] each."""
        new, end = keys.shape[2], self.ancestors.shape[-1]
        stored = self.growing.get(module, (keys[:, :, :0], values[:, :, :0]))
        if stored[0].shape[2] < end:  # in blocks of positions, so that most steps copy nothing
            room = [part.new_empty(*part.shape[:2], self.block * new, part.shape[3]) for part in (keys, values)]
            stored = (torch.cat((stored[0], room[0]), dim=2), torch.cat((stored[1], room[1]), dim=2))
            self.growing[module] = stored
        for part, newest in zip(stored, (keys, values)):
            part[:, :, end - new : end] = newest
        return stored[0][:, :, :end], stored[1][:, :, :end]

    def admit(self, other: "Cache", positions: int) -> None:
        """Append the rows of ``other``, which have not begun; of the own ones the newest ``positions`` are kept."""
        end, hypotheses = self.ancestors.shape[-1], self.ancestors.shape[2]
        begin = end - positions * hypotheses
        before = max(self.before, other.before)
        visible = other.ancestors.expand(-1, -1, hypotheses, -1)

        def laid(own: Tensor, dim: int) -> Tensor:
            """Earlier positions, filled up to the same number, then the newest."""
            earlier = widened(own.narrow(dim, 0, self.before), before, dim)
            return torch.cat((earlier, own.narrow(dim, begin, end - begin)), dim)

        for module, parts in self.growing.items():
            none = [part.new_empty(len(visible), part.shape[1], 0, part.shape[3]) for part in parts]
            new = other.growing.get(module, none)
            self.growing[module] = stacked(laid(parts[0], 2), new[0], 2), stacked(laid(parts[1], 2), new[1], 2)
        self.ancestors = stacked(laid(self.ancestors, 3), visible, 3)
        self.before = before

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """Keep the rows ``sentences`` (None: all), each with copies of its hypotheses ``parents`` [B, r]."""
        if sentences is not None:
            self.ancestors = self.ancestors[sentences]
            self.growing = {module: rows(parts, sentences) for module, parts in self.growing.items()}
        self.ancestors = self.ancestors.take_along_dim(parents[:, None, :, None], dim=2)


def own_hypotheses(sentences: int, hypotheses: int, device: torch.device) -> Tensor:
    """The newest positions of r hypotheses, each of which sees its own alone: [B, 1, r, r] bool."""
    return torch.eye(hypotheses, dtype=torch.bool, device=device).expand(sentences, 1, -1, -1)


def gather(states: Tensor, places: Tensor) -> Tensor:
    """``states`` [h, S, d_k] at ``places`` [B, K]: [B, h, K, d_k]."""
    chosen = states.index_select(1, places.flatten()).unflatten(1, places.shape)
    return chosen.transpose(0, 1).contiguous()


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


def rows(parts: KeysValues, sentences: Tensor) -> KeysValues:
    """The rows ``sentences`` of keys and values."""
    return parts[0].index_select(0, sentences), parts[1].index_select(0, sentences)
