"""Discourse structural positions beside a dataset, in one memory-mapped Arrow file per split.

The rows are those of the dataset. ``edus`` holds the unit (EDU) of each source subword, counted from 0 over the
paragraph. Each unit of the sentence has a depth and a correction, ``depths`` and ``corrections``, and its rows of the
tables of pairs, ``nuclei`` and ``satellites``, with one column for each unit of the paragraph
(:class:`.PositionTables`). Nothing here depends on a switch.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa

from discourse_nmt.base.arrays import Integers
from discourse_nmt.discourse.structures.positions import PositionTables
from discourse_nmt.models.selective.paragraph_positions import ParagraphPositions
from discourse_nmt.training.data.dataset import FLAT, ParallelDataset
from discourse_nmt.training.structures.unit_files import COLUMNS, UnitFile, paragraph_borders

PER_UNIT = {"depths": FLAT, "corrections": pa.large_list(pa.float32())}
# The tables of pairs are most of the file; int16 is large enough for the edges of any path in a paragraph.
PER_PAIR = {"nuclei": pa.large_list(pa.int16()), "satellites": pa.large_list(pa.int16())}
SCHEMA = pa.schema([*COLUMNS, *(pa.field(name, kind, nullable=False) for name, kind in (PER_UNIT | PER_PAIR).items())])


class PositionFile(UnitFile):
    """The discourse structural positions of a split, opened beside its dataset.

    Raises :class:`.InputError` where the rows are not the dataset's, a unit is outside its sentence, or
    the tables do not fit the units; the message names the document.
    """

    def __init__(self, path: str | Path, dataset: ParallelDataset) -> None:
        super().__init__(path, dataset, SCHEMA, "depths", paragraph_borders(dataset), "positions file")
        self.values: dict[str, np.ndarray] = {}
        starts: dict[str, Integers] = {}
        for name in PER_UNIT | PER_PAIR:
            column = self.table[name].chunk(0)
            self.values[name], starts[name] = column.values.to_numpy(), column.offsets.to_numpy()
        self.pairs = starts["nuclei"]
        """The pairs of row ``r`` are those from ``pairs[r]`` to ``pairs[r + 1] - 1``."""
        self._check_sizes(starts)

    def __getitem__(self, rows: slice) -> ParagraphPositions:
        """The units and the tables, views of the file, of a paragraph; :class:`ValueError` for other rows."""
        start, stop = rows.start, rows.stop
        self.check_run(start, stop)
        first, last = int(self.offsets[start]), int(self.offsets[stop])
        per_unit = [self.values[name][first:last] for name in PER_UNIT]
        pairs = slice(int(self.pairs[start]), int(self.pairs[stop]))
        per_pair = [self.values[name][pairs].reshape(last - first, last - first) for name in PER_PAIR]
        return ParagraphPositions(self.units(start, stop), PositionTables(*per_unit, *per_pair))

    def _check_sizes(self, starts: dict[str, Integers]) -> None:
        """Check that there are values for each unit and for each pair of units of a paragraph."""
        counts = np.diff(self.offsets)
        of_paragraph = np.repeat(np.diff(self.offsets[self.borders]), np.diff(self.borders))
        expected = dict.fromkeys(PER_UNIT, counts) | dict.fromkeys(PER_PAIR, counts * of_paragraph)
        for name, sizes in expected.items():
            lengths = np.diff(starts[name])
            wrong = np.flatnonzero(lengths != sizes)
            if len(wrong):
                row = int(wrong[0])
                self.refuse_row(row, f"it has {lengths[row]} {name}, not {sizes[row]}")
