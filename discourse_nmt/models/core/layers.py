"""Encoder and decoder layers, with hooks for what a system adds, and the memory that a decoder layer reads.

A system derives its layers from these. It passes attentions of its own, or overrides the hooks: ``attend``, the block
inside a residual connection, or ``after``, which is between two blocks.
"""

from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor, nn

from discourse_nmt.models.attention.kv_cache import MemoryKeyValues
from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.sublayers.parts import FeedForward, Residual
from discourse_nmt.models.switches.transformer import TransformerSettings


@dataclass(frozen=True)
class Memory:
    """What the decoder reads of the source."""

    states: Tensor
    """[B, S, d]."""
    padding: Tensor
    """[B, S] bool, true at padding."""
    keys_values: MemoryKeyValues | None = None
    """Keys and values of ``states``, kept between the steps of decoding."""

    def keep(self) -> "Memory":
        """The same memory, whose keys and values are computed once."""
        return replace(self, keys_values=MemoryKeyValues(~self.padding[:, None, None]))

    @property
    def visible(self) -> Tensor | MemoryKeyValues:
        """Where an attention to this memory may look, for :meth:`.MultiHeadAttention.to_memory`."""
        return ~self.padding[:, None, None] if self.keys_values is None else self.keys_values

    def context(self, name: str) -> Any:
        """What else there is to attend to, by its name; None where there is no such context, as always here."""
        return None

    def select(self, sentences: Tensor) -> "Memory":
        """The rows ``sentences``, in this order."""
        if self.keys_values is not None:
            self.keys_values.select(sentences)
        return replace(
            self,
            states=self.states.index_select(0, sentences),
            padding=self.padding.index_select(0, sentences),
        )


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward block, each in its residual connection.

    What ``allowed`` and ``context`` are is up to the system. In the sentence model ``allowed`` is a mask [B, 1, 1, S],
    false at padding, and there is no context.
    """

    recomputable = True
    """Whether a second computation on the same arguments gives the same: not where layers share keys and values."""

    def __init__(self, settings: TransformerSettings, attention: nn.Module | None = None) -> None:
        super().__init__()
        width, dropout, norm = settings.width, settings.dropout, settings.norm
        self.attention: Any = attention or multi_head_attention(settings)
        self.feed_forward = feed_forward(settings)
        self.attention_residual = Residual(width, dropout, norm)
        self.feed_forward_residual = Residual(width, dropout, norm)

    def forward(self, states: Tensor, allowed: Any, context: Any = None) -> Tensor:
        """``states`` [B, S, d] to [B, S, d]."""
        states = self.attention_residual(states, lambda x: self.attend(x, allowed, context))
        states = self.after_attention(states, context)
        result: Tensor = self.feed_forward_residual(states, self.feed_forward)
        return result

    def attend(self, states: Tensor, allowed: Any, context: Any) -> Tensor:
        """Hook: self-attention of ``states``."""
        attended: Tensor = self.attention.to_itself(states, allowed)
        return attended

    def after_attention(self, states: Tensor, context: Any) -> Tensor:
        """Hook: what is done between self-attention and the feed-forward block."""
        return states


class DecoderLayer(nn.Module):
    """Causal self-attention, attention to the source and feed-forward block, each in its residual connection.

    What ``memory`` and ``plans`` are is up to the system. In the sentence model they are a :class:`Memory` and the
    cache of keys and values, None in training.
    """

    recomputable = True
    """Whether a second computation on the same arguments gives the same: not where layers share keys and values."""

    def __init__(
        self,
        settings: TransformerSettings,
        attention: nn.Module | None = None,
        source_attention: nn.Module | None = None,
    ) -> None:
        super().__init__()
        width, dropout, norm = settings.width, settings.dropout, settings.norm
        self.attention: Any = attention or multi_head_attention(settings)
        self.source_attention: Any = source_attention or multi_head_attention(settings)
        self.feed_forward = feed_forward(settings)
        self.attention_residual = Residual(width, dropout, norm)
        self.source_residual = Residual(width, dropout, norm)
        self.feed_forward_residual = Residual(width, dropout, norm)

    def forward(self, states: Tensor, memory: Any, plans: Any) -> Tensor:
        """``states`` [B * r, T, d] to the same shape; r adjacent rows read one row of ``memory``."""
        states = self.attention_residual(states, lambda x: self.attend(x, memory, plans))
        states = self.after_attention(states, memory)
        states = self.source_residual(states, lambda x: self.attend_to_source(x, memory, plans))
        states = self.after_source(states, memory)
        result: Tensor = self.feed_forward_residual(states, self.feed_forward)
        return result

    def attend(self, states: Tensor, memory: Any, plans: Any) -> Tensor:
        """Hook: self-attention of ``states``."""
        # Target padding needs no mask: it follows every real position, so the causal one hides it already.
        attended: Tensor = self.attention.to_itself(states, plans, causal=plans is None)
        return attended

    def after_attention(self, states: Tensor, memory: Any) -> Tensor:
        """Hook: what is done between self-attention and attention to the source."""
        return states

    def attend_to_source(self, states: Tensor, memory: Any, plans: Any) -> Tensor:
        """Hook: attention of ``states`` to the source."""
        attended: Tensor = self.source_attention.to_memory(states, memory.states, memory.visible)
        return attended

    def after_source(self, states: Tensor, memory: Any) -> Tensor:
        """Hook: what is done between attention to the source and the feed-forward block."""
        return states


def multi_head_attention(settings: TransformerSettings) -> MultiHeadAttention:
    """The attention of a layer."""
    return MultiHeadAttention(settings.width, settings.heads, settings.attention_dropout)


def feed_forward(settings: TransformerSettings) -> FeedForward:
    """The feed-forward block of a layer."""
    return FeedForward(settings.width, settings.feed_forward_width, settings.activation, settings.activation_dropout)
