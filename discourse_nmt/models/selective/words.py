"""Words of the context with structural positions relative to the unit of the query (``ctx``, spec 02, section 5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor

from discourse_nmt.models.context.lines import Lines
from discourse_nmt.models.selective.pairs import PairVectors
from discourse_nmt.models.selective.structural_positions import Fusion, StructuralPositions, UnitGroup, sum_of, taken


@dataclass(frozen=True)
class ContextWords:
    """Encodings of the relative positions ``kinds``, by ``fusion``, for the ``lines`` of P paragraphs of K positions.

    ``length`` is that of the rows of the batch, S.
    """

    fusion: Fusion
    structure: StructuralPositions
    kinds: Sequence[str]
    lines: Lines
    length: int

    @cached_property
    def units(self) -> Tensor:
        """The unit of each position: [P, K]."""
        return self.structure.units.flatten()[self.lines.table_index]

    @cached_property
    def of_positions(self) -> Tensor:
        """Contribution of the words' positions in their sentences to the non-linear fusion: [P, K, d]."""
        return self.fusion.total([self.lines.table_index % self.length])

    @cached_property
    def pairs(self) -> list[tuple[Tensor, Tensor]]:
        """Contribution of each kind: a row for each distinct value, and the row of each pair of units [P * M, M]."""
        parts = [self.fusion.part(1 + index, self.structure.relative[kind]) for index, kind in enumerate(self.kinds)]
        return [(table, rows.flatten(0, 1)) for table, rows in parts]

    def of_queries(self) -> Tensor:
        """The encoding of each word as a query, whose relative positions are all 0: [P, K, d]."""
        zero = self.lines.table_index.new_zeros(len(self.kinds), 1, 1)
        total = self.fusion.total(list(zero), first=1)
        return self.fusion.finish(total if self.fusion.mix is None else total + self.of_positions)

    def pair_vectors(self, dtype: torch.dtype) -> PairVectors:
        """Additive fusion: the vectors added to a word, which depend on the two units alone."""
        members = F.one_hot(self.units, self.structure.count)
        vectors = [self._pairs_of(group).to(dtype) for group in self.structure.groups]
        means = self.lines.means(dtype) @ members.to(dtype)
        return PairVectors(self.structure.groups, vectors, self.units, means)

    def added_to(self, context: Tensor) -> Callable[[UnitGroup], Tensor]:
        """Non-linear fusion: the words' states ``context`` [P, K, d] with their encodings, for the units of a group."""

        def words(group: UnitGroup) -> Tensor:
            own = group.owners // self.structure.count
            pairs = self._pairs_of(group)
            begins = torch.arange(len(own), device=own.device)[:, None] * self.structure.count
            of_words = taken(pairs.flatten(0, 1), begins + self.units[own])
            encodings = self.fusion.finish(of_words + self.of_positions.index_select(0, own))
            return encodings + context.index_select(0, own)

        return words

    def _pairs_of(self, group: UnitGroup) -> Tensor:
        """The contributions of all kinds for the units of a group and all units of their paragraph: [E, M, d]."""
        return sum_of([taken(table, rows[group.owners]) for table, rows in self.pairs])
