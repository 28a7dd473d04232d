"""Structural positions in the embeddings (``embed``, spec 02, section 5).

Relative positions depend on the current unit, so that a paragraph is encoded once for each of its units.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from discourse_nmt.models.context.lines import Lines
from discourse_nmt.models.context.paragraphs import NO_SENTENCE, ParagraphSource
from discourse_nmt.models.core.embeddings import InputEmbedding
from discourse_nmt.models.core.length_groups import length_groups
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.selective.structural_positions import Fusion, StructuralPositions, UnitGroup
from discourse_nmt.models.switches.selective import SelectiveSettings


class EncodedEmbedding(NamedTuple):
    """An embedding whose encodings of positions [B, S, d] are replaced by others."""

    embedding: InputEmbedding
    encodings: Tensor

    def states(self, ids: Tensor, positions: Tensor) -> Tensor:
        """States [B, S, d] of ``ids`` [B, S]."""
        embedded = torch.add(self.encodings, self.embedding(ids), alpha=self.embedding.scale)
        states: Tensor = self.embedding.norm(embedded)
        return states


@dataclass(frozen=True)
class Passes:
    """Passes of the encoder of ``network`` over rows of ``source``, whose structure is given.

    ``fusion`` joins the structural positions with the position of a word.
    """

    network: Transformer
    settings: SelectiveSettings
    fusion: Fusion
    source: ParagraphSource

    @property
    def structure(self) -> StructuralPositions:
        """The structural positions of the source."""
        structure: StructuralPositions = self.source.structure
        return structure

    def own_states(self) -> Tensor:
        """The states of each word [B, S, d]; relative positions are those from its own unit."""
        ids, paragraph_of_row = self.source.ids, self.source.paragraphs.paragraph_of_row
        rows = torch.arange(len(ids), device=ids.device)
        if not self.settings.repeated:
            return self._encode(rows, None)
        real = ~self.source.padding
        owners = paragraph_of_row[:, None] * self.structure.count + self.structure.units
        distinct, pass_of_token = owners[real].unique(return_inverse=True)
        row_of_token = rows[:, None].expand_as(ids)[real]
        # Every unit lies in one sentence, so that each pass has one row.
        row_of_pass = torch.zeros_like(distinct).index_copy(0, pass_of_token, row_of_token)
        states = self._encode(row_of_pass, distinct % self.structure.count)
        column_of_token = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)[real]
        own = states.new_zeros(*ids.shape, states.shape[-1])
        return own.index_put((row_of_token, column_of_token), states[pass_of_token, column_of_token])

    def of_unit(self, lines: Lines) -> Callable[[UnitGroup], Tensor]:
        """The states of all words of a paragraph's line, relative to the units of a group: [E, K, d]."""
        paragraphs, length = self.source.paragraphs, self.source.ids.shape[1]

        def words(group: UnitGroup) -> Tensor:
            own = group.owners // self.structure.count
            rows = paragraphs.rows[own]
            counts = (rows != NO_SENTENCE).sum(dim=1)
            with torch.set_grad_enabled(torch.is_grad_enabled() and self.settings.context_gradient):
                units = (group.owners % self.structure.count).repeat_interleave(counts)
                states = self._encode(rows[rows != NO_SENTENCE], units)
            shift = counts.cumsum(0) - counts - rows[:, 0]  # from rows of the batch to those of the passes
            return states.flatten(0, 1)[lines.table_index[own] + shift[:, None] * length]

        return words

    def _encode(self, rows: Tensor, units: Tensor | None) -> Tensor:
        """The states [n, S, d] of ``rows`` [n] of the batch; relative positions are those from ``units`` [n]."""
        groups = length_groups([self.source.lengths[row] for row in rows.tolist()], rows.device)
        parts = [self._encode_group(rows[of], None if units is None else units[of], length) for of, length in groups]
        return groups.join(parts, self.source.ids.shape[1])

    def _encode_group(self, rows: Tensor, units: Tensor | None, length: int) -> Tensor:
        """:meth:`_encode` of rows that have at most ``length`` tokens: [n, length, d]."""
        ids, encodings = self.source.ids[rows, :length], self._encodings(rows, units, length)
        embedding = EncodedEmbedding(self.network.source_embedding, encodings)
        states = self.network.embed(ids, embedding)  # type: ignore[arg-type]
        return self.network.through_encoder(states, ~self.network.hidden(ids)[:, None, None])

    def _encodings(self, rows: Tensor, units: Tensor | None, length: int) -> Tensor:
        """The encodings [n, length, d] of all positions of the words of ``rows`` [n]."""
        paragraphs, unit_of_word = self.source.paragraphs.paragraph_of_row[rows], self.structure.units[rows, :length]
        values = []
        for kind in self.settings.embedded:
            if kind in self.structure.absolute:
                value_of_unit = self.structure.absolute[kind][paragraphs]
            else:
                value_of_unit = self.structure.relative[kind][paragraphs, units]
            values.append(value_of_unit.gather(1, unit_of_word))
        positions = self.network.source_positions(self.source.ids[:, :length])
        if self.fusion.mix is None:
            of_word = self.network.source_embedding.encoding(positions, self.fusion.width)
        else:
            of_word = self.fusion.total([positions])
        return self.fusion.finish(of_word + self.fusion.total(values, first=1))
