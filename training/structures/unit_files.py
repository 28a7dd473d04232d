"""Files beside a dataset that tell the discourse unit (EDU) of each source subword.

The rows are those of the dataset, memory-mapped. Units are counted from 0 over the document or over the paragraph, and
every one lies in one sentence and has a subword.
"""

from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.storage.tables import NUMBER, TEXT
from discourse_nmt.training.data.dataset import FLAT, KEYS, ParallelDataset, map_rows

Numbers = npt.NDArray[np.int64]

COLUMNS = (
    pa.field("doc_id", TEXT, nullable=False),
    pa.field("sent_id", NUMBER, nullable=False),
    pa.field("edus", FLAT, nullable=False),
)
REMEDY = "delete it and run again"


class UnitFile:
    """Such a file, opened beside its dataset.

    ``columns`` are those that it should have, ``per_unit`` the name of one with one value per unit of a sentence.
    ``borders`` (int64 ``[runs + 1]``) holds the first row of each run of rows over which units are counted and, last,
    the number of rows. Raises :class:`InputError` where the rows are not the dataset's or a unit is outside its
    sentence.
    """

    def __init__(
        self, path: str | Path, dataset: ParallelDataset, columns: pa.Schema, per_unit: str, borders: Numbers, what: str
    ) -> None:
        self.table = map_rows(path, columns, what)
        self.path, self.dataset = Path(path), dataset
        edus = self.table["edus"].chunk(0)
        self.edus: npt.NDArray[np.int32] = edus.values.to_numpy()
        """The unit of each source subword, ``[subwords]``."""
        self.offsets: Numbers = self.table[per_unit].chunk(0).offsets.to_numpy()
        """The units of row ``r`` are those from ``offsets[r]`` to ``offsets[r + 1] - 1``, counted over the split."""
        self.firsts: Numbers = np.repeat(self.offsets[borders[:-1]], np.diff(borders))
        """The first unit of each row's run, counted over the split; int64 ``[rows]``."""
        same = all(self.table[key].equals(dataset.table[key]) for key in KEYS)
        if not same or not np.array_equal(edus.offsets.to_numpy(), dataset.source.offsets):
            self.refuse(f"its rows are not those of {dataset.path}")
        rows = np.repeat(np.arange(len(dataset)), dataset.source.lengths)
        units = self.edus + self.firsts[rows]
        wrong = np.flatnonzero((units < self.offsets[rows]) | (units >= self.offsets[rows + 1]))
        if len(wrong):
            self.refuse_row(int(rows[wrong[0]]), f"EDU {self.edus[wrong[0]]} (from 0) is not in this sentence")

    def units(self, start: int, stop: int) -> list[Numbers]:
        """The unit of each source subword of each of the rows ``start … stop - 1``, as they are counted in the file."""
        offsets = self.dataset.source.offsets[start : stop + 1]
        return np.split(self.edus[offsets[0] : offsets[-1]].astype(np.int64), offsets[1:-1] - offsets[0])

    def refuse(self, fault: str) -> NoReturn:
        """Raise an :class:`InputError` about the file."""
        raise InputError(fault, file=self.path, remedy=REMEDY)

    def refuse_row(self, row: int, fault: str) -> NoReturn:
        """Raise an :class:`InputError` about a row."""
        sentence = self.dataset.table["sent_id"][row].as_py()
        message = f"document {self.dataset.document(row)}, sentence {sentence}: {fault}"
        raise InputError(message, file=self.path, remedy="correct the analysis")
