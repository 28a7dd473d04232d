"""DocTransformer, CTX (Zhang, Luan, Sun, Zhai, Xu, Zhang and Liu 2018, EMNLP, pages 533–542).

A context encoder, L layers like those of the encoder, reads the k earlier source sentences as one text (section 3.2).
Every layer of the encoder and of the decoder attends to its states C between self-attention and the next sublayer
(sections 3.3 and 3.4), joined by a gate instead of a residual sum (section 3.5):

    y = MHA(x, C, C)
    λ = sigmoid(W_i x + W_s y)
    z = LayerNorm(λ x + (1 - λ) y)

The gate has no bias and the joined states are normalised as in the authors' code, which gives the 22.06 M parameters
that are published (84 d^2 + 85 d). With normalisation before the blocks, x in the attention is the normalised one and z
is not. Stage 1, its embeddings included, stays as it is in the authors' second step: ``training.initialised_rate: 0``.

The paper leaves open the case of a sentence without earlier ones; here it skips the context sublayers, as in the
sentence model. The earlier sentences keep their marks, which separate them.
"""

from dataclasses import dataclass, field, replace
from typing import Self

import torch
from torch import Tensor, nn

from discourse_nmt.base.vocabulary import PAD
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.paragraphs import ParagraphSource
from discourse_nmt.models.core.layers import Memory, SentenceDecoderLayer, SentenceEncoderLayer, multi_head_attention
from discourse_nmt.models.core.length_groups import length_groups
from discourse_nmt.models.sublayers.parts import PASSING, Gate
from discourse_nmt.models.switches.doc_transformer import DocTransformerSettings


@dataclass(frozen=True)
class EarlierText(Memory):
    """The context encoder's states of the sentences before each sentence."""

    absent: Tensor = field(default_factory=lambda: torch.empty(0))
    """[B] bool, true where there are none. The first position is then not marked as padding, but is not used."""

    def select(self, sentences: Tensor) -> Self:
        """The rows ``sentences``, in this order, cut to the longest of them."""
        selected = replace(super().select(sentences), absent=self.absent.index_select(0, sentences))
        if self.keys_values is not None:
            return selected
        longest = int((~selected.padding).sum(dim=1).max())
        return replace(selected, states=selected.states[:, :longest], padding=selected.padding[:, :longest])


def begin_silent(layer: SentenceEncoderLayer[None]) -> None:
    """Initialise the blocks of an encoder layer to return zero, so that it passes on its input."""
    layer.attention.begin_silent()
    layer.feed_forward.begin_silent()


class ContextSublayer(nn.Module):
    """Attention to the context, and the gate."""

    def __init__(self, settings: DocTransformerSettings) -> None:
        super().__init__()
        self.attention = multi_head_attention(settings)
        unchanged = settings.beginning == "unchanged"
        self.gate = Gate(settings.width, bias=unchanged or settings.gate_bias is not None)
        if settings.gate_bias is not None:
            nn.init.constant_(self.gate.bias, settings.gate_bias)
        if unchanged:
            self.gate.begin_constant(PASSING)
        if settings.beginning != "random":
            self.attention.begin_copying()
        self.norm = nn.LayerNorm(settings.width)
        self.before = settings.norm == "pre"

    def forward(self, states: Tensor, earlier: EarlierText) -> Tensor:
        """``states`` [B * r, T, d] to the same shape; r adjacent rows have one row of ``earlier``."""
        query = self.norm(states) if self.before else states
        joined = self.gate(states, self.attention.to_memory(query, earlier.states, earlier.visible))
        absent = earlier.absent.repeat_interleave(len(states) // len(earlier.absent))
        return torch.where(absent[:, None, None], states, joined if self.before else self.norm(joined))


class ContextEncoderLayer(SentenceEncoderLayer[EarlierText]):
    """An encoder layer with a context sublayer."""

    def __init__(self, settings: DocTransformerSettings) -> None:
        super().__init__(settings)
        self.context = ContextSublayer(settings)

    def after_attention(self, states: Tensor, context: EarlierText | None) -> Tensor:
        """See :class:`.EncoderLayer`, which this is without a context."""
        return states if context is None else self.context(states, context)


class ContextDecoderLayer(SentenceDecoderLayer):
    """A decoder layer with a context sublayer."""

    def __init__(self, settings: DocTransformerSettings) -> None:
        super().__init__(settings)
        self.context = ContextSublayer(settings)

    def after_attention(self, states: Tensor, memory: Memory) -> Tensor:
        """See :class:`.DecoderLayer`, which this is where the memory has no context."""
        earlier = memory.context("earlier", EarlierText)
        return states if earlier is None else self.context(states, earlier)


class DocTransformer(ContextTransformer):
    """The sentence model with a context encoder and context sublayers."""

    settings: DocTransformerSettings

    def __init__(self, settings: DocTransformerSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__(settings, source_size, target_size, shared)
        layers: list[SentenceEncoderLayer[None]] = [
            SentenceEncoderLayer(settings) for _ in range(settings.context_layers)
        ]
        self.context_layers = nn.ModuleList(layers)
        if settings.beginning != "random":
            for layer in layers:
                begin_silent(layer)
        self.context_norm = nn.LayerNorm(settings.width) if settings.norm == "pre" else nn.Identity()

    def encoder_layer(self, index: int) -> nn.Module:
        """See :class:`.Transformer`."""
        return ContextEncoderLayer(self.settings)

    def decoder_layer(self, index: int) -> nn.Module:
        """See :class:`.Transformer`."""
        return ContextDecoderLayer(self.settings)

    def encode_source(self, source: ParagraphSource) -> ContextMemory:
        """Encode every sentence in view of the source sentences before it."""
        if self.settings.context == "none":
            return super().encode_source(source)
        earlier = self.earlier_text(source)
        states = self.encode_sentences(source, earlier)
        return ContextMemory(states, self.hidden(source.ids), contexts={"earlier": earlier})

    def earlier_text(self, source: ParagraphSource) -> EarlierText:
        """The context encoder's states of the sentences before each sentence, in text order: [B, C, d]."""
        rows = source.paragraphs.earlier(self.settings.sentences).flip(1)  # (B, K)
        ids = source.ids[rows.clamp(min=0)].masked_fill((rows < 0)[:, :, None], PAD).flatten(1)
        ids = torch.nn.functional.pad(ids, (0, 1), value=PAD)  # a position for rows without earlier text
        ids = ids.gather(1, (ids == PAD).byte().argsort(dim=1, stable=True))  # padding last
        lengths = (ids != PAD).sum(dim=1)
        absent = lengths == 0
        groups = length_groups(lengths.clamp(min=1).tolist(), ids.device)
        padding = (ids == PAD)[:, : max(groups.lengths)]
        padding[:, 0] = False
        parts = []
        for members, length in groups:
            states = self.embed(ids[members, :length], self.source_embedding)
            for layer in self.context_layers:
                states = layer(states, ~padding[members, None, None, :length])
            parts.append(self.context_norm(states))
        return EarlierText(groups.join(parts, padding.shape[1]), padding, absent=absent)
