"""Encoder and decoder layers, with hooks for what a system adds, and the memory that a decoder layer reads.

A system derives its layers from these. It passes attentions of its own, or overrides the hooks: ``attend``, the block
inside a residual connection, or ``after``, which is between two blocks.
"""

from dataclasses import dataclass, replace
from typing import Generic, Self, TypeVar

from torch import Tensor, nn

from discourse_nmt.models.attention.kv_cache import KeyValueCache, MemoryKeyValues
from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.sublayers.parts import FeedForward, Residual
from discourse_nmt.models.switches.transformer import TransformerSettings

# What systems choose for their layers, see EncoderLayer and DecoderLayer.
Attention = TypeVar("Attention")
SourceAttention = TypeVar("SourceAttention")
Allowed = TypeVar("Allowed")
Context = TypeVar("Context")
Source = TypeVar("Source")
Plans = TypeVar("Plans")


@dataclass(frozen=True)
class Memory:
    """What the decoder reads of the source."""

    states: Tensor
    """[B, S, d]."""
    padding: Tensor
    """[B, S] bool, true at padding."""
    keys_values: MemoryKeyValues | None = None
    """Keys and values of ``states``, kept between the steps of decoding."""

    def keep(self) -> Self:
        """The same memory, whose keys and values are computed once."""
        return replace(self, keys_values=MemoryKeyValues(~self.padding[:, None, None]))

    @property
    def visible(self) -> Tensor | MemoryKeyValues:
        """Where an attention to this memory may look, for :meth:`.MultiHeadAttention.to_memory`."""
        return ~self.padding[:, None, None] if self.keys_values is None else self.keys_values

    def context(self, name: str, kind: type[Context]) -> Context | None:
        """What else there is to attend to, of a ``kind``, by its name; None where there is none, as always here."""
        return None

    def select(self, sentences: Tensor) -> Self:
        """The rows ``sentences``, in this order."""
        if self.keys_values is not None:
            self.keys_values.select(sentences)
        return replace(
            self,
            states=self.states.index_select(0, sentences),
            padding=self.padding.index_select(0, sentences),
        )


class EncoderLayer(nn.Module, Generic[Attention, Allowed, Context]):
    """Self-attention and feed-forward block, each in its residual connection.

    A system says by which ``Attention`` a state attends to others, which ones are ``Allowed``, and the ``Context`` that
    its layers read besides.
    """

    recomputable = True
    """Whether a second computation on the same arguments gives the same: not where layers share keys and values."""

    def __init__(self, settings: TransformerSettings, attention: Attention) -> None:
        super().__init__()
        width, dropout, norm = settings.width, settings.dropout, settings.norm
        self.attention = attention
        self.feed_forward = feed_forward(settings)
        self.attention_residual = Residual(width, dropout, norm)
        self.feed_forward_residual = Residual(width, dropout, norm)

    def forward(self, states: Tensor, allowed: Allowed, context: Context | None = None) -> Tensor:
        """``states`` [B, S, d] to [B, S, d]."""
        states = self.attention_residual(states, lambda x: self.attend(x, allowed, context))
        states = self.after_attention(states, context)
        result: Tensor = self.feed_forward_residual(states, self.feed_forward)
        return result

    def attend(self, states: Tensor, allowed: Allowed, context: Context | None) -> Tensor:
        """Self-attention of ``states``."""
        raise NotImplementedError

    def after_attention(self, states: Tensor, context: Context | None) -> Tensor:
        """Hook: what is done between self-attention and the feed-forward block."""
        return states


class SentenceEncoderLayer(EncoderLayer[MultiHeadAttention, Tensor, Context]):
    """A layer over sentences in padded rows; ``allowed`` is a mask [B, 1, 1, S], false at padding."""

    def __init__(self, settings: TransformerSettings) -> None:
        super().__init__(settings, multi_head_attention(settings))

    def attend(self, states: Tensor, allowed: Tensor, context: Context | None) -> Tensor:
        """Hook: self-attention of ``states``."""
        return self.attention.to_itself(states, allowed)


class DecoderLayer(nn.Module, Generic[Attention, SourceAttention, Source, Plans]):
    """Causal self-attention, attention to the source and feed-forward block, each in its residual connection.

    A system says by which ``Attention`` a state attends to others and by which ``SourceAttention`` to the source, what
    its layers read of the ``Source``, and the ``Plans`` of who attends to whom, or in decoding the keys and values of
    the positions that are reached.
    """

    recomputable = True
    """Whether a second computation on the same arguments gives the same: not where layers share keys and values."""

    def __init__(self, settings: TransformerSettings, attention: Attention, source_attention: SourceAttention) -> None:
        super().__init__()
        width, dropout, norm = settings.width, settings.dropout, settings.norm
        self.attention, self.source_attention = attention, source_attention
        self.feed_forward = feed_forward(settings)
        self.attention_residual = Residual(width, dropout, norm)
        self.source_residual = Residual(width, dropout, norm)
        self.feed_forward_residual = Residual(width, dropout, norm)

    def forward(self, states: Tensor, memory: Source, plans: Plans) -> Tensor:
        """``states`` [B * r, T, d] to the same shape; r adjacent rows read one row of ``memory``."""
        states = self.attention_residual(states, lambda x: self.attend(x, memory, plans))
        states = self.after_attention(states, memory)
        states = self.source_residual(states, lambda x: self.attend_to_source(x, memory, plans))
        states = self.after_source(states, memory)
        result: Tensor = self.feed_forward_residual(states, self.feed_forward)
        return result

    def attend(self, states: Tensor, memory: Source, plans: Plans) -> Tensor:
        """Self-attention of ``states``."""
        raise NotImplementedError

    def after_attention(self, states: Tensor, memory: Source) -> Tensor:
        """Hook: what is done between self-attention and attention to the source."""
        return states

    def attend_to_source(self, states: Tensor, memory: Source, plans: Plans) -> Tensor:
        """Attention of ``states`` to the source."""
        raise NotImplementedError

    def after_source(self, states: Tensor, memory: Source) -> Tensor:
        """Hook: what is done between attention to the source and the feed-forward block."""
        return states


class SentenceDecoderLayer(DecoderLayer[MultiHeadAttention, MultiHeadAttention, Memory, KeyValueCache | None]):
    """A layer over sentences in padded rows; ``plans`` are the cache of keys and values, None in training."""

    def __init__(self, settings: TransformerSettings) -> None:
        super().__init__(settings, multi_head_attention(settings), multi_head_attention(settings))

    def attend(self, states: Tensor, memory: Memory, plans: KeyValueCache | None) -> Tensor:
        """Hook: self-attention of ``states``."""
        # Target padding needs no mask: it follows every real position, so the causal one hides it already.
        return self.attention.to_itself(states, plans, causal=plans is None)

    def attend_to_source(self, states: Tensor, memory: Memory, plans: KeyValueCache | None) -> Tensor:
        """Hook: attention of ``states`` to the source."""
        return self.source_attention.to_memory(states, memory.states, memory.visible)


def multi_head_attention(settings: TransformerSettings) -> MultiHeadAttention:
    """The attention of a layer."""
    return MultiHeadAttention(settings.width, settings.heads, settings.attention_dropout)


def feed_forward(settings: TransformerSettings) -> FeedForward:
    """The feed-forward block of a layer."""
    return FeedForward(settings.width, settings.feed_forward_width, settings.activation, settings.activation_dropout)
