"""Memory-mapped files with the discourse unit (EDU) of each source subword, row by row beside a dataset.

Units are counted from 0 over the document or the paragraph. Every unit lies in one sentence and has a subword.
"""

from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.training.data.dataset import FLAT, KEY_FIELDS, ParallelDataset, map_beside, other_rows
from discourse_nmt.training.data.units import paragraphs

COLUMNS = (*KEY_FIELDS, pa.field("edus", FLAT, nullable=False))


def paragraph_borders(dataset: ParallelDataset) -> Integers:
    """The first row of each paragraph and, last, the number of rows."""
    borders: Integers = np.append(paragraphs(dataset.documents).starts, len(dataset))
    return borders


def circular(heads: Integers, longest: int) -> Integers:
    """The units whose heads lead into a circle; ``longest`` is the largest possible number of units of a path."""
    ancestors = heads
    for _ in range(longest.bit_length()):  # the ancestor 2, 4, 8 … steps up
        ancestors = np.where(ancestors < 0, -1, ancestors[ancestors])
    return np.flatnonzero(ancestors >= 0)


class UnitFile:
    """Such a file, opened beside its dataset.

    ``columns`` is its schema and ``per_unit`` the name of a column with one value per unit of a sentence. ``borders``
    (int64 ``[runs + 1]``) holds the first row of each run of rows over which units are counted and, last, the number
    of rows. Raises :class:`InputError` where the rows are not the dataset's or a unit is outside its sentence.
    """

    def __init__(
        self,
        path: str | Path,
        dataset: ParallelDataset,
        columns: pa.Schema,
        per_unit: str,
        borders: Integers,
        what: str,
    ) -> None:
        self.table = map_beside(path, dataset, columns, what)
        self.path, self.dataset, self.borders = Path(path), dataset, borders
        edus = self.table["edus"].chunk(0)
        self.edus: npt.NDArray[np.int32] = edus.values.to_numpy()
        """The unit of each source subword, ``[subwords]``."""
        self.offsets: Integers = self.table[per_unit].chunk(0).offsets.to_numpy()
        """The units of row ``r`` are those from ``offsets[r]`` to ``offsets[r + 1] - 1``, counted over the split."""
        self.firsts: Integers = np.repeat(self.offsets[borders[:-1]], np.diff(borders))
        """The first unit of each row's run, counted over the split; int64 ``[rows]``."""
        if not np.array_equal(edus.offsets.to_numpy(), dataset.source.offsets):
            raise other_rows(path, dataset)
        rows = np.repeat(np.arange(len(dataset)), dataset.source.lengths)
        units = self.edus + self.firsts[rows]
        wrong = np.flatnonzero((units < self.offsets[rows]) | (units >= self.offsets[rows + 1]))
        if len(wrong):
            self.refuse_row(int(rows[wrong[0]]), f"EDU {self.edus[wrong[0]]} (from 0) is not in this sentence")

    def units(self, start: int, stop: int) -> list[Integers]:
        """The unit of each source subword of each of the rows ``start … stop - 1``, counted as in the file."""
        offsets = self.dataset.source.offsets[start : stop + 1]
        return np.split(self.edus[offsets[0] : offsets[-1]].astype(np.int64), offsets[1:-1] - offsets[0])

    def check_run(self, start: int, stop: int) -> None:
        """Raise :class:`ValueError` where the rows ``start … stop - 1`` are no paragraph, for files of paragraphs."""
        run = int(np.searchsorted(self.borders, start))
        if self.borders[run : run + 2].tolist() != [start, stop]:
            raise ValueError(f"the rows {start} to {stop - 1} are no paragraph")

    def refuse_row(self, row: int, fault: str) -> NoReturn:
        """Raise an :class:`InputError` that names a row's sentence."""
        raise InputError(f"{self.dataset.sentence(row)}: {fault}", file=self.path, remedy="correct the analysis")
