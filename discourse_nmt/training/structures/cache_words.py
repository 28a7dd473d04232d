"""The words that a cache may hold, beside a dataset, in one memory-mapped Arrow file per split.

The rows are those of the dataset. For each source subword, ``types`` holds the type of its word, equal for equal words
of the split, and ``stops`` is true where the word is never cached.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa

from discourse_nmt.models.theme_cache.document_words import DocumentWords
from discourse_nmt.training.data.dataset import FLAT, KEY_FIELDS, ParallelDataset, map_beside, other_rows

LISTS = {"types": FLAT, "stops": pa.large_list(pa.bool_())}
SCHEMA = pa.schema([*KEY_FIELDS, *(pa.field(name, kind, nullable=False) for name, kind in LISTS.items())])


class CacheWordFile:
    """Such a file, opened beside its dataset; :class:`InputError` where the rows are not the dataset's."""

    def __init__(self, path: str | Path, dataset: ParallelDataset) -> None:
        table = map_beside(path, dataset, SCHEMA, "file of words to cache")
        types, stops = (table[name].chunk(0) for name in ("types", "stops"))
        self.dataset = dataset
        self.types: np.ndarray = types.values.to_numpy()
        self.stops: np.ndarray = stops.values.to_numpy(zero_copy_only=False)
        if not all(np.array_equal(column.offsets.to_numpy(), dataset.source.offsets) for column in (types, stops)):
            raise other_rows(path, dataset)

    def __getitem__(self, rows: slice) -> DocumentWords:
        """The words of some rows of one document."""
        source, start, stop = self.dataset.source, rows.start, rows.stop
        subwords = slice(int(source.offsets[start]), int(source.offsets[stop]))
        words, types = (values[subwords].astype(np.int64) for values in (source.words, self.types))
        return DocumentWords(source.lengths[start:stop], words, types, self.stops[subwords])
