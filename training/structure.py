"""Discourse units and their dependencies beside a dataset, in one memory-mapped Arrow file per split.

The rows are those of the dataset. ``edus`` holds the unit (EDU) of each source subword, ``edu_heads`` the head of each
unit of this sentence, in text order and -1 for a root; units are counted from 0 over the document. Every unit has a
subword, and lies in one sentence.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from corpus.errors import InputError
from corpus.tables import NUMBER, TEXT
from training.dataset import FLAT, KEYS, ParallelDataset, map_rows

Numbers = npt.NDArray[np.int64]

SCHEMA = pa.schema(
    [
        pa.field("doc_id", TEXT, nullable=False),
        pa.field("sent_id", NUMBER, nullable=False),
        pa.field("edus", FLAT, nullable=False),
        pa.field("edu_heads", FLAT, nullable=False),
    ]
)
REMEDY = "delete it and run again"


def circular(heads: Numbers, longest: int) -> Numbers:
    """The units above which heads run in a circle; ``longest`` is the number of units that a path may have at most."""
    ancestors = heads
    for _ in range(longest.bit_length()):  # the head's head, then the ancestor 4, 8, 16 … steps up
        ancestors = np.where(ancestors < 0, -1, ancestors[ancestors])
    return np.flatnonzero(ancestors >= 0)


class Structure:
    """The discourse structure of a split, opened beside its dataset.

    Raises :class:`InputError` where the rows are not the dataset's, a unit is outside its sentence, or heads are no
    forest; the message names the document.
    """

    def __init__(self, path: str | Path, dataset: ParallelDataset) -> None:
        table = map_rows(path, SCHEMA, "structure file")
        self.path, self.dataset = Path(path), dataset
        edus, heads = (table[name].chunk(0) for name in ("edus", "edu_heads"))
        self.edus: np.ndarray = edus.values.to_numpy()
        self.heads: np.ndarray = heads.values.to_numpy()
        self.offsets: np.ndarray = heads.offsets.to_numpy()
        """The units of row ``r`` are those from ``offsets[r]`` to ``offsets[r + 1] - 1``, counted over the split."""
        documents = dataset.documents
        self.firsts: Numbers = np.repeat(self.offsets[documents[:-1]], np.diff(documents))
        """The first unit of each row's document, counted over the split; int64 ``[rows]``."""
        same = all(table[key].equals(dataset.table[key]) for key in KEYS)
        if not same or not np.array_equal(edus.offsets.to_numpy(), dataset.source.offsets):
            raise InputError(f"its rows are not those of {dataset.path}", file=path, remedy=REMEDY)
        self._check_units()
        self._check_heads()

    def restricted(self, start: int, stop: int) -> tuple[list[Numbers], Numbers]:
        """The units of each source subword of the rows ``start … stop - 1``, of one document, and the units' heads.

        Units are counted from 0 over these rows; an arc that leaves them is dropped, so that its unit is a root.
        """
        first, last = int(self.offsets[start]), int(self.offsets[stop])
        shift = int(self.firsts[start]) - first
        given = self.heads[first:last]
        heads = given.astype(np.int64) + shift
        heads[(given < 0) | (heads < 0) | (heads >= last - first)] = -1
        offsets = self.dataset.source.offsets[start : stop + 1]
        units = self.edus[offsets[0] : offsets[-1]].astype(np.int64) + shift
        return np.split(units, offsets[1:-1] - offsets[0]), heads

    def _check_units(self) -> None:
        rows = np.repeat(np.arange(len(self.dataset)), self.dataset.source.lengths)
        units = self.edus + self.firsts[rows]
        wrong = np.flatnonzero((units < self.offsets[rows]) | (units >= self.offsets[rows + 1]))
        if len(wrong):
            self._refuse(int(rows[wrong[0]]), f"EDU {self.edus[wrong[0]]} (from 0) is not in this sentence")

    def _check_heads(self) -> None:
        rows = np.repeat(np.arange(len(self.dataset)), np.diff(self.offsets))
        documents = self.dataset.documents
        counts = np.repeat(np.diff(self.offsets[documents]), np.diff(documents))[rows]
        wrong = np.flatnonzero((self.heads < -1) | (self.heads >= counts))
        if len(wrong):
            self._refuse(int(rows[wrong[0]]), f"the head {self.heads[wrong[0]]} (from 0) is no EDU of the document")
        wrong = circular(np.where(self.heads < 0, -1, self.heads + self.firsts[rows]), int(counts.max(initial=0)))
        if len(wrong):
            number = wrong[0] - self.firsts[rows[wrong[0]]]
            self._refuse(int(rows[wrong[0]]), f"the heads above EDU {number} (from 0) form a circle")

    def _refuse(self, row: int, fault: str) -> None:
        sentence = self.dataset.table["sent_id"][row].as_py()
        message = f"document {self.dataset.document(row)}, sentence {sentence}: {fault}"
        raise InputError(message, file=self.path, remedy="correct the analysis")
