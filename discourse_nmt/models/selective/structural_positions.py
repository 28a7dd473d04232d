"""Discourse structural positions in a network: real values to vectors, fused with the position of the word.

The encodings are those of spec 02, section 4; the values come from the tables of a paragraph's tree.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.vocabulary import PAD
from discourse_nmt.discourse.structures.positions import PositionTables, Reals
from discourse_nmt.models.core.embeddings import sinusoids
from discourse_nmt.models.selective.paragraph_positions import ParagraphPositions
from discourse_nmt.models.sublayers.parts import linear
from discourse_nmt.models.switches.selective import ABSOLUTE, RELATIVE, Kind, SelectiveSettings

VALUES: dict[str, Callable[[PositionTables, SelectiveSettings], Reals]] = {
    "abs_edu": lambda tables, settings: tables.abs_edu(settings.edu_index_base),
    "rel_edu": lambda tables, settings: tables.rel_edu(),
    "abs_depth": lambda tables, settings: tables.abs_depth(settings.depth_base),
    "rel_depth": lambda tables, settings: tables.rel_depth(),
    "path": lambda tables, settings: tables.path(settings.w_n, settings.path_log_base),
}
"""The values of each kind of position, by the tables of a paragraph's tree; path is spec 02, equation 4."""


# Path-PE over two edges to nuclei, and over one to a nucleus and one to a satellite, for w_N = 0.8.
NEAR, FAR = 0.84, 0.56
STRENGTH = 0.25  # of their vectors' components before tanh, where these begin


class Fusion(nn.Module):
    """Vectors of positions, joined by addition or by ``tanh(W [x; y; ...] + b)`` (spec 02, equation 5).

    ``parts`` is the number of joined positions; the first is that of the word.
    """

    def __init__(self, width: int, parts: int, nonlinear: bool) -> None:
        super().__init__()
        self.width = width
        self.mix = linear(parts * width, width) if nonlinear else None

    @torch.no_grad()
    def begin_near(self, kinds: Sequence[str]) -> None:
        """Initialise a non-linear fusion of the word's position and ``kinds`` to tell near units from far ones.

        The vectors of near and far units are opposite, and a unit is near itself: attention that prefers similar keys
        begins in near units. A path is 0 to the unit itself, about :data:`NEAR` to near units and :data:`FAR` to
        others, and the cosine of its distance from NEAR / 2 has one value for the first two. Without ``path`` the
        vectors are zero.
        """
        if self.mix is None:
            return
        nn.init.zeros_(self.mix.weight)
        nn.init.zeros_(self.mix.bias)
        if "path" in kinds:
            signs = torch.randint(2, (self.width,)) * 2.0 - 1
            steep = 2 * STRENGTH / (math.cos(FAR - NEAR / 2) - math.cos(NEAR / 2))
            sine, cosine = ((1 + kinds.index("path")) * self.width + part for part in (0, 1))
            self.mix.weight[:, sine] = -steep * math.sin(NEAR / 2) * signs
            self.mix.weight[:, cosine] = -steep * math.cos(NEAR / 2) * signs
            self.mix.bias.copy_((STRENGTH + steep * math.cos(NEAR / 2)) * signs)

    def part(self, index: int, values: Tensor) -> tuple[Tensor, Tensor]:
        """Contribution of position ``index`` to the sum, for ``values`` (any shape); the first includes the bias b.

        Returns a row for each distinct value, [D, d], of which a paragraph has few, and the row of each value, in the
        shape of ``values``.
        """
        distinct, rows = values.unique(return_inverse=True)
        vectors = sinusoids(distinct, self.width)
        if self.mix is None:
            return vectors, rows
        weight = self.mix.weight[:, index * self.width : (index + 1) * self.width]
        return F.linear(vectors.to(weight.dtype), weight, self.mix.bias if index == 0 else None), rows

    def total(self, values: Sequence[Tensor], first: int = 0) -> Tensor:
        """Sum of the contributions of ``values``, one tensor for each position from ``first`` on: [..., d]."""
        return sum_of([taken(*self.part(first + index, of_position)) for index, of_position in enumerate(values)])

    def finish(self, total: Tensor) -> Tensor:
        """The encoding of a ``total`` of all positions [..., d]."""
        return total if self.mix is None else torch.tanh(total)

    def forward(self, values: Sequence[Tensor]) -> Tensor:
        """Encode ``values``, a tensor for each of the joined positions, all of one shape: [..., d]."""
        return self.finish(self.total(values))


def taken(table: Tensor, rows: Tensor) -> Tensor:
    """The ``rows`` (any shape) of a ``table`` [D, d]: [..., d]."""
    return table.index_select(0, rows.flatten()).view(*rows.shape, table.shape[1])


def sum_of(parts: Sequence[Tensor]) -> Tensor:
    """Sum of at least one tensor."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


@dataclass(frozen=True)
class UnitGroup:
    """Units of a batch with similar numbers of words, and their words as queries of attention."""

    owners: Tensor
    """[E]: ``paragraph * M + unit``."""
    queries: Tensor
    """[E, t]: their words as indices in the lines of paragraphs, ``paragraph * T + position``; any at padding."""
    real: Tensor
    """[E, t] bool, false at padding."""


@dataclass(frozen=True)
class StructuralPositions:
    """The structural positions of a batch of P paragraphs of at most M units."""

    units: Tensor
    """[B, S]: unit of each source position in its paragraph, that of the nearest word for marks; 0 at padding."""
    absolute: Mapping[str, Tensor]
    """By kind, the values of each unit: [P, M] float32."""
    relative: Mapping[str, Tensor]
    """By kind, the values of each pair, the unit of the query first: [P, M, M] float32."""
    groups: Sequence[UnitGroup]
    """All units that have words, in groups that are computed one after the other."""
    count: int
    """Units of the paragraph with most, M."""

    def to(self, device: torch.device) -> "StructuralPositions":
        """The same on another device."""

        def moved(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
            return {name: tensor.to(device, non_blocking=True) for name, tensor in tensors.items()}

        groups = [UnitGroup(**moved(vars(group))) for group in self.groups]
        units = self.units.to(device, non_blocking=True)
        absolute, relative = moved(self.absolute), moved(self.relative)
        return replace(self, units=units, absolute=absolute, relative=relative, groups=groups)


def structural_positions(
    structures: Sequence[ParagraphPositions], source_ids: Tensor, settings: SelectiveSettings, room: int
) -> StructuralPositions:
    """The tensors, on the CPU, of the paragraphs of a batch.

    ``source_ids`` [B, S] are ``<s> ids </s>``, padded, the sentences of a paragraph in adjacent rows. The vectors of a
    group are for at most ``room`` pairs of a unit and a position in the line.
    """
    ids = source_ids.numpy()
    rows = [np.asarray(units) for of_paragraph, _ in structures for units in of_paragraph]
    paragraphs = np.repeat(np.arange(len(structures)), [len(of_paragraph) for of_paragraph, _ in structures])
    units = np.zeros(ids.shape, np.int64)
    for row, edus in enumerate(rows):
        if len(edus):
            units[row, 0], units[row, 1 : len(edus) + 1], units[row, len(edus) + 1] = edus[0], edus, edus[-1]
    values = [values_of(tables, settings) for _, tables in structures]
    count = max([int(units.max()) + 1, *(len(table) for of_paragraph in values for table in of_paragraph.values())])
    owners = paragraphs[:, None] * count + units

    def table(kind: Kind) -> Tensor:
        return stacked([of_paragraph[kind] for of_paragraph in values], count)

    return StructuralPositions(
        torch.from_numpy(units),
        {kind: table(kind) for kind in ABSOLUTE if kind in settings.dsp},
        {kind: table(kind) for kind in RELATIVE if kind in settings.dsp},
        grouped(owners[ids != PAD], np.repeat(paragraphs, (ids != PAD).sum(axis=1)), room),
        count,
    )


def values_of(tables: PositionTables, settings: SelectiveSettings) -> dict[str, Reals]:
    """The values of each kind by a paragraph's ``tables``."""
    return {kind: VALUES[kind](tables, settings) for kind in settings.dsp}


def stacked(values: Sequence[Reals], count: int) -> Tensor:
    """Arrays [m] or [m, m] as one tensor [P, ``count``] or [P, ``count``, ``count``], filled up with 0."""
    filled = np.zeros((len(values), *[count] * values[0].ndim), np.float32)
    for paragraph, array in enumerate(values):
        filled[paragraph][np.ix_(*map(range, array.shape))] = array
    return torch.from_numpy(filled)


def grouped(owners: Integers, paragraphs: Integers, room: int) -> list[UnitGroup]:
    """The units that have the tokens of a batch, by each token's owner and paragraph, in groups of similar size."""
    counts = np.bincount(paragraphs)
    longest = int(counts.max())
    line_index = paragraphs * longest + np.arange(len(paragraphs)) - (np.cumsum(counts) - counts)[paragraphs]
    order = np.argsort(owners, kind="stable")
    distinct, starts, sizes = np.unique(owners[order], return_index=True, return_counts=True)
    by_size = np.argsort(sizes, kind="stable")
    many = max(1, room // longest)
    groups = []
    for chosen in (by_size[begin : begin + many] for begin in range(0, len(by_size), many)):
        columns = np.arange(sizes[chosen].max())
        within = np.minimum(columns, sizes[chosen][:, None] - 1)
        queries = line_index[order[starts[chosen][:, None] + within]]
        arrays = (distinct[chosen], queries, columns < sizes[chosen][:, None])
        groups.append(UnitGroup(*map(torch.from_numpy, arrays)))
    return groups
