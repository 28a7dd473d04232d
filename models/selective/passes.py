"""Structural positions in the embeddings (``embed``, specification 02, section 5).

Where they are relative, a paragraph is encoded once for each of its units, as seen from there.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from discourse_nmt.corpus.vocabulary import PAD
from discourse_nmt.models.context.lines import Lines
from discourse_nmt.models.context.paragraphs import NO_SENTENCE, ParagraphSource
from discourse_nmt.models.core.embeddings import InputEmbedding
from discourse_nmt.models.core.length_groups import length_groups
from discourse_nmt.models.selective.structural_positions import StructuralPositions, UnitGroup

if TYPE_CHECKING:
    from discourse_nmt.models.selective.network import Selective


class EncodedEmbedding(NamedTuple):
    """An embedding with given encodings of positions [B, S, d] in the place of its own."""

    embedding: InputEmbedding
    encodings: Tensor

    def states(self, ids: Tensor, positions: Tensor) -> Tensor:
        """States [B, S, d] of ``ids`` [B, S]."""
        embedded = torch.add(self.encodings, self.embedding(ids), alpha=self.embedding.scale)
        states: Tensor = self.embedding.norm(embedded)
        return states


class Passes:
    """Passes of the encoder of ``network`` over rows of ``source``, whose structure is there."""

    def __init__(self, network: "Selective", source: ParagraphSource) -> None:
        self.network = network
        self.source = source
        self.structure: StructuralPositions = source.structure

    def own_states(self) -> Tensor:
        """The states of each word [B, S, d], where positions are relative as seen from its own unit."""
        ids, numbers = self.source.ids, self.source.paragraphs.numbers
        rows = torch.arange(len(ids), device=ids.device)
        if not self.network.settings.repeated:
            return self._encode(rows, None)
        owners = numbers[:, None] * self.structure.count + self.structure.units
        distinct, passes = owners[~self.source.padding].unique(return_inverse=True)
        row = rows[:, None].expand_as(ids)[~self.source.padding]
        of_passes = torch.zeros_like(distinct).index_copy(0, passes, row)  # every unit lies in one sentence
        states = self._encode(of_passes, distinct % self.structure.count)
        column = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)[~self.source.padding]
        found = states.new_zeros(*ids.shape, states.shape[-1])
        return found.index_put((row, column), states[passes, column])

    def of_unit(self, lines: Lines) -> Callable[[UnitGroup], Tensor]:
        """The states of all words of a paragraph's line as seen from the units of a group: [E, K, d]."""
        paragraphs, length = self.source.paragraphs, self.source.ids.shape[1]

        def words(group: UnitGroup) -> Tensor:
            own = group.owners // self.structure.count
            rows = paragraphs.rows[own]
            counts = (rows != NO_SENTENCE).sum(dim=1)
            with torch.set_grad_enabled(torch.is_grad_enabled() and self.network.settings.context_gradient):
                units = (group.owners % self.structure.count).repeat_interleave(counts)
                states = self._encode(rows[rows != NO_SENTENCE], units)
            shift = counts.cumsum(0) - counts - rows[:, 0]  # from rows of the batch to those of the passes
            places = lines.places[own] + shift[:, None] * length
            return states.flatten(0, 1)[places]

        return words

    def _encode(self, rows: Tensor, units: Tensor | None) -> Tensor:
        """The states [n, S, d] of ``rows`` [n] of the batch; those of relative positions as seen from ``units`` [n]."""
        groups = length_groups([self.source.lengths[row] for row in rows.tolist()], rows.device)
        parts = [self._encode_group(rows[of], None if units is None else units[of], length) for of, length in groups]
        return groups.join(parts, self.source.ids.shape[1])

    def _encode_group(self, rows: Tensor, units: Tensor | None, length: int) -> Tensor:
        """:meth:`_encode` of rows that have at most ``length`` tokens: [n, length, d]."""
        network, embedding = self.network, self.network.source_embedding
        ids, encodings = self.source.ids[rows, :length], self._encodings(rows, units, length)
        states = network.embed(ids, EncodedEmbedding(embedding, encodings))  # type: ignore[arg-type]
        return network.through_encoder(states, (ids != PAD)[:, None, None])

    def _encodings(self, rows: Tensor, units: Tensor | None, length: int) -> Tensor:
        network, fusion = self.network, self.network.embedding_fusion
        assert fusion is not None
        paragraphs, of_words = self.source.paragraphs.numbers[rows], self.structure.units[rows, :length]
        values = []
        for kind in network.settings.embedded:
            if kind in self.structure.absolute:
                of_units = self.structure.absolute[kind][paragraphs]
            else:
                of_units = self.structure.relative[kind][paragraphs, units]
            values.append(of_units.gather(1, of_words))
        places = torch.arange(length, device=rows.device)
        additive = fusion.mix is None
        own = network.source_embedding.encoding(places, fusion.width) if additive else fusion.total([places])
        return fusion.finish(own + fusion.total(values, first=1))
