"""From the words of a split to the file of words that a cache may hold."""

from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa

from corpus.errors import InputError
from corpus.vocabulary import UNKNOWN
from training.cache_words import SCHEMA
from training.dataset import KEYS, ParallelDataset


def cache_words_table(
    dataset: ParallelDataset, tokens: Iterable[pd.DataFrame], is_stop_word: Callable[[str], bool]
) -> pa.Table:
    """The rows of the file, of the source side of the tables ``tokens``, which come in shards, in any order.

    Never cached are words that ``is_stop_word`` names and those with a subword outside the vocabulary. Two words have
    one type where their subwords are the same. Raises :class:`InputError` where the tables are not about the sentences
    of the dataset, or a subword belongs to no word.
    """
    source = dataset.source
    rows = np.repeat(np.arange(len(dataset)), source.lengths)
    starts = np.flatnonzero(np.append(True, (np.diff(source.words) != 0) | (np.diff(rows) != 0))[: len(rows)])
    word = np.cumsum(np.bincount(starts, minlength=len(rows))) - 1  # of each subword, over the split
    numbers: dict[bytes, int] = {}
    borders = [*starts.tolist(), len(rows)]
    types = [numbers.setdefault(source.ids[a:b].tobytes(), len(numbers)) for a, b in pairwise(borders)]
    unknown = np.zeros(len(starts), bool)
    unknown[word[source.ids == UNKNOWN]] = True
    stops = unknown | _stop_words(dataset, tokens, is_stop_word)[starts]
    columns = {"types": np.array(types, np.int64)[word], "stops": stops[word]}
    arrays = {
        name: pa.LargeListArray.from_arrays(
            pa.array(source.offsets, pa.int64()), pa.array(values, SCHEMA.field(name).type.value_type)
        ).cast(SCHEMA.field(name).type)
        for name, values in columns.items()
    }
    return pa.table({key: dataset.table[key] for key in KEYS} | arrays, schema=SCHEMA)


def _stop_words(
    dataset: ParallelDataset, tokens: Iterable[pd.DataFrame], is_stop_word: Callable[[str], bool]
) -> np.ndarray:
    """Which source subwords are of stop words, bool [subwords]."""
    frame = pd.concat([shard[shard["side"] == "source"] for shard in tokens]).sort_values(KEYS, ignore_index=True)
    keys = dataset.table.select(KEYS).to_pandas()
    if len(frame) != len(keys) or not all((frame[key].to_numpy() == keys[key].to_numpy()).all() for key in KEYS):
        raise InputError("table tokens: its sentences are not those of the dataset")
    counts = frame["tokens"].map(len).to_numpy(np.int64)
    source = dataset.source
    rows = np.repeat(np.arange(len(dataset)), source.lengths)
    wrong = np.flatnonzero((source.words < 0) | (source.words >= counts[rows]))
    if len(wrong):
        row = int(rows[wrong[0]])
        sentence = dataset.table["sent_id"][row].as_py()
        raise InputError(f"document {dataset.document(row)}, sentence {sentence}: a subword belongs to no word")
    codes, words = pd.factorize(np.concatenate([np.empty(0, object), *frame["tokens"]]))
    stops = np.array([is_stop_word(word) for word in words], bool)
    return stops[codes][(np.cumsum(counts) - counts)[rows] + source.words]
