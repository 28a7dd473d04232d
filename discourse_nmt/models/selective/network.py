"""Selective attention with discourse structural positions (spec 02).

Selective attention: Maruf, Martins, Haffari 2019, "Selective attention for context-aware neural machine translation",
NAACL. The encoder's states of a sentence attend to those of the other sentences of the paragraph; a gate joins both.
The position of a word in the trees is added there (``ctx``) or in the embeddings (``embed``).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from discourse_nmt.discourse.structures.positions import without_tree
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.lines import Lines, lines_of_history, lines_of_paragraphs, lines_of_rows
from discourse_nmt.models.context.paragraphs import History, ParagraphSource
from discourse_nmt.models.core.layers import feed_forward
from discourse_nmt.models.selective.attention import Keys, SelectiveAttention
from discourse_nmt.models.selective.paragraph_positions import ParagraphPositions
from discourse_nmt.models.selective.passes import Passes
from discourse_nmt.models.selective.structural_positions import Fusion, StructuralPositions, structural_positions
from discourse_nmt.models.selective.words import ContextWords
from discourse_nmt.models.sublayers.dropout import Dropout
from discourse_nmt.models.sublayers.parts import PASSING, Gate
from discourse_nmt.models.switches.selective import SelectiveSettings

ROOM = 2**22  # components of the vectors of a group of units, which is computed in one go


class SelectiveBlock(nn.Module):
    """Attention to the context, feed-forward block and gate, without residual connections (section 6)."""

    def __init__(self, settings: SelectiveSettings) -> None:
        super().__init__()
        width = settings.width
        hierarchical = settings.attention == "hier"
        self.attention = SelectiveAttention(width, settings.heads, hierarchical, settings.attention_dropout)
        self.feed_forward = feed_forward(settings)
        if settings.beginning != "random":
            self.attention.begin_copying()
            self.feed_forward.begin_copying()
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.dropout = Dropout(settings.dropout)
        self.gate = Gate(width)
        nn.init.constant_(self.gate.bias, settings.gate_bias)
        if settings.beginning == "unchanged":
            self.gate.begin_constant(PASSING)

    def forward(self, states: Tensor, attended: Tensor, seen: Tensor) -> Tensor:
        """``states`` [L, Q, d] joined with ``attended`` [L, Q, d]; unchanged where ``seen`` [L, Q, N] is all false."""
        context = self.attention_norm(self.dropout(attended))
        context = self.feed_forward_norm(self.feed_forward(context))
        dtype = self.gate.weight.dtype
        with torch.autocast(states.device.type, enabled=False):  # else states would be rounded to half precision
            states = states.to(dtype)
            return torch.where(seen.any(dim=-1, keepdim=True), self.gate(states, context.to(dtype)), states)


class Selective(ContextTransformer):
    """The sentence model with a block of selective attention on top of the encoder, or of encoder and decoder."""

    settings: SelectiveSettings

    def __init__(self, settings: SelectiveSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__(settings, source_size, target_size, shared)
        nonlinear = settings.dsp_fusion == "nonlinear"
        self.source_block = SelectiveBlock(settings)
        self.target_block = SelectiveBlock(settings) if settings.sides == "both" else None
        embedded, attended = (len(kinds) + 1 if kinds else 0 for kinds in (settings.embedded, settings.attended))
        self.embedding_fusion = Fusion(settings.width, embedded, nonlinear) if embedded else None
        self.context_fusion = Fusion(settings.width, attended, nonlinear) if attended else None
        if settings.beginning != "random" and self.context_fusion is not None:
            self.context_fusion.begin_near(settings.attended)

    @property
    def earlier_targets(self) -> int | None:
        """All earlier target sentences, or none of them."""
        return None if self.settings.sides == "both" else 0

    def arrange(self, structures: Sequence[ParagraphPositions], source_ids: Tensor) -> StructuralPositions:
        """Tensors of the structural positions; ``structures`` are the units and tables of each paragraph."""
        return structural_positions(structures, source_ids, self.settings, max(1, ROOM // self.settings.width))

    def encode_source(self, source: ParagraphSource) -> ContextMemory:
        """Encode every sentence of a batch of paragraphs, in view of the others."""
        if self.settings.context == "none":
            return super().encode_source(source)
        if self.settings.dsp and source.structure is None:
            source = replace(source, structure=self._without_trees(source))
        if self.embedding_fusion is None:
            return super().encode_source(source)
        return self.in_context(ContextMemory(self._passes(source).own_states(), self.hidden(source.ids)), source)

    def in_context(self, memory: ContextMemory, source: ParagraphSource) -> ContextMemory:
        """The memory of each sentence in view of the others that it may attend to."""
        lines = lines_of_paragraphs(source)
        keys = torch.arange(lines.segment_count, device=lines.segments.device)
        queries = lines.segments[..., None]
        seen = (keys < queries if self.settings.context == "online" else keys != queries) & lines.present[:, None]
        states = lines.take(memory.states)
        in_view = self.source_block(states, self._attended(states, source, lines, seen), seen)
        return replace(memory, states=lines.put(memory.states, in_view))

    def remember(self, history: History) -> History:
        """``history`` with keys and values of its sentences."""
        if self.target_block is not None:
            keys = self.target_block.attention.keys(history.states, lines_of_rows(history.padding))
            history.computed[self] = {"keys": keys}
        return history

    def decoder_context(self, top: Tensor, memory: ContextMemory) -> Tensor:
        """Decoder states [B * r, T, d] in view of the earlier target sentences."""
        if self.target_block is None:
            return top
        assert memory.history is not None
        keys, lines = self._seen_of(memory.history)
        states = top.reshape(len(lines.table_index), -1, top.shape[-1])
        seen = lines.present[:, None].expand(-1, states.shape[1], -1)
        in_view: Tensor = self.target_block(states, self.target_block.attention(states, keys, lines, seen), seen)
        return in_view.view(top.shape)

    def _attended(self, states: Tensor, source: ParagraphSource, lines: Lines, seen: Tensor) -> Tensor:
        """Attention of the ``states`` [P, Q, d] of the paragraphs' lines to the context: [P, Q, d]."""
        attention, context, structure = self.source_block.attention, self.as_context(states), source.structure
        if self.settings.repeated:
            words = self._passes(source).of_unit(lines)
            attended: Tensor = attention.by_unit(states, words, lines, seen, structure.groups, structure.count)
        elif self.context_fusion is None:
            attended = attention(states, attention.keys(context, lines), lines, seen)
        else:
            positions = ContextWords(self.context_fusion, structure, self.settings.attended, lines, source.ids.shape[1])
            queries = states + positions.of_queries()
            if self.settings.dsp_fusion == "add":
                keys = attention.keys(context, lines)
                attended = attention(queries, keys, lines, seen, positions.pair_vectors(queries.dtype))
            else:
                words = positions.added_to(context)
                attended = attention.by_unit(queries, words, lines, seen, structure.groups, structure.count)
        return attended

    def _passes(self, source: ParagraphSource) -> Passes:
        assert self.embedding_fusion is not None
        return Passes(self, self.settings, self.embedding_fusion, source)

    def _seen_of(self, history: History) -> tuple[Keys, Lines]:
        """The keys and lines of each row of the ``history``; computed once while the rows of decoding are the same."""
        computed = history.computed[self]
        if computed.get("rows") is not history.rows:
            lines = lines_of_history(history)
            computed.update(rows=history.rows, seen=(computed["keys"].take(lines, history.rows), lines))
        seen: tuple[Keys, Lines] = computed["seen"]
        return seen

    def _without_trees(self, source: ParagraphSource) -> StructuralPositions:
        """The positions of paragraphs that are one unit each."""
        units_of_paragraph: list[list[np.ndarray]] = [[] for _ in source.paragraphs.rows]
        for paragraph, length in zip(source.paragraphs.paragraph_of_row.tolist(), source.lengths):
            units_of_paragraph[paragraph].append(np.zeros(length - 2, np.int64))
        structures = [ParagraphPositions(units, without_tree(1)) for units in units_of_paragraph]
        return self.arrange(structures, source.ids.cpu()).to(source.ids.device)
