"""Multi-head attention (Vaswani et al. 2017, section 3.2), and :func:`attend`, the kernel of most attentions.

Attentions that need the weights themselves compute them without it: selective attention (sparsemax over sentences),
and in multi-task learning the attention among units (a parser's heads replace a row, and there is a loss of the scores)
and to units and words (products of two weights). A graph convolution weighs its three directions itself.
"""

from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.models.attention.block_mask import attend_in_blocks, takes
from discourse_nmt.models.attention.dropped_attention import DroppedAttention
from discourse_nmt.models.attention.gathered_attention import attend_gathered
from discourse_nmt.models.attention.kv_cache import (
    KeysValues,
    KeyValueCache,
    MemoryKeyValues,
    RecordedNeighbourhood,
)
from discourse_nmt.models.attention.neighbourhood import Neighbourhood
from discourse_nmt.models.sublayers.parts import begin_alike, begin_copying, join_heads, linear, split_heads

Path = Literal["plain", "dense", "blocks", "gather"]
DENSE = 256  # keys of a sequence up to which one masked call takes less time than the gathers

# Who attends to whom: the plan of a relation, or in decoding the keys and values of the positions that are reached.
TargetPlan = Neighbourhood | KeyValueCache
SourcePlan = Neighbourhood | MemoryKeyValues


def attend(
    query: Tensor, keys: Tensor, values: Tensor, allowed: Tensor | Neighbourhood | None, causal: bool, dropout: float
) -> Tensor:
    """``softmax(query keys^T / sqrt(d_k)) values`` per head, under a mask (spec 01, equations 2 to 4 and 6).

    ``query`` [B, h, Q, d_k]; ``keys`` [B, h, K, d_k]; ``values`` [B, h, K, d_v]. ``allowed`` says where a query may
    look: a mask that broadcasts to [B, h, Q, K] and is true there, or 0 there and -inf elsewhere; a neighbourhood,
    which knows about causality itself and whose queries without keys get zeros; None for everywhere. ``causal`` lets
    query i see the keys 0 … i (Q = K).
    """
    if query.device.type == "cpu" and (query.dtype == torch.bfloat16 or torch.is_autocast_enabled("cpu")):
        # Torch's kernel for bf16 takes several times as long on a CPU, mostly for the gradient.
        with torch.autocast("cpu", enabled=False):
            mixed = attend(query.float(), keys.float(), values.float(), allowed, causal, dropout)
        return mixed.to(query.dtype)
    if isinstance(allowed, Neighbourhood):
        path = path_of(allowed, dropout, takes(keys, values))
        if path == "gather":
            return attend_gathered(query, keys, values, allowed.gathering, dropout)
        if path == "blocks":
            return attend_in_blocks(query, keys, values, allowed.block_mask)
        allowed, causal = (None, allowed.causal) if path == "plain" else (allowed.mask, False)
    elif allowed is not None and allowed.is_floating_point():
        allowed = allowed.to(query.dtype)
    if dropout and query.device.type == "cpu":
        seen = allowed == 0 if allowed is not None and allowed.is_floating_point() else allowed
        dropped: Tensor = DroppedAttention.apply(query, keys, values, seen, causal, dropout)
        return dropped
    return F.scaled_dot_product_attention(query, keys, values, attn_mask=allowed, is_causal=causal, dropout_p=dropout)


def path_of(neighbourhood: Neighbourhood, dropout: float, kernel: bool = True) -> Path:
    """How :func:`attend` computes a neighbourhood, the one place that decides (docs/rationale/attention.md).

    plain: one call without a mask, where all positions of a sequence are related. dense: one call with a mask, for
    sequences of at most :data:`DENSE` keys. blocks: FlexAttention, on a GPU; it has no dropout, and ``kernel`` says
    whether it takes the widths of the heads. gather: all else.
    """
    if neighbourhood.related == neighbourhood.area:
        return "plain"
    if neighbourhood.shape[2] <= DENSE:
        return "dense"
    return "blocks" if neighbourhood.device.type == "cuda" and dropout == 0 and kernel else "gather"


class MultiHeadAttention(nn.Module):
    """Multi-head attention with biased projections of queries, keys, values and output."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.width = width
        self.heads = heads
        self.dropout = dropout
        self.projection = linear(width, 3 * width, parts=3)  # of queries, keys and values
        self.output = linear(width, width)

    def begin_copying(self) -> None:
        """Initialise the attention to copy entries that are similar to the query."""
        query, key, value = self.projection.weight.chunk(3)
        begin_alike(query, key)
        begin_copying(value, self.output.weight)

    def begin_silent(self) -> None:
        """Initialise the attention to return zero."""
        nn.init.zeros_(self.output.weight)

    def to_itself(
        self,
        states: Tensor,
        allowed: Tensor | TargetPlan | None = None,
        causal: bool = False,
    ) -> Tensor:
        """Self-attention of ``states`` [B, T, d], as :func:`attend`.

        With a cache as ``allowed`` the states are the newest r positions of each sentence, [B * r, 1, d], and attend to
        the positions that the cache allows.
        """
        projected = self.projection(states)
        if isinstance(allowed, KeyValueCache):
            sentences, _, hypotheses, _ = allowed.ancestors.shape
            query, newest = projected.split((self.width, 2 * self.width), dim=-1)
            query = split_heads(query.view(sentences, hypotheses, -1), self.heads)
            keys, values = allowed.extend(self, newest.flatten(0, 1))
            allowed = allowed.mask
        else:
            if isinstance(allowed, RecordedNeighbourhood):
                allowed.keys_values[self] = projected[0, :, self.width :]
            query, keys, values = (split_heads(third, self.heads) for third in projected.chunk(3, dim=-1))
        return self._attend(query, keys, values, allowed, causal).view(states.shape)

    def to_memory(
        self,
        states: Tensor,
        memory: Tensor,
        allowed: Tensor | SourcePlan | None = None,
    ) -> Tensor:
        """Attention of ``states`` [B * r, T, d] to ``memory`` [B, S, d]: r adjacent rows share a memory row.

        ``allowed`` broadcasts to [B, h, r * T, S]; :class:`.MemoryKeyValues` hold themselves the keys and values of
        ``memory`` that each row of states reads.
        """

        def keys_values() -> Tensor:
            return self.projection.outputs(memory, self.width, 3 * self.width)

        if isinstance(allowed, MemoryKeyValues):
            keys, values = allowed.once(self, keys_values)
            allowed = allowed.mask
        else:
            keys, values = self.by_head(keys_values())
        query = self.projection.outputs(states.reshape(len(keys), -1, self.width), 0, self.width)
        query = split_heads(query, self.heads)
        return self._attend(query, keys, values, allowed, causal=False).view(states.shape)

    def by_head(self, keys_values: Tensor) -> KeysValues:
        """The keys and values of each head, [B, h, K, d_k] each, of ``keys_values`` [B, K, 2d]."""
        keys, values = keys_values.view(*keys_values.shape[:2], 2, self.heads, -1).permute(2, 0, 3, 1, 4).unbind()
        return keys, values

    def _attend(
        self, query: Tensor, keys: Tensor, values: Tensor, allowed: Tensor | Neighbourhood | None, causal: bool
    ) -> Tensor:
        mixed = attend(query, keys, values, allowed, causal, self.dropout if self.training else 0.0)
        result: Tensor = self.output(join_heads(mixed))
        return result
