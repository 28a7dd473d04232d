"""Which discourse unit (EDU) each source subword of some documents belongs to, from the tables of discourse analysis.

Units are spans of characters, subwords belong to words, and words have characters: a word belongs to the unit that it
shares most characters with, and each of its subwords with it. A unit that gets no word is left out.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.spans import most_shared
from discourse_nmt.training.data.dataset import KEYS, ParallelDataset
from discourse_nmt.training.structures.unit_files import Numbers


@dataclass(frozen=True)
class Alignment:
    """The units of a dataset, counted over it in text order, and the unit of each source subword."""

    dataset: ParallelDataset
    rows: Numbers
    """The dataset's row of each unit, ``[units]``."""
    of_subwords: Numbers
    """The unit of each source subword, ``[subwords]``."""

    @cached_property
    def kept(self) -> npt.NDArray[np.bool_]:
        """Which units have a subword, ``[units]``."""
        kept = np.zeros(len(self.rows), dtype=bool)
        kept[self.of_subwords] = True
        return kept

    @cached_property
    def offsets(self) -> Numbers:
        """The units of row ``r`` are those from ``offsets[r]`` to ``offsets[r + 1] - 1``, kept or not."""
        return np.searchsorted(self.rows, np.arange(len(self.dataset) + 1))

    @cached_property
    def documents(self) -> Numbers:
        """The first unit of each document and, last, the number of units."""
        return self.offsets[self.dataset.documents]

    @cached_property
    def counts(self) -> Numbers:
        """How many units each row keeps, ``[rows]``."""
        return np.bincount(self.rows[self.kept], minlength=len(self.dataset))

    def kept_before(self, borders: Numbers) -> Numbers:
        """Of each row, how many units are kept before its run; see :class:`.UnitFile`."""
        offsets = np.concatenate([[0], np.cumsum(self.counts)])
        return np.repeat(offsets[borders[:-1]], np.diff(borders))

    def table(
        self, borders: Numbers, columns: dict[str, tuple[npt.NDArray[np.generic], Numbers]], schema: pa.Schema
    ) -> pa.Table:
        """The rows of a unit file of that ``schema``.

        Units are counted over each run of rows; ``columns`` holds values by name, and how many of them each row has.
        """
        numbers = np.cumsum(self.kept)[self.of_subwords] - 1
        lengths = self.dataset.source.lengths
        edus = {"edus": (numbers - np.repeat(self.kept_before(borders), lengths), lengths)}
        arrays: dict[str, pa.Array] = {}
        for name, (values, sizes) in (edus | columns).items():
            offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int64())
            field = schema.field(name).type
            arrays[name] = pa.LargeListArray.from_arrays(offsets, pa.array(values, field.value_type)).cast(field)
        return pa.table({key: self.dataset.table[key] for key in KEYS} | arrays, schema=schema)


def aligned(dataset: ParallelDataset, tokens: pd.DataFrame, edus: pd.DataFrame) -> Alignment:
    """The units in the table ``edus`` and the subwords of ``dataset``, by the words in the table ``tokens``.

    Raises :class:`InputError`, naming the document, where they are not about the same sentences, or the units of a
    document are not numbered in text order.
    """
    words = _in_rows(dataset, tokens[tokens["side"] == "source"], "tokens", [])
    units = _in_rows(dataset, edus, "edus", ["edu_id"])
    _check_numbers(dataset, units)
    units_of_words, counts = _units_of_words(dataset, words, units)
    return Alignment(dataset, units["row"].to_numpy(np.int64), _units_of_subwords(dataset, units_of_words, counts))


def overlapping(starts: Numbers, ends: Numbers, unit_starts: Numbers, unit_ends: Numbers) -> Numbers:
    """The unit with which each span ``[start, end)`` shares most characters, the first of several.

    Units are in order and do not overlap. A span that touches none belongs to the unit before it, -1 for none.
    """
    found = most_shared(starts, ends, unit_starts, unit_ends)
    before = np.searchsorted(unit_ends, starts, side="right") - 1
    return np.where(found < 0, before, found)


def _in_rows(dataset: ParallelDataset, frame: pd.DataFrame, name: str, order: list[str]) -> pd.DataFrame:
    """A table with the dataset's ``row`` of each of its rows, sorted by it."""
    keys = pd.MultiIndex.from_frame(dataset.table.select(KEYS).to_pandas())
    rows = keys.get_indexer(pd.MultiIndex.from_frame(frame[KEYS]))
    if (rows < 0).any():
        doc_id, sent_id = frame[KEYS].iloc[int(np.argmin(rows))]
        raise InputError(f"table {name}: document {doc_id}, sentence {sent_id} is not in the dataset")
    return frame.assign(row=rows).sort_values(["row", *order], kind="stable", ignore_index=True)


def _check_numbers(dataset: ParallelDataset, units: pd.DataFrame) -> None:
    """Check that the units of every document are numbered 0, 1, 2 … in text order."""
    firsts = np.repeat(dataset.documents[:-1], np.diff(dataset.documents))[units["row"]]  # first row of the document
    expected = np.arange(len(units)) - np.searchsorted(units["row"], firsts)
    wrong = np.flatnonzero(units["edu_id"] != expected)
    if len(wrong):
        name = dataset.document(int(firsts[wrong[0]]))
        raise InputError(f"document {name}: table edus: its EDUs are not 0, 1, 2 … in text order")


def _units_of_words(dataset: ParallelDataset, words: pd.DataFrame, units: pd.DataFrame) -> tuple[Numbers, Numbers]:
    """The unit of each word, counted over the dataset, and the number of words of each row."""
    if not np.array_equal(words["row"], np.arange(len(dataset))):
        raise InputError("table tokens: its sentences are not those of the dataset")
    counts = words["starts"].map(len).to_numpy(np.int64)
    starts, ends = (np.concatenate([[], *words[name]]).astype(np.int64) for name in ("starts", "ends"))
    rows, unit_rows = np.repeat(np.arange(len(words)), counts), units["row"].to_numpy(np.int64)
    # Sentences one after the other on one line of characters, so that their spans are apart.
    width = 1 + max(int(ends.max(initial=0)), int(units["end"].max() if len(units) else 0))
    unit_starts, unit_ends = (units[name].to_numpy(np.int64) + unit_rows * width for name in ("start", "end"))
    found = overlapping(starts + rows * width, ends + rows * width, unit_starts, unit_ends)
    # A word before the first unit of its sentence belongs to that one.
    found += (found < 0) | (unit_rows[found] != rows)
    missing = np.flatnonzero((found >= len(units)) | (unit_rows[np.minimum(found, len(units) - 1)] != rows))
    if len(missing):
        _refuse(dataset, int(rows[missing[0]]), "it has words but no EDU")
    return found, counts


def _units_of_subwords(dataset: ParallelDataset, units_of_words: Numbers, counts: Numbers) -> Numbers:
    """The unit of each source subword, counted over the dataset."""
    source = dataset.source
    rows = np.repeat(np.arange(len(dataset)), source.lengths)
    wrong = np.flatnonzero((source.words < 0) | (source.words >= counts[rows]))
    if len(wrong):
        _refuse(dataset, int(rows[wrong[0]]), "a subword belongs to no word")
    return units_of_words[(np.cumsum(counts) - counts)[rows] + source.words]


def _refuse(dataset: ParallelDataset, row: int, fault: str) -> None:
    sentence = dataset.table["sent_id"][row].as_py()
    raise InputError(f"document {dataset.document(row)}, sentence {sentence}: {fault}")
