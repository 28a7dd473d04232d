"""From the tables of discourse analysis to the structure of a split.

Units (EDUs) are spans of characters, subwords belong to words, and words have characters: a word belongs to the unit
that it shares most characters with, and each of its subwords with it. A unit that gets no word is left out; what hung
on it hangs on its head.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pyarrow as pa

from corpus.errors import InputError
from training.dataset import FLAT, ParallelDataset
from training.structure import SCHEMA, Numbers, circular
from training.units import ranges

Frames = Iterable[pd.DataFrame]


def structure_table(dataset: ParallelDataset, tokens: Frames, edus: Frames, dependencies: Frames) -> pa.Table:
    """The structure of ``dataset`` from the tables ``tokens``, ``edus`` and ``rst_dependencies`` of the source side.

    The tables come in shards, in any order. Raises :class:`InputError`, naming the document, where they are not about
    the same sentences and units.
    """
    words = _in_rows(dataset, [frame[frame["side"] == "source"] for frame in tokens], "tokens", [])
    units = _in_rows(dataset, edus, "edus", ["edu_id"])
    heads = _heads(dataset, units, dependencies)
    units_of_words, counts = _units_of_words(dataset, words, units)
    units_of_subwords = _units_of_subwords(dataset, units_of_words, counts)
    kept, heads = without_unused(units_of_subwords, heads)
    numbers = np.cumsum(kept) - 1  # the new number of each unit that is kept, over the split
    rows = units["row"].to_numpy()[kept]
    offsets = np.searchsorted(rows, np.arange(len(dataset) + 1))
    firsts = np.repeat(offsets[dataset.documents[:-1]], np.diff(dataset.documents))
    lengths = dataset.source.lengths
    columns = {
        "edus": (numbers[units_of_subwords] - np.repeat(firsts, lengths), dataset.source.offsets),
        "edu_heads": (np.where(heads < 0, -1, heads - firsts[rows]), offsets),
    }
    lists = {name: _lists(values, places) for name, (values, places) in columns.items()}
    return pa.table({key: dataset.table[key] for key in ("doc_id", "sent_id")} | lists, schema=SCHEMA)


def overlapping(starts: Numbers, ends: Numbers, unit_starts: Numbers, unit_ends: Numbers) -> Numbers:
    """The unit with which each span ``[start, end)`` shares most characters, the first of several.

    Units are in order and do not overlap. A span that touches none belongs to the unit before it, -1 for none.
    """
    first = np.searchsorted(unit_ends, starts, side="right")
    last = np.maximum(first, np.searchsorted(unit_starts, ends, side="left"))
    spans, candidates = np.repeat(np.arange(len(starts)), last - first), ranges(first, last)
    shared = np.minimum(ends[spans], unit_ends[candidates]) - np.maximum(starts[spans], unit_starts[candidates])
    order = np.lexsort((candidates, -shared, spans))
    touched, places = np.unique(spans[order], return_index=True)
    best = first - 1
    best[touched] = candidates[order][places]
    return best


def without_unused(units: Numbers, heads: Numbers) -> tuple[np.ndarray, Numbers]:
    """Which units occur among ``units`` (bool ``[M]``), and their heads, renumbered.

    ``heads`` is a forest. A unit whose head does not occur gets that one's head, and so on.
    """
    kept = np.zeros(len(heads), dtype=bool)
    kept[units] = True
    while (skipped := (heads >= 0) & ~kept[heads]).any():
        heads = np.where(skipped, heads[heads], heads)
    numbers = np.cumsum(kept) - 1
    return kept, np.where(heads < 0, -1, numbers[heads])[kept]


def _in_rows(dataset: ParallelDataset, frames: Frames, name: str, order: list[str]) -> pd.DataFrame:
    """A table of all shards with the dataset's ``row`` of each of its rows, sorted by it."""
    frame = pd.concat(list(frames), ignore_index=True)
    keys = pd.MultiIndex.from_frame(dataset.table.select(["doc_id", "sent_id"]).to_pandas())
    rows = keys.get_indexer(pd.MultiIndex.from_frame(frame[["doc_id", "sent_id"]]))
    if (rows < 0).any():
        doc_id, sent_id = frame[["doc_id", "sent_id"]].iloc[int(np.argmin(rows))]
        raise InputError(f"table {name}: document {doc_id}, sentence {sent_id} is not in the dataset")
    return frame.assign(row=rows).sort_values(["row", *order], kind="stable", ignore_index=True)


def _heads(dataset: ParallelDataset, units: pd.DataFrame, dependencies: Frames) -> Numbers:
    """The head of each unit, both counted over the split, -1 for a root."""
    names = pd.Index([dataset.document(int(row)) for row in dataset.documents[:-1]])
    document_of_row = np.repeat(np.arange(len(names)), np.diff(dataset.documents))
    documents = document_of_row[units["row"].to_numpy()]
    counts = np.bincount(documents, minlength=len(names))
    firsts = (np.cumsum(counts) - counts)[documents]
    numbers, heads = _in_documents(names, counts, dependencies)

    def require(right: np.ndarray, fault: str) -> None:
        if not right.all():
            raise InputError(f"document {names[documents[np.argmin(right)]]}: {fault}")

    expected = np.arange(len(units)) - firsts
    require(units["edu_id"].to_numpy() == expected, "table edus: its EDUs are not 0, 1, 2 … in text order")
    require(numbers == expected, "table rst_dependencies: its EDUs are not 0, 1, 2 …, each once")
    require((heads >= -1) & (heads < counts[documents]), "table rst_dependencies: a head is none of its EDUs")
    heads = np.where(heads < 0, -1, heads + firsts)
    in_circle = np.zeros(len(heads), dtype=bool)
    in_circle[circular(heads, int(counts.max(initial=0)))] = True
    require(~in_circle, "table rst_dependencies: heads form a circle")
    return heads


def _in_documents(names: pd.Index, counts: Numbers, dependencies: Frames) -> tuple[Numbers, Numbers]:
    """The columns ``edu_id`` and ``head`` of all shards, sorted by document and unit; ``counts`` units per document."""
    frame = pd.concat(list(dependencies), ignore_index=True)
    documents = names.get_indexer(pd.Index(frame["doc_id"]))
    if (documents < 0).any():
        unknown = frame["doc_id"].iloc[int(np.argmin(documents))]
        raise InputError(f"table rst_dependencies: document {unknown} is not in the dataset")
    different = np.bincount(documents, minlength=len(names)) != counts
    if different.any():
        name = names[int(np.argmax(different))]
        raise InputError(f"document {name}: not one row of rst_dependencies for each of its EDUs")
    order = np.lexsort((frame["edu_id"], documents))
    numbers, heads = (frame[column].to_numpy(np.int64)[order] for column in ("edu_id", "head"))
    return numbers, heads


def _units_of_words(dataset: ParallelDataset, words: pd.DataFrame, units: pd.DataFrame) -> tuple[Numbers, Numbers]:
    """The unit of each word, counted over the split, and the number of words of each row."""
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
        row = int(rows[missing[0]])
        sentence = dataset.table["sent_id"][row].as_py()
        raise InputError(f"document {dataset.document(row)}, sentence {sentence}: it has words but no EDU")
    return found, counts


def _units_of_subwords(dataset: ParallelDataset, units_of_words: Numbers, counts: Numbers) -> Numbers:
    """The unit of each source subword, counted over the split."""
    source = dataset.source
    rows = np.repeat(np.arange(len(dataset)), source.lengths)
    wrong = np.flatnonzero((source.words < 0) | (source.words >= counts[rows]))
    if len(wrong):
        row = int(rows[wrong[0]])
        sentence = dataset.table["sent_id"][row].as_py()
        raise InputError(f"document {dataset.document(row)}, sentence {sentence}: a subword belongs to no word")
    return units_of_words[(np.cumsum(counts) - counts)[rows] + source.words]


def _lists(values: Numbers, offsets: Numbers) -> pa.Array:
    return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), pa.array(values, pa.int32())).cast(FLAT)
