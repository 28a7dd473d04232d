"""HAN, the hierarchical attention network (Miculicich, Ram, Pappas and Henderson 2018, EMNLP, pages 2947–2954).

For the state h_t of a word and the states H^j of the j-th earlier sentence, j = 1 … k (equations 4 to 8)

    s^j = MHA(f_w(h_t), H^j, H^j)                             words of a sentence
    d_t = FFN(MHA(f_s(h_t), [s^1 … s^k], [s^1 … s^k]))        sentences
    λ   = sigmoid(W_h h_t + W_d d_t)
    h_t = λ h_t + (1 - λ) d_t

once for the states of the encoder, where the earlier sentences are source sentences, and once for those of the decoder,
where they are translations. As in the authors' code f_w and f_s are layer normalisations before the attentions' own
linear maps, s^j is normalised, and the feed-forward block has a residual connection. A hidden layer of width 1024 for
d = 512 gives the 7.36 M parameters that are published for two blocks. A sentence without an earlier one keeps
its states.

Deviations from that code: no normalisation of the result, which the equations do not have; ``<s>`` and ``</s>`` of
earlier sentences are attended to; queries keep their gradient.
"""

from dataclasses import replace

import torch
from torch import Tensor, nn

from discourse_nmt.models.attention.kv_cache import KeysValues
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.paragraphs import History, ParagraphSource
from discourse_nmt.models.context.projected_attention import ProjectedAttention
from discourse_nmt.models.sublayers.parts import PASSING, FeedForward, Gate, Residual
from discourse_nmt.models.switches.han import HanSettings


class EarlierSentencesBlock(nn.Module):
    """Attention to the words of each earlier sentence, then to these sentences, and the gate."""

    def __init__(self, settings: HanSettings) -> None:
        super().__init__()
        width = settings.width
        self.word_query_norm = nn.LayerNorm(width)
        self.word_attention = ProjectedAttention(width, settings.heads, settings.attention_dropout)
        self.word_norm = nn.LayerNorm(width)
        self.sentence_query_norm = nn.LayerNorm(width)
        self.sentence_attention = ProjectedAttention(width, settings.heads, settings.attention_dropout)
        hidden = settings.context_hidden
        self.feed_forward = FeedForward(width, hidden, settings.activation, settings.activation_dropout)
        self.residual = Residual(width, settings.dropout, "pre")
        self.gate = Gate(width)
        nn.init.constant_(self.gate.bias, settings.gate_bias)
        if settings.beginning != "random":
            self.word_attention.begin_copying()
            self.sentence_attention.begin_copying()
            self.feed_forward.begin_silent()
        if settings.beginning == "unchanged":
            self.gate.begin_constant(PASSING)

    def forward(self, states: Tensor, earlier: History) -> Tensor:
        """``states`` [B * r, T, d] in view of the K sentences of each row of ``earlier``."""
        flat = states.reshape(len(earlier.rows), -1, states.shape[-1])  # (B, Q, d) of Q = r * T
        words = self.words(self.word_attention.query(self.word_query_norm(flat)), earlier)  # (B, K, Q, d)
        context = self.sentences(self.sentence_attention.query(self.sentence_query_norm(flat)), words, earlier.absent)
        gated = self.gate(flat, self.residual(context, self.feed_forward))
        alone = earlier.absent.all(dim=1)[:, None, None]
        return torch.where(alone, flat, gated).view(states.shape)

    def words(self, query: Tensor, earlier: History) -> Tensor:
        """Attention of each query [B, Q, d] to the words of each sentence: [B, K, Q, d], undefined if there is none."""
        rows = earlier.rows.clamp(min=0).flatten()
        padding = earlier.padding.index_select(0, rows)
        longest = max(1, int((~padding).sum(dim=1).max()))
        keys, values = (states[:, :longest].index_select(0, rows) for states in self.projected(earlier))
        allowed = ~padding[:, :longest] | earlier.absent.flatten()[:, None]
        query = query[:, None].expand(-1, earlier.rows.shape[1], -1, -1).flatten(0, 1)
        attended = self.word_attention.read(query, keys, values, allowed[:, None, None])
        normed: Tensor = self.word_norm(attended.unflatten(0, earlier.rows.shape))
        return normed

    def projected(self, earlier: History) -> KeysValues:
        """Keys and values [R, T, d] of all sentences of ``earlier``, computed once."""
        if self not in earlier.computed:
            earlier.computed[self] = self.word_attention.keys_values(earlier.states, earlier.states)
        keys_values: KeysValues = earlier.computed[self]
        return keys_values

    def sentences(self, query: Tensor, words: Tensor, absent: Tensor) -> Tensor:
        """Attention of each query [B, Q, d] to its K results ``words`` [B, K, Q, d]: [B, Q, d]."""
        keys, values = (
            states.transpose(1, 2).flatten(0, 1) for states in self.sentence_attention.keys_values(words, words)
        )
        allowed = ~absent | absent.all(dim=1, keepdim=True)  # (B, K)
        allowed = allowed.repeat_interleave(query.shape[1], dim=0)[:, None, None]
        attended = self.sentence_attention.read(query.reshape(-1, 1, query.shape[-1]), keys, values, allowed)
        return attended.view(query.shape)


class Han(ContextTransformer):
    """The sentence model with a block on top of the encoder, of the decoder, or both."""

    settings: HanSettings

    def __init__(self, settings: HanSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__(settings, source_size, target_size, shared)
        self.encoder_block = None if settings.place == "decoder" else EarlierSentencesBlock(settings)
        self.decoder_block = None if settings.place == "encoder" else EarlierSentencesBlock(settings)

    @property
    def earlier_targets(self) -> int:
        """See :class:`ContextTransformer`."""
        return 0 if self.decoder_block is None else self.settings.sentences

    def in_context(self, memory: ContextMemory, source: ParagraphSource) -> ContextMemory:
        """The memory whose states are in view of earlier source sentences."""
        if self.encoder_block is None:
            return memory
        rows = source.paragraphs.earlier(self.settings.sentences)
        earlier = History(self.as_context(memory.states), source.ids, rows)
        groups = [
            self.encoder_block(memory.states[rows, :length], earlier.select(rows)) for rows, length in source.groups
        ]
        return replace(memory, states=source.groups.join(groups, source.ids.shape[1]))

    def decoder_context(self, top: Tensor, memory: ContextMemory) -> Tensor:
        """States in view of earlier target sentences."""
        if self.decoder_block is None or memory.history is None:
            return top
        in_view: Tensor = self.decoder_block(top, memory.history)
        return in_view
