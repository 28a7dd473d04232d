"""Discourse dependencies of paragraphs beside a dataset, in one memory-mapped Arrow file per split.

The rows are those of the dataset. ``edus`` holds the unit (EDU) of each source subword. For each unit of the sentence,
in text order, ``edu_heads`` holds the head and ``relations`` the relation to it, a coarse class with its role
(``elaboration_r``). Units are counted from 0 over the paragraph. A root is its own head and has the relation ROOT; an
unknown head is -1, without a relation.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.storage.tables import TEXT
from discourse_nmt.discourse.structures.trees import ROOT_RELATION
from discourse_nmt.models.multitask.paragraph_analysis import UNANNOTATED, ParagraphAnalysis
from discourse_nmt.training.data.dataset import FLAT, ParallelDataset
from discourse_nmt.training.structures.turning import steps_at, turned
from discourse_nmt.training.structures.unit_files import COLUMNS, UnitFile, circular, paragraph_borders

PER_UNIT = {"edu_heads": FLAT, "relations": pa.large_list(TEXT)}
SCHEMA = pa.schema([*COLUMNS, *(pa.field(name, kind, nullable=False) for name, kind in PER_UNIT.items())])


def words_of(dataset: ParallelDataset, start: int, stop: int) -> list[Integers]:
    """The word of each source subword of each of the rows ``start … stop - 1``."""
    offsets = dataset.source.offsets[start : stop + 1]
    words = dataset.source.words[offsets[0] : offsets[-1]].astype(np.int64)
    return np.split(words, offsets[1:-1] - offsets[0])


class DatasetWords:
    """The words of paragraphs, which the dataset itself holds, for systems without a parser. There is no file."""

    def __init__(self, _: Path | None, dataset: ParallelDataset) -> None:
        self.dataset = dataset

    def __getitem__(self, rows: slice) -> ParagraphAnalysis:
        """The words of a paragraph."""
        return ParagraphAnalysis(words_of(self.dataset, rows.start, rows.stop))


class ParagraphDependencyFile(UnitFile):
    """The dependencies of a split, opened beside its dataset.

    Raises :class:`.InputError` where the rows are not the dataset's, a unit is outside its sentence or not
    one run of words, or heads are no forest; the message names the document.
    """

    def __init__(self, path: str | Path, dataset: ParallelDataset) -> None:
        super().__init__(path, dataset, SCHEMA, "edu_heads", paragraph_borders(dataset), "dependencies file")
        self.heads: np.ndarray = self.table["edu_heads"].chunk(0).values.to_numpy()
        self.relations: pa.Array = self.table["relations"].chunk(0).values
        self._check_units()
        self._check_heads()

    def __getitem__(self, rows: slice) -> ParagraphAnalysis:
        """The analysis of a paragraph; :class:`ValueError` for other rows."""
        start, stop = rows.start, rows.stop
        self.check_run(start, stop)
        first, last = int(self.offsets[start]), int(self.offsets[stop])
        heads, relations = self.heads[first:last].astype(np.int64), self.relations.slice(first, last - first)
        return ParagraphAnalysis(
            words_of(self.dataset, start, stop), self.units(start, stop), heads, relations.to_pylist()
        )

    def _check_units(self) -> None:
        """Check that the units of a sentence are neighbouring runs of whole words."""
        rows = np.repeat(np.arange(len(self.dataset)), self.dataset.source.lengths)
        units = self.edus + self.firsts[rows]
        missing = np.setdiff1d(np.arange(self.offsets[-1]), units)
        if len(missing):
            self.refuse_row(int(np.searchsorted(self.offsets, missing[0], side="right")) - 1, "a unit has no subword")
        steps, same = np.diff(units), np.diff(rows) == 0
        inside = same & (np.diff(self.dataset.source.words) == 0)
        wrong = np.flatnonzero((same & ((steps < 0) | (steps > 1))) | (inside & (steps != 0)))
        if len(wrong):
            self.refuse_row(int(rows[wrong[0]]), "its EDUs are not runs of words, one after the other")

    def _check_heads(self) -> None:
        rows = np.repeat(np.arange(len(self.dataset)), np.diff(self.offsets))
        units = np.arange(len(self.heads)) - self.firsts[rows]  # counted over their paragraph
        counts = np.repeat(np.diff(self.offsets[self.borders]), np.diff(self.borders))[rows]
        relations = self.relations.to_numpy(zero_copy_only=False)
        for wrong, fault in (
            ((self.heads < UNANNOTATED) | (self.heads >= counts), "its head is no EDU of the paragraph"),
            ((self.heads == UNANNOTATED) != (relations == ""), "it has a head or a relation, but not both"),
            (
                (self.heads == units) != (relations == ROOT_RELATION),
                "it has the relation ROOT or is its own head, but not both",
            ),
        ):
            if wrong.any():
                first = int(np.argmax(wrong))
                self.refuse_row(int(rows[first]), f"EDU {units[first]} (from 0): {fault}")
        above = np.where((self.heads < 0) | (self.heads == units), -1, self.heads + self.firsts[rows])
        in_circles = circular(above, int(counts.max(initial=0)))
        if len(in_circles):
            first = int(in_circles[0])
            self.refuse_row(int(rows[first]), f"the heads above EDU {units[first]} (from 0) form a circle")


class ShuffledParagraphDependencyFile(ParagraphDependencyFile):
    """The same file with every tree turned over its paragraph's units (:mod:`.turning`); units stay as they are."""

    def __getitem__(self, rows: slice) -> ParagraphAnalysis:
        """The analysis of a paragraph, with the heads and relations of the turned tree."""
        right = super().__getitem__(rows)
        heads = np.asarray(right.heads)
        steps = steps_at(self.dataset, rows.start, len(heads))
        relations = np.roll(np.array(right.relations, object), steps).tolist()
        return replace(right, heads=turned(heads, steps), relations=relations)
