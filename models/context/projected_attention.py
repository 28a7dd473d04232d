"""Multi-head attention in steps: keys and values are projected once, ahead, and gathered where they are read."""

from torch import Tensor

from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.core.kv_cache import KeysValues
from discourse_nmt.models.core.parts import begin_alike, begin_copying, split_heads


class ProjectedAttention(MultiHeadAttention):
    """Multi-head attention whose queries, keys and values are projected by the caller; all are [..., d]."""

    def begin_copying(self) -> None:
        """Initialise the attention to copy entries that are similar to the query."""
        query, key, value = self.projection.weight.chunk(3)
        begin_alike(query, key)
        begin_copying(value, self.output.weight)

    def query(self, states: Tensor) -> Tensor:
        """The projected queries."""
        return self._projected(states, 0)

    def keys_values(self, keys: Tensor, values: Tensor) -> KeysValues:
        """The projected keys and values."""
        return self._projected(keys, 1), self._projected(values, 2)

    def read(self, query: Tensor, keys: Tensor, values: Tensor, allowed: Tensor | None) -> Tensor:
        """Attention of projected queries [B, Q, d] to projected keys and values [B, K, d]: [B, Q, d].

        ``allowed`` broadcasts to [B, h, Q, K].
        """
        query, keys, values = (split_heads(states, self.heads) for states in (query, keys, values))
        return self._attend(query, keys, values, allowed, causal=False)

    def _projected(self, states: Tensor, third: int) -> Tensor:
        return self.projection.outputs(states, third * self.width, (third + 1) * self.width)
