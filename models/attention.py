"""Multi-head attention (Vaswani et al. 2017, section 3.2) and the key-value cache of decoding."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from models.layers import linear
from models.neighbourhood import Neighbourhood

KeysValues = tuple[Tensor, Tensor]  # both (B, h, K, d_k)
BLOCK = 32  # target positions that a cache makes room for at a time


def attend(
    query: Tensor, keys: Tensor, values: Tensor, allowed: Tensor | Neighbourhood | None, causal: bool, dropout: float
) -> Tensor:
    """``softmax(query keys^T / sqrt(d_k)) values`` per head, the only attention of the code base.

    ``query`` [B, h, Q, d_k]; ``keys`` and ``values`` [B, h, K, d_k]. ``allowed`` says where a query may look: a mask
    that broadcasts to [B, h, Q, K] and is true there; a neighbourhood, whose plan knows about causality itself and
    whose queries without keys get zeros; None for everywhere. ``causal`` lets query i see the keys 0 … i (Q = K).
    """
    if isinstance(allowed, Neighbourhood):
        return _attend_to_neighbours(query, keys, values, allowed, dropout)
    return F.scaled_dot_product_attention(query, keys, values, attn_mask=allowed, is_causal=causal, dropout_p=dropout)


def _attend_to_neighbours(
    query: Tensor, keys: Tensor, values: Tensor, neighbourhood: Neighbourhood, dropout: float
) -> Tensor:
    batch, heads, length, width = query.shape

    def gather(states: Tensor, places: Tensor) -> Tensor:
        rows = states.transpose(1, 2).reshape(-1, heads * width).index_select(0, places.flatten())
        return rows.view(*places.shape, heads, width).transpose(1, 2)  # (U, h, n, d_k)

    results = [
        attend(
            gather(query, group.queries),
            gather(keys, group.keys),
            gather(values, group.keys),
            group.allowed,
            causal=False,
            dropout=dropout,
        )
        .transpose(1, 2)
        .reshape(-1, heads * width)
        for group in neighbourhood.groups
    ]
    results.append(query.new_zeros(1, heads * width))
    together = torch.cat(results).index_select(0, neighbourhood.places)
    return together.view(batch, length, heads, width).transpose(1, 2)


class Cache:
    """Keys and values that decoding computed before, by the attention module they belong to.

    Every module's keys and values have one row per sentence. Of the source they are computed once. Of the
    target they hold all positions of the r hypotheses side by side, in the order they were computed: they are
    never moved when hypotheses are dropped or doubled, ``ancestors`` says instead which of them belong to the
    prefix of which.
    """

    def __init__(self) -> None:
        self.length = 0
        """Target positions decoded so far."""
        self.ancestors = torch.empty(0)
        """[B, 1, r, length * r] bool, true where the hypothesis (third axis) has the position as its own."""
        self.growing: dict[nn.Module, KeysValues] = {}
        self.fixed: dict[nn.Module, KeysValues] = {}

    def begin_position(self, sentences: int, hypotheses: int, device: torch.device) -> None:
        """Make room for the next position of ``sentences`` * ``hypotheses`` prefixes."""
        own = torch.eye(hypotheses, dtype=torch.bool, device=device).expand(sentences, 1, -1, -1)
        self.ancestors = torch.cat((self.ancestors, own), dim=-1) if self.length else own
        self.length += 1

    def extend(self, module: nn.Module, keys: Tensor, values: Tensor) -> KeysValues:
        """Append the newest position, [B, h, r, d_k] each; return all, [B, h, length * r, d_k] each."""
        new, end = keys.shape[2], self.length * keys.shape[2]
        stored = self.growing.get(module, (keys[:, :, :0], values[:, :, :0]))
        if stored[0].shape[2] < end:  # in blocks of positions, so that most steps copy nothing
            room = keys.new_empty(*keys.shape[:2], BLOCK * new, keys.shape[3])
            stored = (torch.cat((stored[0], room), dim=2), torch.cat((stored[1], room), dim=2))
            self.growing[module] = stored
        for part, newest in zip(stored, (keys, values)):
            part[:, :, end - new : end] = newest
        return stored[0][:, :, :end], stored[1][:, :, :end]

    def once(self, module: nn.Module, compute: Callable[[], KeysValues]) -> KeysValues:
        """What ``compute`` returned for ``module`` at the first step, [B, h, S, d_k] each."""
        if module not in self.fixed:
            self.fixed[module] = compute()
        return self.fixed[module]

    def select(self, sentences: Tensor | None, parents: Tensor) -> None:
        """Keep the rows ``sentences`` (None: all), each with copies of its hypotheses ``parents`` [B, r]."""
        if sentences is not None:
            self.ancestors = self.ancestors[sentences]
            for kept in (self.growing, self.fixed):
                for module, (keys, values) in kept.items():
                    kept[module] = (keys.index_select(0, sentences), values.index_select(0, sentences))
        self.ancestors = self.ancestors.take_along_dim(parents[:, None, :, None], dim=2)


class MultiHeadAttention(nn.Module):
    """Multi-head attention with biased projections of queries, keys, values and output."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.width = width
        self.heads = heads
        self.dropout = dropout
        self.projection = linear(width, 3 * width, parts=3)  # of queries, keys and values
        self.output = linear(width, width)

    def to_itself(
        self,
        states: Tensor,
        allowed: Tensor | Neighbourhood | None = None,
        causal: bool = False,
        cache: Cache | None = None,
    ) -> Tensor:
        """Self-attention of ``states`` [B, T, d], as :func:`attend`.

        With a cache ``states`` [B * r, 1, d] is the newest position of r hypotheses per sentence; it sees its
        prefix.
        """
        parts = self.projection(states).chunk(3, dim=-1)
        if cache is None:
            query, keys, values = (self._split(part) for part in parts)
        else:
            sentences, _, hypotheses, _ = cache.ancestors.shape
            query, keys, values = (self._split(part.view(sentences, hypotheses, -1)) for part in parts)
            keys, values = cache.extend(self, keys, values)
            allowed, causal = cache.ancestors, False
        return self._attend(query, keys, values, allowed, causal).view(states.shape)

    def to_memory(
        self,
        states: Tensor,
        memory: Tensor,
        allowed: Tensor | Neighbourhood | None = None,
        cache: Cache | None = None,
    ) -> Tensor:
        """Attention of ``states`` [B * r, T, d] to ``memory`` [B, S, d]: r adjacent rows share a memory row.

        ``allowed`` broadcasts to [B, h, r * T, S].
        """
        weights = self.projection.weight.split((self.width, 2 * self.width))
        biases = self.projection.bias.split((self.width, 2 * self.width))

        def keys_values() -> KeysValues:
            keys, values = F.linear(memory, weights[1], biases[1]).chunk(2, dim=-1)
            return self._split(keys), self._split(values)

        query = self._split(F.linear(states.reshape(len(memory), -1, self.width), weights[0], biases[0]))
        keys, values = keys_values() if cache is None else cache.once(self, keys_values)
        return self._attend(query, keys, values, allowed, causal=False).view(states.shape)

    def _split(self, states: Tensor) -> Tensor:
        return states.unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (B, T, d) -> (B, h, T, d_k)

    def _attend(
        self, query: Tensor, keys: Tensor, values: Tensor, allowed: Tensor | Neighbourhood | None, causal: bool
    ) -> Tensor:
        mixed = attend(query, keys, values, allowed, causal, self.dropout if self.training else 0.0)
        result: Tensor = self.output(mixed.transpose(1, 2).flatten(-2))
        return result
