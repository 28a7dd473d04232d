"""Temporary storage, on disk, of the rows of a split's file while its shards are read."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import naming
from discourse_nmt.training.data.arrow_files import one_batch, sizes_of, write_batches


class SplitRows:
    """Collects rows of documents in any order and writes them to the file ``path`` in document order.

    Rows are kept in an unnamed file beside it, which ends with the process. In memory are the ids of documents with
    their positions in that file, and the rows that are being added.
    """

    def __init__(self, schema: pa.Schema, path: Path) -> None:
        self.schema, self.path = schema, path
        self._folder = str(path.parent)
        with naming(self._folder):
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115
        self._extents: dict[str, tuple[int, int]] = {}  # first byte and number of bytes
        self._end = 0

    def add(self, table: pa.Table) -> None:
        """Add the rows of whole documents, each in the order of its sentences.

        Raises :class:`InputError` for a document that has been added before.
        """
        batch = one_batch(table)
        names = batch["doc_id"].to_numpy(zero_copy_only=False)
        starts = [0, *(np.flatnonzero(names[1:] != names[:-1]) + 1).tolist()] if len(names) else []
        for start, stop in zip(starts, [*starts[1:], len(names)]):
            if names[start] in self._extents:
                raise InputError(
                    f"document {names[start]}, sentence {batch['sent_id'][start].as_py()}: "
                    "the document occurs twice in the split",
                    remedy="give documents ids of their own",
                )
            rows = batch.slice(start, stop - start).serialize()
            with naming(self._folder):
                self._file.write(rows)
            self._extents[names[start]] = (self._end, rows.size)
            self._end += rows.size

    @property
    def documents(self) -> list[str]:
        """The ids in the order of the file, that of Unicode code points."""
        return sorted(self._extents)

    def write(self, metadata: Mapping[str, str] | None = None) -> None:
        """Write the file as one record batch, with ``metadata`` in its schema."""
        schema = self.schema.with_metadata(metadata) if metadata else self.schema
        sizes = np.array(sizes_of(one_batch(schema.empty_table())), np.int64)
        for batch in self.batches():
            sizes += sizes_of(batch)
        write_batches(self.batches(), sizes.tolist(), schema, self.path)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows of each document, in the order of the file."""
        with naming(self._folder):
            self._file.flush()
        for name in self.documents:
            start, size = self._extents[name]
            rows = os.pread(self._file.fileno(), size, start)
            yield pa.ipc.read_record_batch(pa.py_buffer(rows), self.schema)
