"""The continuous cache (Tu, Liu, Shi and Zhang 2018, Transactions of the ACL 6, pages 407–420).

The cache holds the most recent target words of earlier sentences: of each the attention context vector c_i of the top
layer as its key and the top decoder state s_i as its value, both of the step that wrote the word. At step t

    η_i = softmax over i of c_t · c_i                      key matching
    m_t = Σ η_i s_i                                        value reading
    λ_t = sigmoid(U s_t + V c_t + W m_t)                   gate
    s_t = (1 - λ_t) s_t + λ_t m_t                          what predicts the word

After a sentence its words enter in order. A word that is in the cache is averaged with its entry, key and value alike,
so that earlier uses weigh 1/2, 1/4 …. A new word replaces the entry used longest ago if the cache is full. A sentence
keeps its states if the cache is empty. Words are subwords here; sentence marks are not words.

The published 1.84 M parameters are 7 d^2, more than the gate's 3 d^2: the cache is read by multi-head attention (4
d^2), queries and keys of c, values of s. ``projections: false`` is the paper's plain dot product.

The weights of the states in an entry follow from the ids alone, so that all sentences of a batch are trained at once.
"""

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from discourse_nmt.models.attention.kv_cache import KeyValueCache
from discourse_nmt.models.attention.multi_head import attend
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.paragraphs import History
from discourse_nmt.models.context.projected_attention import ProjectedAttention
from discourse_nmt.models.context.remembered_words import FREE, remembered_words
from discourse_nmt.models.core.layers import Memory, SentenceDecoderLayer
from discourse_nmt.models.sublayers.parts import PASSING, Gate, mixed
from discourse_nmt.models.switches.continuous_cache import ContinuousCacheSettings


@dataclass(frozen=True)
class WatchedMemory(Memory):
    """A memory that is told the attention context vectors [B * r, T, d] that a layer read from it."""

    vectors: list[Tensor] = field(default_factory=list)


class CachingLayer(SentenceDecoderLayer):
    """The top layer of the decoder, which also returns the output of its attention to the source."""

    def forward(self, states: Tensor, memory: Memory, plans: KeyValueCache | None) -> Tensor:
        """``states`` [B * r, T, d] to the layer's states and the attention context vectors: [B * r, T, 2d]."""
        watched = WatchedMemory(memory.states, memory.padding, memory.keys_values)
        return torch.cat((super().forward(states, watched, plans), *watched.vectors), dim=-1)

    def attend_to_source(self, states: Tensor, memory: Memory, plans: KeyValueCache | None) -> Tensor:
        """See :class:`.DecoderLayer`."""
        assert isinstance(memory, WatchedMemory)
        memory.vectors.append(super().attend_to_source(states, memory, plans))
        return memory.vectors[0]


class StateNorm(nn.LayerNorm):
    """Layer normalisation of the first d components; the others are unchanged."""

    def forward(self, states: Tensor) -> Tensor:
        """``states`` [..., 2d] to the same shape."""
        first, rest = states.chunk(2, dim=-1)
        return torch.cat((super().forward(first), rest), dim=-1)


@dataclass(frozen=True)
class CacheEntries:
    """The cache after each of R sentences: ``keys`` and ``values`` [R, C, d], ``empty`` [R, C] bool."""

    keys: Tensor
    values: Tensor
    empty: Tensor


class ContinuousCache(ContextTransformer):
    """The sentence model with a cache of its own target words."""

    settings: ContinuousCacheSettings

    def __init__(self, settings: ContinuousCacheSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__(settings, source_size, target_size, shared)
        width = settings.width
        attention = ProjectedAttention(width, settings.heads, settings.attention_dropout)
        if settings.beginning != "random":
            attention.begin_copying()
        self.reading = attention if settings.projections else None
        self.gate = Gate(width, count=3)
        nn.init.constant_(self.gate.bias, settings.gate_bias)
        if settings.beginning == "unchanged":
            self.gate.begin_constant(-PASSING)
        if settings.norm == "pre" and settings.context != "none":
            self.decoder_norm = StateNorm(width)

    @property
    def earlier_targets(self) -> int | None:
        """All of the paragraph: a word stays in the cache as long as it is used."""
        return None

    def decoder_layer(self, index: int) -> nn.Module:
        """See :class:`.Transformer`."""
        top = index == self.settings.decoder_layers - 1 and self.settings.context != "none"
        return CachingLayer(self.settings) if top else super().decoder_layer(index)

    def remember(self, history: History) -> History:
        """The history with the cache after each of its sentences."""
        previous_use, uses_of_depth, entries = remembered_words(
            history.ids.tolist(), history.rows.tolist(), self.settings.size
        )
        means = history.states.flatten(0, 1).clone()
        for uses in uses_of_depth:  # the second uses of words, then the third ones, and so on
            now = torch.tensor(uses, device=means.device)
            before = torch.tensor([previous_use[use] for use in uses], device=means.device)
            means[now] = (means[before] + means[now]) / 2
        use_of_slot = torch.tensor(entries, device=means.device)  # (R, C)
        values, keys = means[use_of_slot.clamp(min=0)].chunk(2, dim=-1)
        if self.reading is not None:
            keys, values = self.reading.keys_values(keys, values)
        history.computed[self] = CacheEntries(keys, values, use_of_slot == FREE)
        return history

    def decoder_context(self, top: Tensor, memory: ContextMemory) -> Tensor:
        """States in view of the cache, of states and attention context vectors [B * r, T, 2d]."""
        assert memory.history is not None
        states, vectors = (half.reshape(len(memory.states), -1, half.shape[-1]) for half in top.chunk(2, dim=-1))
        shape = (*top.shape[:2], states.shape[-1])
        entries: CacheEntries = memory.history.computed[self]
        nearest = memory.history.rows[:, 0]
        rows = nearest.clamp(min=0)
        empty = entries.empty[rows] | (nearest < 0)[:, None]
        all_empty = empty.all(dim=1)[:, None]
        context = self.read(vectors, entries.keys[rows], entries.values[rows], (~empty | all_empty)[:, None, None])
        joined = mixed(self.gate.share(states, vectors, context), context, states)
        return torch.where(all_empty[:, None], states, joined).view(shape)

    def read(self, query: Tensor, keys: Tensor, values: Tensor, allowed: Tensor) -> Tensor:
        """Attention of ``query`` [B, Q, d] to the entries, ``keys`` and ``values`` [B, C, d]: [B, Q, d]."""
        if self.reading is not None:
            return self.reading.read(self.reading.query(query), keys, values, allowed)
        # attend divides by the square root of d, which the paper does not.
        scaled = (query * query.shape[-1] ** 0.5)[:, None]
        return attend(scaled, keys[:, None], values[:, None], allowed, causal=False, dropout=0.0)[:, 0]
