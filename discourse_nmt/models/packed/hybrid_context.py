"""Hybrid Context, also MCN (Zheng et al. 2020, "Towards Making the Most of Context in NMT", IJCAI, arXiv 2002.07982).

Encoder: every sentence is encoded by itself, H = layers(x), with positions that begin anew in each. One more layer,
whose attention knows how many sentences away a word is, lets each word see all sentences of the instance, and a gate
joins both:

    G = feed-forward(attention(H, H, H; distances between sentences))
    memory = g * H + (1 - g) * G    with g = sigmoid([H; G] W + b)

Decoder: a target sentence sees its own prefix and the states of all earlier target sentences in each layer, at
distances counted in tokens as in Transformer-XL (Dai et al. 2019), and of the source its own sentence.

Deviations from the public code: gradients flow into the states of earlier target sentences, as an instance is trained
in one pass; relative positions of tokens are encoded in d_k components of each head instead of d; sentences have no
absolute numbers.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from discourse_nmt.models.packed.host import (
    DecoderPlans,
    FlatDecoderLayer,
    PackedEncoderLayer,
    PackedTransformer,
)
from discourse_nmt.models.packed.packing import PackedText, Plans
from discourse_nmt.models.packed.related_attention import SourcePlans, TargetPlans
from discourse_nmt.models.packed.relative_attention import (
    SentenceDistanceAttention,
    TokenDistanceAttention,
    token_places,
)
from discourse_nmt.models.sublayers.parts import Gate
from discourse_nmt.models.switches.packed import HybridContextSettings


class PlacedPlans(NamedTuple):
    """:class:`.DecoderPlans` with the ``positions`` [1, T] of the tokens that are decoded."""

    target: TargetPlans
    across: SourcePlans
    positions: Tensor


class MemoryDecoderLayer(FlatDecoderLayer[TokenDistanceAttention, PlacedPlans]):
    """A decoder layer whose self-attention knows the distances between tokens."""

    def attend(self, states: Tensor, memory: Tensor, plans: PlacedPlans) -> Tensor:
        """See :class:`.DecoderLayer`."""
        return self.attention.among(states, plans.target, plans.positions)


class HybridContext(PackedTransformer):
    """The network; ``global_layer`` comes on top of the encoder's layers."""

    settings: HybridContextSettings

    def __init__(self, settings: HybridContextSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__(settings, source_size, target_size, shared)
        attention = SentenceDistanceAttention(
            settings.width, settings.heads, settings.attention_dropout, settings.farthest_sentence
        )
        self.global_layer = PackedEncoderLayer(settings, attention)
        self.global_gate = Gate(settings.width)

    def decoder_layer(self, index: int) -> nn.Module:
        """A layer that sees all earlier sentences of the target, and of the source its own sentence."""
        settings = self.settings
        attention = TokenDistanceAttention(settings.width, settings.heads, settings.attention_dropout, "instance")
        return MemoryDecoderLayer(settings, attention, self.source_attention(index))

    def encode_packed(self, text: PackedText, plans: Plans) -> Tensor:
        """Encoder states [1, S, d]."""
        placed = PackedText(text.ids, token_places(plans.source).positions[None])
        states = self.embed_packed(placed, self.source_embedding)
        for layer in self.encoder_layers:
            states = layer(states, plans)
        normed: Tensor = self.encoder_norm(self.global_gate(states, self.global_layer(states, plans)))
        return normed

    def decode_packed(self, text: PackedText, memory: Tensor, plans: DecoderPlans) -> Tensor:
        """Decoder states [1, T, d]; all tokens are embedded at position 0, as attention knows their distances."""
        unplaced = PackedText(text.ids, torch.zeros_like(text.positions))
        states = self.embed_packed(unplaced, self.target_embedding)
        return self.through_decoder(states, memory, PlacedPlans(plans.target, plans.across, text.positions))
