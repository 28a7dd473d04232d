"""From the words of a split to the file of words that a cache may hold."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.vocabulary import UNKNOWN
from discourse_nmt.training.data.dataset import KEYS, ParallelDataset
from discourse_nmt.training.data.split_files import Shards, Tables, write_split
from discourse_nmt.training.structures.cache_words import SCHEMA, CacheWordFile
from discourse_nmt.training.structures.unit_files import Numbers

BLOCK = 10_000  # rows whose words are counted at a time


def write_cache_words(
    dataset: ParallelDataset, shards: Shards, path: Path, is_stop_word: Callable[[str], bool]
) -> None:
    """The file of the source side of ``dataset``, from its tables ``tokens``.

    Never cached are words that ``is_stop_word`` names and those with a subword outside the vocabulary. Two words have
    one type where their subwords are the same; types are numbered as they occur, and those of the split are in memory.
    Raises :class:`InputError` where the tables are not about the sentences of the dataset, or a subword belongs to no
    word.
    """
    numbers: dict[bytes, int] = {}
    for start in range(0, len(dataset), BLOCK):
        for word in _words(dataset, start, min(start + BLOCK, len(dataset)))[0]:
            numbers.setdefault(word, len(numbers))

    def table(part: ParallelDataset, tables: Tables) -> pa.Table:
        return _table(part, tables["tokens"], numbers, is_stop_word)

    write_split(dataset, shards, table, SCHEMA, CacheWordFile, path)


def _table(
    dataset: ParallelDataset, tokens: pd.DataFrame, numbers: Mapping[bytes, int], is_stop_word: Callable[[str], bool]
) -> pa.Table:
    """The rows of the documents of ``dataset``; ``numbers`` are those of the types."""
    source = dataset.source
    words, word = _words(dataset, 0, len(dataset))
    types = np.fromiter((numbers[found] for found in words), np.int64)
    unknown = np.zeros(len(types), bool)
    unknown[word[source.ids == UNKNOWN]] = True
    columns = {"types": types[word], "stops": unknown[word] | _stop_words(dataset, tokens, is_stop_word)}
    arrays = {
        name: pa.LargeListArray.from_arrays(
            pa.array(source.offsets, pa.int64()), pa.array(values, SCHEMA.field(name).type.value_type)
        ).cast(SCHEMA.field(name).type)
        for name, values in columns.items()
    }
    return pa.table({key: dataset.table[key] for key in KEYS} | arrays, schema=SCHEMA)


def _words(dataset: ParallelDataset, start: int, stop: int) -> tuple[Iterator[bytes], Numbers]:
    """Each word in the rows ``start … stop - 1`` as its subwords, and the word of each subword, counted over them."""
    source = dataset.source
    subwords = slice(int(source.offsets[start]), int(source.offsets[stop]))
    ids, words = source.ids[subwords], source.words[subwords]
    rows = np.repeat(np.arange(stop - start), source.lengths[start:stop])
    first = np.append(True, (np.diff(words) != 0) | (np.diff(rows) != 0))[: len(rows)]
    borders = [*np.flatnonzero(first).tolist(), len(rows)]
    return (ids[a:b].tobytes() for a, b in pairwise(borders)), np.cumsum(first) - 1


def _stop_words(dataset: ParallelDataset, tokens: pd.DataFrame, is_stop_word: Callable[[str], bool]) -> np.ndarray:
    """Which source subwords are of stop words, bool [subwords]."""
    frame = tokens[tokens["side"] == "source"].sort_values(KEYS, ignore_index=True)
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
