"""The words that a cache may hold, beside a dataset, in one memory-mapped Arrow file per split.

The rows are those of the dataset. For each source subword ``types`` has the number of its word's type, equal for equal
words of the split, and ``stops`` says whether the word is never to be cached.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.storage.tables import NUMBER, TEXT
from discourse_nmt.models.theme_cache.document_words import DocumentWords
from discourse_nmt.training.data.dataset import FLAT, KEYS, ParallelDataset, map_rows

SCHEMA = pa.schema(
    [
        pa.field("doc_id", TEXT, nullable=False),
        pa.field("sent_id", NUMBER, nullable=False),
        pa.field("types", FLAT, nullable=False),
        pa.field("stops", pa.large_list(pa.bool_()), nullable=False),
    ]
)


class CacheWordFile:
    """Such a file, opened beside its dataset; :class:`InputError` where the rows are not the dataset's."""

    def __init__(self, path: str | Path, dataset: ParallelDataset) -> None:
        table = map_rows(path, SCHEMA, "file of words to cache")
        types, stops = (table[name].chunk(0) for name in ("types", "stops"))
        self.dataset = dataset
        self.types: np.ndarray = types.values.to_numpy()
        self.stops: np.ndarray = stops.values.to_numpy(zero_copy_only=False)
        same = all(table[key].equals(dataset.table[key]) for key in KEYS)
        offsets = (each.offsets.to_numpy() for each in (types, stops))
        if not same or not all(np.array_equal(each, dataset.source.offsets) for each in offsets):
            raise InputError(f"its rows are not those of {dataset.path}", file=path, remedy="delete it and run again")

    def __getitem__(self, rows: slice) -> DocumentWords:
        """The words of some rows of one document."""
        source, start, stop = self.dataset.source, rows.start, rows.stop
        subwords = slice(int(source.offsets[start]), int(source.offsets[stop]))
        words, types = (each[subwords].astype(np.int64) for each in (source.words, self.types))
        return DocumentWords(source.lengths[start:stop], words, types, self.stops[subwords])
