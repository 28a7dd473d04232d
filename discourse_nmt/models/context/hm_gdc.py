"""HM-GDC, hierarchical modelling of global document context (Tan, Zhang, Xiong and Zhou 2019, EMNLP-IJCNLP, 1576–1585).

For the encoder's states H_i = [h_i1 … ] of sentence i (section 2.1)

    h_i   = sum over words of MHA_self(H_i, H_i, H_i)      a vector of the sentence
    H_S   = DocEnc([h_1 … h_N])                            in view of the document
    d_ij  = MHA_ctx(h_ij, H_S, H_S)                        distributed back to each word
    h'_ij = h_ij + dropout(d_ij)                           what the decoder reads of the source

and in every layer of the decoder, for the output T of self-attention (section 2.2),

    H = MHA(T, h'_i, h'_i) + MHA_doc(T, H_S, H_S).

The parameters of the document encoder are those of the sentence encoder (section 2.2, after Voita et al. 2018), all its
layers applied to vectors of sentences, and MHA_self is that of its top layer. New parameters are MHA_ctx and MHA_doc of
each layer: 28 d^2 + 28 d, 7.35 M for d = 512 and 6 layers. The paper says 7.30 M, which no reading gives.

Choices that the paper leaves open: its equation of d_ij names the vector of the word's own sentence alone, to which a
softmax would always give the weight 1; here a word attends to the vectors of its own sentence and of all sentences that
this one may attend to. The sum of both attentions of the decoder is in one residual connection. There are no positions
of sentences.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from discourse_nmt.models.attention.kv_cache import KeyValueCache, MemoryKeyValues
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.paragraphs import NO_SENTENCE, ParagraphSource
from discourse_nmt.models.core.layers import (
    Memory,
    SentenceDecoderLayer,
    SentenceEncoderLayer,
    multi_head_attention,
)
from discourse_nmt.models.sublayers.dropout import Dropout
from discourse_nmt.models.switches.hm_gdc import HmGdcSettings


@dataclass(frozen=True)
class DocumentVectors:
    """The vectors of the sentences that each sentence may attend to, itself included."""

    vectors: Tensor
    """[1, B, d] of all sentences of the batch."""
    keys_values: MemoryKeyValues
    """Which of them each row may attend to, and their keys and values."""

    def select(self, sentences: Tensor) -> "DocumentVectors":
        """The rows ``sentences``, in this order."""
        whole = self.keys_values
        assert whole.memory_index is not None
        return replace(
            self, keys_values=MemoryKeyValues(whole.visible[sentences], whole.memory_index[sentences], whole.projected)
        )


class DocumentDecoderLayer(SentenceDecoderLayer):
    """A decoder layer that attends to the document beside the sentence."""

    recomputable = False

    def __init__(self, settings: HmGdcSettings) -> None:
        super().__init__(settings)
        self.document_attention = multi_head_attention(settings)
        if settings.beginning == "unchanged":
            self.document_attention.begin_silent()

    def attend_to_source(self, states: Tensor, memory: Memory, plans: KeyValueCache | None) -> Tensor:
        """See :class:`.DecoderLayer`, which this is where the memory has no context."""
        sentence = super().attend_to_source(states, memory, plans)
        document = memory.context("document", DocumentVectors)
        if document is None:
            return sentence
        return sentence + self.document_attention.to_memory(states, document.vectors, document.keys_values)


class HmGdc(ContextTransformer):
    """The sentence model with a document encoder."""

    settings: HmGdcSettings

    def __init__(self, settings: HmGdcSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__(settings, source_size, target_size, shared)
        self.distribution = multi_head_attention(settings)
        if settings.beginning == "unchanged":
            self.distribution.begin_silent()
        self.distribution_dropout = Dropout(settings.dropout)

    def decoder_layer(self, index: int) -> nn.Module:
        """See :class:`.Transformer`."""
        return DocumentDecoderLayer(self.settings)

    def in_context(self, memory: ContextMemory, source: ParagraphSource) -> ContextMemory:
        """The memory whose words are in view of the document, and the document for the decoder."""
        document = self.document(self.summaries(self.as_context(memory.states), source), source)
        groups = []
        for rows, length in source.groups:
            words, keys_values = memory.states[rows, :length], document.select(rows).keys_values
            context = self.distribution.to_memory(words, document.vectors, keys_values)
            groups.append(words + self.distribution_dropout(context))
        states = source.groups.join(groups, source.ids.shape[1])
        return replace(memory, states=states, contexts={"document": document})

    def summaries(self, states: Tensor, source: ParagraphSource) -> Tensor:
        """A vector of each sentence of ``states`` [B, S, d]: [B, 1, d]."""
        layer = self.encoder_layers[-1]
        assert isinstance(layer, SentenceEncoderLayer)
        groups = []
        for rows, length in source.groups:
            real = ~self.hidden(source.ids[rows, :length])
            words = layer.attention.to_itself(states[rows, :length], real[:, None, None])
            groups.append((words * real[:, :, None]).sum(dim=1, keepdim=True))
        return source.groups.join(groups, 1)

    def document(self, summaries: Tensor, source: ParagraphSource) -> DocumentVectors:
        """The document encoder's vectors."""
        rows = source.paragraphs.rows  # (P, N)
        allowed = (rows != NO_SENTENCE)[:, None, None]
        if self.settings.context == "online":
            allowed = allowed & torch.ones(rows.shape[1], rows.shape[1], dtype=torch.bool, device=rows.device).tril()
        states = self.through_encoder(summaries[rows.clamp(min=0), 0], allowed)
        paragraph, sentence = source.paragraphs.paragraph_of_row, source.paragraphs.sentence_of_row
        vectors = states[paragraph, sentence]
        visible = allowed.expand(-1, -1, rows.shape[1], -1)[paragraph, :, sentence]  # (B, 1, N)
        return DocumentVectors(vectors[None], MemoryKeyValues(visible[:, None], rows.clamp(min=0)[paragraph]))
