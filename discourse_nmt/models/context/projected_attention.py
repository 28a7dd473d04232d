"""Multi-head attention in steps: keys and values are projected once, ahead, and gathered where they are read."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.models.attention.kv_cache import KeysValues
from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.sublayers.parts import join_heads, split_heads


class ProjectedAttention(MultiHeadAttention):
    """Multi-head attention whose queries, keys and values are projected by the caller; all are [..., d]."""

    def query(self, states: Tensor) -> Tensor:
        """The projected queries."""
        return self._projected(states, 0)

    def keys_values(self, keys: Tensor, values: Tensor) -> KeysValues:
        """The projected keys and values."""
        return self._projected(keys, 1), self._projected(values, 2)

    def read(
        self, query: Tensor, keys: Tensor, values: Tensor, allowed: Tensor | None, added: Tensor | None = None
    ) -> Tensor:
        """Attention of projected queries [B, Q, d] to projected keys and values [B, K, d]: [B, Q, d].

        ``allowed`` and ``added``, a term of the scores, broadcast to [B, h, Q, K].
        """
        query, keys, values = (split_heads(states, self.heads) for states in (query, keys, values))
        if added is None:
            return self._attend(query, keys, values, allowed, causal=False)
        scores = query @ keys.transpose(-1, -2) / math.sqrt(query.shape[-1]) + added
        if allowed is not None:
            scores = scores.masked_fill(~allowed, -torch.inf)
        weights = F.dropout(scores.softmax(dim=-1), self.dropout, self.training)
        read: Tensor = self.output(join_heads(weights.to(values.dtype) @ values))
        return read

    def _projected(self, states: Tensor, third: int) -> Tensor:
        return self.projection.outputs(states, third * self.width, (third + 1) * self.width)
