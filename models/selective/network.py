"""Selective attention with discourse structural positions (specification 02).

Selective attention: Maruf, Martins, Haffari 2019, "Selective attention for context-aware neural machine translation",
NAACL. The encoder's states of a sentence attend to those of the other sentences of the paragraph; a gate joins both.
What the trees say about where a word stands enters there (``ctx``) or in the embeddings (``embed``).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from discourse_nmt.discourse.structures.positions import without_tree
from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.lines import Lines, lines_of_history, lines_of_paragraphs, lines_of_rows
from discourse_nmt.models.context.paragraphs import History, Source
from discourse_nmt.models.core.layers import Dropout, Gate
from discourse_nmt.models.core.transformer import feed_forward
from discourse_nmt.models.selective.attention import Keys, SelectiveAttention
from discourse_nmt.models.selective.paragraph_positions import ParagraphPositions
from discourse_nmt.models.selective.passes import Passes
from discourse_nmt.models.selective.structural_positions import Fusion, StructuralPositions, structural_positions
from discourse_nmt.models.selective.words import ContextWords
from discourse_nmt.models.switches.selective import SelectiveSettings

ROOM = 2**22  # numbers in the vectors of a group of units, which are computed at a time


class SelectiveBlock(nn.Module):
    """Attention to the context, feed-forward block and gate, without residual connections (section 6)."""

    def __init__(self, settings: SelectiveSettings) -> None:
        super().__init__()
        width = settings.width
        hierarchical = settings.attention == "hier"
        self.attention = SelectiveAttention(width, settings.heads, hierarchical, settings.attention_dropout)
        self.feed_forward = feed_forward(settings)
        if settings.beginning == "copy":
            self.attention.begin_copying()
            self.feed_forward.begin_copying()
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.dropout = Dropout(settings.dropout)
        self.gate = Gate(width)
        nn.init.constant_(self.gate.bias, settings.gate_bias)

    def forward(self, states: Tensor, attended: Tensor, seen: Tensor) -> Tensor:
        """``states`` [L, Q, d] in view of what they ``attended`` to [L, Q, d]; unchanged where ``seen`` is nothing."""
        context = self.attention_norm(self.dropout(attended))
        context = self.feed_forward_norm(self.feed_forward(context))
        kind = self.gate.weight.dtype
        with torch.autocast(states.device.type, enabled=False):  # else states would be rounded to half precision
            states = states.to(kind)
            return torch.where(seen.any(dim=-1, keepdim=True), self.gate(states, context.to(kind)), states)


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
        if settings.beginning == "copy" and self.context_fusion is not None:
            self.context_fusion.begin_near(settings.attended)

    @property
    def earlier_targets(self) -> int | None:
        """All earlier target sentences, or none of them."""
        return None if self.settings.sides == "both" else 0

    def arrange(self, structures: Sequence[ParagraphPositions], source_ids: Tensor) -> StructuralPositions:
        """Tensors of the structural positions; ``structures`` are the units and tables of each paragraph."""
        return structural_positions(structures, source_ids, self.settings, max(1, ROOM // self.settings.width))

    def encode_source(self, source: Source) -> ContextMemory:
        """Encode every sentence of a batch of paragraphs, and let it see the others."""
        if self.settings.context == "none":
            return super().encode_source(source)
        if self.settings.dsp and source.structure is None:
            source = replace(source, structure=self._without_trees(source))
        if self.embedding_fusion is None:
            return super().encode_source(source)
        return self.in_context(ContextMemory(Passes(self, source).own_states(), source.padding), source)

    def in_context(self, memory: ContextMemory, source: Source) -> ContextMemory:
        """The memory of each sentence in view of the others that it may see."""
        lines = lines_of_paragraphs(source)
        numbers = torch.arange(lines.count, device=lines.sentences.device)
        asking = lines.sentences[..., None]
        seen = (numbers < asking if self.settings.context == "online" else numbers != asking) & lines.present[:, None]
        states = lines.take(memory.states)
        found = self.source_block(states, self._attended(states, source, lines, seen), seen)
        return replace(memory, states=lines.put(memory.states, found))

    def remember(self, history: History) -> History:
        """``history`` with keys and values of its sentences."""
        if self.target_block is not None:
            keys = self.target_block.attention.keys(history.states, lines_of_rows(history.padding))
            history.kept[self] = {"keys": keys}
        return history

    def decoder_context(self, top: Tensor, memory: ContextMemory) -> Tensor:
        """Decoder states [B * r, T, d] in view of the earlier target sentences."""
        if self.target_block is None:
            return top
        assert memory.history is not None
        keys, lines = self._seen_of(memory.history)
        states = top.reshape(len(lines.places), -1, top.shape[-1])
        seen = lines.present[:, None].expand(-1, states.shape[1], -1)
        found: Tensor = self.target_block(states, self.target_block.attention(states, keys, lines, seen), seen)
        return found.view(top.shape)

    def _attended(self, states: Tensor, source: Source, lines: Lines, seen: Tensor) -> Tensor:
        """What the ``states`` [P, Q, d] of the paragraphs' lines get of the context."""
        attention, context, structure = self.source_block.attention, self.as_context(states), source.structure
        if self.settings.repeated:
            words = Passes(self, source).of_unit(lines)
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

    def _seen_of(self, history: History) -> tuple[Keys, Lines]:
        """What each row sees of the ``history``; the same at all steps of decoding while the rows are the same."""
        kept = history.kept[self]
        if kept.get("rows") is not history.rows:
            lines = lines_of_history(history)
            kept.update(rows=history.rows, seen=(kept["keys"].take(lines, history.rows), lines))
        seen: tuple[Keys, Lines] = kept["seen"]
        return seen

    def _without_trees(self, source: Source) -> StructuralPositions:
        """The positions of paragraphs that are one unit each."""
        paragraphs: list[list[np.ndarray]] = [[] for _ in source.paragraphs.rows]
        for number, length in zip(source.paragraphs.numbers.tolist(), source.lengths):
            paragraphs[number].append(np.zeros(length - 2, np.int64))
        structures = [ParagraphPositions(units, without_tree(1)) for units in paragraphs]
        return self.arrange(structures, source.ids.cpu()).to(source.ids.device)
