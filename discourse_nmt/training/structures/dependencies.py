"""Discourse units and their dependencies beside a dataset, in one memory-mapped Arrow file per split.

The rows are those of the dataset. ``edus`` holds the unit (EDU) of each source subword, ``edu_heads`` the head of each
unit of the sentence in text order, -1 for a root. Units are counted from 0 over the document.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa

from discourse_nmt.models.packed.unit_dependencies import UnitDependencies
from discourse_nmt.training.data.dataset import FLAT, ParallelDataset
from discourse_nmt.training.structures.turning import steps_at, turned
from discourse_nmt.training.structures.unit_files import COLUMNS, UnitFile, circular

SCHEMA = pa.schema([*COLUMNS, pa.field("edu_heads", FLAT, nullable=False)])


class DependencyFile(UnitFile):
    """The dependencies of a split, opened beside its dataset.

    Raises :class:`.InputError` where the rows are not the dataset's, a unit is outside its sentence, or
    heads are no forest; the message names the document.
    """

    def __init__(self, path: str | Path, dataset: ParallelDataset) -> None:
        super().__init__(path, dataset, SCHEMA, "edu_heads", dataset.documents, "structure file")
        self.heads: np.ndarray = self.table["edu_heads"].chunk(0).values.to_numpy()
        self._check_heads()

    def __getitem__(self, rows: slice) -> UnitDependencies:
        """The units and heads of some rows of one document.

        Units are counted from 0 over these rows; an arc that leaves them is dropped, so that its unit is a root.
        """
        start, stop = rows.start, rows.stop
        first, last = int(self.offsets[start]), int(self.offsets[stop])
        shift = int(self.firsts[start]) - first
        in_document = self.heads[first:last]
        heads = in_document.astype(np.int64) + shift
        heads[(in_document < 0) | (heads < 0) | (heads >= last - first)] = -1
        return UnitDependencies([units + shift for units in self.units(start, stop)], heads)

    def _check_heads(self) -> None:
        rows = np.repeat(np.arange(len(self.dataset)), np.diff(self.offsets))
        documents = self.dataset.documents
        counts = np.repeat(np.diff(self.offsets[documents]), np.diff(documents))[rows]
        wrong = np.flatnonzero((self.heads < -1) | (self.heads >= counts))
        if len(wrong):
            self.refuse_row(int(rows[wrong[0]]), f"the head {self.heads[wrong[0]]} (from 0) is no EDU of the document")
        wrong = circular(np.where(self.heads < 0, -1, self.heads + self.firsts[rows]), int(counts.max(initial=0)))
        if len(wrong):
            unit = wrong[0] - self.firsts[rows[wrong[0]]]
            self.refuse_row(int(rows[wrong[0]]), f"the heads above EDU {unit} (from 0) form a circle")


class ShuffledDependencyFile(DependencyFile):
    """The same file with every tree turned over its units (:mod:`.turning`); units stay as they are."""

    def __getitem__(self, rows: slice) -> UnitDependencies:
        """The units of some rows of one document, and the heads of the turned tree."""
        edus, heads = super().__getitem__(rows)
        return UnitDependencies(edus, turned(heads, steps_at(self.dataset, rows.start, len(heads))))
