"""Tables beside the rows of a dataset, and the columns of files that are made of them."""

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.training.data.dataset import ParallelDataset


def with_rows(
    dataset: ParallelDataset, table: pd.DataFrame, name: str, sentence: str = "sent_id", within: str | None = None
) -> pd.DataFrame:
    """The table ``name``, sorted by a new column ``row``, the dataset's row of its column ``sentence``.

    Entries of one row are sorted by the column ``within`` or stay in their order. Raises :class:`InputError` for a
    sentence that the dataset does not have.
    """
    rows = dataset.rows_of(table["doc_id"], table[sentence])
    if (rows < 0).any():
        doc_id, sent_id = table[["doc_id", sentence]].iloc[int(np.argmin(rows))]
        raise InputError(f"table {name}: document {doc_id}, sentence {sent_id} is not in the dataset")
    order = ["row"] if within is None else ["row", within]
    return table.assign(row=rows).sort_values(order, kind="stable", ignore_index=True)


def text_rows(dataset: ParallelDataset, table: pd.DataFrame, name: str, side: str) -> pd.DataFrame:
    """One ``side`` of the table ``name``, which holds one row per sentence, in the order of the dataset.

    Raises :class:`InputError` where its sentences are others than the dataset's.
    """
    of_side = table[table["side"] == side]
    rows = dataset.rows_of(of_side["doc_id"], of_side["sent_id"])
    if not np.array_equal(np.sort(rows), np.arange(len(dataset))):
        raise InputError(f"table {name}: its sentences are not those of the dataset")
    return of_side.iloc[np.argsort(rows)].reset_index(drop=True)


def lengths_of(lists: pd.Series) -> Integers:
    """Length of each of some lists, int64."""
    return lists.map(len).to_numpy(np.int64)


def joined(lists: pd.Series) -> Integers:
    """The numbers in some lists one after the other, int64."""
    return np.concatenate([np.empty(0, np.int64), *lists]).astype(np.int64)


def word_of_subword(dataset: ParallelDataset, word_counts: Integers) -> Integers:
    """The word of each source subword, counted over the dataset, whose rows have ``word_counts`` words.

    Raises :class:`InputError`, naming the sentence, for a subword of no word.
    """
    words = dataset.source.words
    rows = np.repeat(np.arange(len(dataset)), dataset.source.lengths)
    wrong = np.flatnonzero((words < 0) | (words >= word_counts[rows]))
    if len(wrong):
        raise InputError(f"{dataset.sentence(int(rows[wrong[0]]))}: a subword belongs to no word")
    return (np.cumsum(word_counts) - word_counts)[rows] + words


def list_column(values: npt.NDArray[np.generic], lengths: Integers, kind: pa.DataType) -> pa.Array:
    """A column of large lists, one per row, by their ``lengths`` and all their ``values`` one after the other."""
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int64())
    return pa.LargeListArray.from_arrays(offsets, pa.array(values, kind.value_type)).cast(kind)
