"""The discourse unit (EDU) of each source subword of some documents, from the tables of discourse analysis.

Units and words are spans of characters. A word with all its subwords belongs to the unit with which it shares most
characters. Units without a word are dropped.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.spans import most_shared
from discourse_nmt.training.builders.rows import joined, lengths_of, list_column, text_rows, with_rows, word_of_subword
from discourse_nmt.training.data.dataset import KEYS, ParallelDataset


@dataclass(frozen=True)
class Alignment:
    """The units of a dataset, counted over the dataset in text order, and the unit of each source subword."""

    dataset: ParallelDataset
    row_of_unit: Integers
    """The dataset's row of each unit, ``[units]``."""
    unit_of_subword: Integers
    """The unit of each source subword, ``[subwords]``."""

    @cached_property
    def kept(self) -> npt.NDArray[np.bool_]:
        """Which units have a subword, ``[units]``."""
        kept = np.zeros(len(self.row_of_unit), dtype=bool)
        kept[self.unit_of_subword] = True
        return kept

    @cached_property
    def offsets(self) -> Integers:
        """The units of row ``r`` are those from ``offsets[r]`` to ``offsets[r + 1] - 1``, kept or not."""
        return np.searchsorted(self.row_of_unit, np.arange(len(self.dataset) + 1))

    @cached_property
    def documents(self) -> Integers:
        """The first unit of each document and, last, the number of units."""
        return self.offsets[self.dataset.documents]

    @cached_property
    def counts(self) -> Integers:
        """Number of kept units of each row, ``[rows]``."""
        return np.bincount(self.row_of_unit[self.kept], minlength=len(self.dataset))

    def kept_before(self, borders: Integers) -> Integers:
        """Number of kept units before the run of each row, ``[rows]``; ``borders`` are those of :class:`.UnitFile`."""
        offsets = np.concatenate([[0], np.cumsum(self.counts)])
        return np.repeat(offsets[borders[:-1]], np.diff(borders))

    def table(
        self, borders: Integers, columns: dict[str, tuple[npt.NDArray[np.generic], Integers]], schema: pa.Schema
    ) -> pa.Table:
        """The rows of a unit file of that ``schema``, with units counted over each run of rows.

        ``columns`` holds by name all values of a column, and how many of them each row has.
        """
        kept_units = np.cumsum(self.kept)[self.unit_of_subword] - 1
        lengths = self.dataset.source.lengths
        edus = {"edus": (kept_units - np.repeat(self.kept_before(borders), lengths), lengths)}
        lists = {
            name: list_column(values, sizes, schema.field(name).type)
            for name, (values, sizes) in (edus | columns).items()
        }
        return pa.table({key: self.dataset.table[key] for key in KEYS} | lists, schema=schema)


def aligned(dataset: ParallelDataset, tokens: pd.DataFrame, edus: pd.DataFrame) -> Alignment:
    """Align the units in the table ``edus`` with the subwords of ``dataset``, by the words in the table ``tokens``.

    Raises :class:`InputError`, naming the document, where these have different sentences, or the units of a document
    are not numbered in text order.
    """
    words = text_rows(dataset, tokens, "tokens", "source")
    units = with_rows(dataset, edus, "edus", within="edu_id")
    _check_order(dataset, units)
    word_counts = lengths_of(words["starts"])
    unit_of_word = _units_of_words(dataset, words, word_counts, units)
    return Alignment(dataset, units["row"].to_numpy(np.int64), unit_of_word[word_of_subword(dataset, word_counts)])


def overlapping(starts: Integers, ends: Integers, unit_starts: Integers, unit_ends: Integers) -> Integers:
    """The unit that shares most characters with each span ``[start, end)``, the first of several.

    Units are in order and do not overlap. A span that touches none belongs to the unit before it, -1 for none.
    """
    shared = most_shared(starts, ends, unit_starts, unit_ends)
    before = np.searchsorted(unit_ends, starts, side="right") - 1
    return np.where(shared < 0, before, shared)


def _check_order(dataset: ParallelDataset, units: pd.DataFrame) -> None:
    """Check that the units of every document are numbered 0, 1, 2 … in text order."""
    firsts = np.repeat(dataset.documents[:-1], np.diff(dataset.documents))[units["row"]]  # first row of the document
    expected = np.arange(len(units)) - np.searchsorted(units["row"], firsts)
    wrong = np.flatnonzero(units["edu_id"] != expected)
    if len(wrong):
        name = dataset.document(int(firsts[wrong[0]]))
        raise InputError(f"document {name}: table edus: its EDUs are not 0, 1, 2 … in text order")


def _units_of_words(
    dataset: ParallelDataset, words: pd.DataFrame, word_counts: Integers, units: pd.DataFrame
) -> Integers:
    """The unit of each word, both counted over the dataset."""
    starts, ends = joined(words["starts"]), joined(words["ends"])
    word_rows, unit_rows = np.repeat(np.arange(len(words)), word_counts), units["row"].to_numpy(np.int64)
    # All sentences are put on one line of characters, so that spans of different sentences do not overlap.
    width = 1 + max(int(ends.max(initial=0)), int(units["end"].max() if len(units) else 0))
    unit_starts, unit_ends = (units[name].to_numpy(np.int64) + unit_rows * width for name in ("start", "end"))
    unit_of_word = overlapping(starts + word_rows * width, ends + word_rows * width, unit_starts, unit_ends)
    # A word before the first unit of its sentence belongs to that one.
    unit_of_word += (unit_of_word < 0) | (unit_rows[unit_of_word] != word_rows)
    beyond = unit_of_word >= len(units)
    missing = np.flatnonzero(beyond | (unit_rows[np.minimum(unit_of_word, len(units) - 1)] != word_rows))
    if len(missing):
        raise InputError(f"{dataset.sentence(int(word_rows[missing[0]]))}: it has words but no EDU")
    return unit_of_word
