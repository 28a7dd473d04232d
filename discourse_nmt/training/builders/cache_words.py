"""The file of words that a cache may hold, from the words of a split."""

from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.vocabulary import UNKNOWN
from discourse_nmt.text.stop_words import is_stop_word, stop_words
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.builders.rows import lengths_of, list_column, text_rows, word_of_subword
from discourse_nmt.training.data.dataset import KEYS, ParallelDataset
from discourse_nmt.training.data.split_files import Shards, Tables, write_split
from discourse_nmt.training.structures.cache_words import SCHEMA, CacheWordFile

BLOCK = 10_000  # rows whose words are counted at a time


def write_cache_words(dataset: ParallelDataset, shards: Shards, path: Path, options: BuilderOptions) -> None:
    """Write the words of the source side of ``dataset``, from its tables ``tokens``.

    Never cached are stop words of the language and words with a subword outside the vocabulary. Two words have one
    type where their subwords are the same; types are numbered as they occur, and those of the split are in memory.
    Raises :class:`InputError` where the tables are not about the sentences of the dataset, or a subword belongs to no
    word.
    """
    stops = stop_words(options.language)
    types: dict[bytes, int] = {}
    for start in range(0, len(dataset), BLOCK):
        for word in _words(dataset, start, min(start + BLOCK, len(dataset)))[0]:
            types.setdefault(word, len(types))

    def table(shard_rows: ParallelDataset, tables: Tables) -> pa.Table:
        return _table(shard_rows, tables["tokens"], types, stops)

    write_split(dataset, shards, table, SCHEMA, CacheWordFile, path)


def _table(
    dataset: ParallelDataset, tokens: pd.DataFrame, types: Mapping[bytes, int], stops: Collection[str]
) -> pa.Table:
    """The rows of the documents of ``dataset``; ``types`` has the type of each word, a number, by its subwords."""
    source = dataset.source
    words, word_of = _words(dataset, 0, len(dataset))
    type_of_word = np.fromiter((types[word] for word in words), np.int64)
    unknown = np.zeros(len(type_of_word), bool)
    unknown[word_of[source.ids == UNKNOWN]] = True
    columns = {"types": type_of_word[word_of], "stops": unknown[word_of] | _is_stop_word(dataset, tokens, stops)}
    lists = {name: list_column(values, source.lengths, SCHEMA.field(name).type) for name, values in columns.items()}
    return pa.table({key: dataset.table[key] for key in KEYS} | lists, schema=SCHEMA)


def _words(dataset: ParallelDataset, start: int, stop: int) -> tuple[Iterator[bytes], Integers]:
    """The words of the rows ``start … stop - 1``, each as the bytes of its subwords, and the word of each subword."""
    source = dataset.source
    subwords = slice(int(source.offsets[start]), int(source.offsets[stop]))
    ids, words = source.ids[subwords], source.words[subwords]
    rows = np.repeat(np.arange(stop - start), source.lengths[start:stop])
    first = np.append(True, (np.diff(words) != 0) | (np.diff(rows) != 0))[: len(rows)]
    borders = [*np.flatnonzero(first).tolist(), len(rows)]
    return (ids[begin:end].tobytes() for begin, end in pairwise(borders)), np.cumsum(first) - 1


def _is_stop_word(dataset: ParallelDataset, tokens: pd.DataFrame, stops: Collection[str]) -> np.ndarray:
    """Which source subwords are of stop words, bool [subwords]."""
    sentences = text_rows(dataset, tokens, "tokens", "source")["tokens"]
    codes, words = pd.factorize(np.concatenate([np.empty(0, object), *sentences]))
    stopped = np.array([is_stop_word(word, stops) for word in words], bool)
    return stopped[codes][word_of_subword(dataset, lengths_of(sentences))]
