"""Layers that attend to the nodes of word graphs, joined by gates (spec 03, section 6)."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import torch
from torch import Tensor, nn

from discourse_nmt.models.attention.kv_cache import KeyValueCache, MemoryKeyValues, Projecting
from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.core.layers import (
    Memory,
    SentenceDecoderLayer,
    SentenceEncoderLayer,
    multi_head_attention,
)
from discourse_nmt.models.sublayers.parts import PASSING, linear, mixed
from discourse_nmt.models.switches.document_graph import DocumentGraphSettings


@dataclass(frozen=True)
class SeenNodes:
    """The states of a graph's nodes, and the nodes that each of B sentences attends to."""

    states: Tensor
    """[1, A, d]; each attention projects a node once."""
    nodes: Tensor
    """[B, K] indices of nodes, padded."""
    padding: Tensor
    """[B, K] bool, true at padding."""
    gaps: bool
    """Whether there may be sentences without a node."""
    related: Tensor | None = None
    """[B, T, K] bool, the nodes that each position of a sentence attends to; None if all attend to the same."""
    projected: dict[Projecting, Tensor] = field(default_factory=dict)

    @cached_property
    def absent(self) -> Tensor:
        """[B] bool, true where a sentence has no node."""
        return self.padding.all(dim=1)

    @cached_property
    def keys_values(self) -> MemoryKeyValues:
        """Keys and values of the nodes; a sentence without a node attends to any, and the result is not used."""
        visible = ~self.padding[:, None] if self.related is None else self.related
        if self.gaps:
            visible = visible | self.absent[:, None, None]
        return MemoryKeyValues(visible[:, None], self.nodes, self.projected)

    def select(self, sentences: Tensor) -> "SeenNodes":
        """The nodes of the rows ``sentences``, in this order."""
        padding = self.padding[sentences]
        longest = max(1, int((~padding).sum(dim=1).max())) if len(sentences) else 1
        return replace(
            self,
            nodes=self.nodes[sentences, :longest],
            padding=padding[:, :longest],
            related=None if self.related is None else self.related[sentences, :, :longest],
        )

    def of_words(self, length: int) -> "SeenNodes":
        """The nodes of the first ``length`` positions of the sentences."""
        return self if self.related is None else replace(self, related=self.related[:, :length])

    def of_sentences(self) -> "SeenNodes":
        """The nodes of the sentences, the same for all positions."""
        return replace(self, related=None)


class GraphGate(nn.Module):
    """``g x + (1 - g) y`` with ``g = sigmoid(x W_a + y W_c)``, each map with a bias (spec 03, equations 6 and 7).

    :class:`.Gate` has the same formula, with one matrix and one bias for both states.
    """

    def __init__(self, settings: DocumentGraphSettings) -> None:
        super().__init__()
        self.plain = linear(settings.width, settings.width)
        self.context = linear(settings.width, settings.width)
        nn.init.constant_(self.plain.bias, settings.gate_bias)
        if settings.beginning == "unchanged":
            nn.init.zeros_(self.plain.weight)
            nn.init.zeros_(self.context.weight)
            nn.init.constant_(self.plain.bias, PASSING)

    def forward(self, plain: Tensor, context: Tensor) -> Tensor:
        """``plain`` and ``context`` [..., d] to [..., d]."""
        return mixed(torch.sigmoid(self.plain(plain) + self.context(context)), plain, context)


def graph_attention(settings: DocumentGraphSettings) -> MultiHeadAttention:
    """An attention to nodes."""
    attention = multi_head_attention(settings)
    if settings.beginning != "random":
        attention.begin_copying()
    return attention


def joined(plain: Tensor, query: Tensor, seen: SeenNodes, attention: MultiHeadAttention, gate: GraphGate) -> Tensor:
    """``plain`` [B * r, T, d], mixed with the attention of ``query`` to the nodes; unchanged without a node."""
    mixed_states: Tensor = gate(plain, attention.to_memory(query, seen.states, seen.keys_values))
    if not seen.gaps:
        return mixed_states
    absent = seen.absent.repeat_interleave(len(plain) // len(seen.absent))
    return torch.where(absent[:, None, None], plain, mixed_states)


class GraphEncoderLayer(SentenceEncoderLayer[SeenNodes]):
    """An encoder layer that attends to the source graph, after self-attention or beside it.

    After it is spec 03, equations 4, 5 and 8.
    """

    recomputable = False

    def __init__(self, settings: DocumentGraphSettings) -> None:
        super().__init__(settings)
        self.beside = settings.architecture == "parallel"
        self.graph_attention = graph_attention(settings)
        self.graph_gate = GraphGate(settings)

    def attend(self, states: Tensor, allowed: Tensor, context: SeenNodes | None) -> Tensor:
        """See :class:`.EncoderLayer`, which this is without a context."""
        plain = super().attend(states, allowed, context)
        return plain if context is None or not self.beside else self.graph(plain, states, context)

    def after_attention(self, states: Tensor, context: SeenNodes | None) -> Tensor:
        """See :class:`.EncoderLayer`."""
        return states if context is None or self.beside else self.graph(states, states, context)

    def graph(self, plain: Tensor, query: Tensor, seen: SeenNodes) -> Tensor:
        """``plain``, mixed with the attention of ``query`` to the source graph."""
        return joined(plain, query, seen, self.graph_attention, self.graph_gate)


class GraphDecoderLayer(SentenceDecoderLayer):
    """A decoder layer that attends to the source graph and to that of a draft.

    The draft's graph goes with self-attention, the source's with attention to the source, each after it or beside it;
    both beside are spec 03, equations 9 and 10.
    """

    recomputable = False

    def __init__(self, settings: DocumentGraphSettings) -> None:
        super().__init__(settings)
        self.beside = settings.architecture != "serial"
        self.draft_beside = settings.target_graph == "parallel"
        self.graph_attention = graph_attention(settings)
        self.graph_gate = GraphGate(settings)
        self.draft_attention: MultiHeadAttention | None = None
        self.draft_gate: GraphGate | None = None
        if settings.target_graph != "none" and not settings.share_decoder_attention:
            self.draft_attention = graph_attention(settings)
        if settings.target_graph != "none" and not settings.share_decoder_gate:
            self.draft_gate = GraphGate(settings)

    def attend(self, states: Tensor, memory: Memory, plans: KeyValueCache | None) -> Tensor:
        """See :class:`.DecoderLayer`, which this is where the memory has no graphs."""
        plain, draft = super().attend(states, memory, plans), memory.context("target", SeenNodes)
        return plain if draft is None or not self.draft_beside else self.to_draft(plain, states, draft)

    def after_attention(self, states: Tensor, memory: Memory) -> Tensor:
        """See :class:`.DecoderLayer`."""
        draft = memory.context("target", SeenNodes)
        return states if draft is None or self.draft_beside else self.to_draft(states, states, draft)

    def attend_to_source(self, states: Tensor, memory: Memory, plans: KeyValueCache | None) -> Tensor:
        """See :class:`.DecoderLayer`."""
        plain, source = super().attend_to_source(states, memory, plans), memory.context("source", SeenNodes)
        return plain if source is None or not self.beside else self.graph(plain, states, source)

    def after_source(self, states: Tensor, memory: Memory) -> Tensor:
        """See :class:`.DecoderLayer`."""
        source = memory.context("source", SeenNodes)
        return states if source is None or self.beside else self.graph(states, states, source)

    def graph(self, plain: Tensor, query: Tensor, seen: SeenNodes) -> Tensor:
        """``plain``, mixed with the attention of ``query`` to the source graph."""
        return joined(plain, query, seen, self.graph_attention, self.graph_gate)

    def to_draft(self, plain: Tensor, query: Tensor, seen: SeenNodes) -> Tensor:
        """``plain``, mixed with the attention of ``query`` to the draft's graph."""
        attention, gate = self.draft_attention or self.graph_attention, self.draft_gate or self.graph_gate
        return joined(plain, query, seen, attention, gate)
