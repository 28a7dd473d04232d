"""Sentence pairs as subword ids in one memory-mapped Arrow file per split, in document order, and files beside it.

One row per sentence pair: ``doc_id``, ``sent_id``, and for each side ``<side>_ids`` (subword ids without
sentence marks) and ``<side>_words`` (word of each subword within its sentence). Rows are sorted by document
id (by Unicode code point), then sentence number. The file is one record batch, so that each column is one
flat array on disk.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.spans import ranges
from discourse_nmt.base.storage.files import verified
from discourse_nmt.base.storage.tables import NUMBER, TEXT
from discourse_nmt.training.data.arrow_files import narrow

if TYPE_CHECKING:
    import pandas as pd  # long to import, and not used by every command that reads files

SIDES = ("source", "target")
KEYS = ["doc_id", "sent_id"]
KEY_FIELDS = (pa.field("doc_id", TEXT, nullable=False), pa.field("sent_id", NUMBER, nullable=False))
FLAT = pa.large_list(NUMBER)
CutBy = Literal["source", "both"]
"""The side whose subwords fill an instance: the source, or the larger one of both (spec 00, section 4)."""
SCHEMA = pa.schema(
    [
        *KEY_FIELDS,
        *(pa.field(f"{side}_{kind}", FLAT, nullable=False) for side in SIDES for kind in ("ids", "words")),
    ]
)


def map_rows(path: str | Path, columns: pa.Schema, what: str) -> pa.Table:
    """Memory-map a file of one record batch; an :class:`InputError` where it is no readable ``what``."""
    try:
        table = pa.ipc.open_file(pa.memory_map(str(verified(path)))).read_all()
        # In a damaged file, offsets may point outside the buffers and would crash the interpreter.
        table.validate(full=True)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"not a readable {what} ({reason})", file=path, remedy="delete it and run again") from None
    if narrow(table.schema) != columns or len(table["doc_id"].chunks) != 1:
        raise InputError(f"not a {what}: other columns", file=path, remedy="delete it and run again")
    return table


def map_beside(path: str | Path, dataset: "ParallelDataset", columns: pa.Schema, what: str) -> pa.Table:
    """Memory-map a file with one row for each row of ``dataset``; :class:`InputError` where it has other rows."""
    table = map_rows(path, columns, what)
    # The ids of a whole split may be large strings, those of a part of it are not.
    if not all(table[key].cast(dataset.table[key].type).equals(dataset.table[key]) for key in KEYS):
        raise other_rows(path, dataset)
    return table


def other_rows(path: str | Path, dataset: "ParallelDataset") -> InputError:
    """The error that a file's rows are not those of ``dataset``."""
    return InputError(f"its rows are not those of {dataset.path}", file=path, remedy="delete it and run again")


@dataclass(frozen=True)
class Side:
    """Subwords of one side: row ``r`` has ``ids[offsets[r]:offsets[r + 1]]`` and ``words`` likewise.

    ``ids`` and ``words`` are int32 views ``[tokens]`` of the file, ``offsets`` an int64 view ``[rows + 1]``;
    ``largest`` is the largest id (-1 where there is none).
    """

    ids: np.ndarray
    words: np.ndarray
    offsets: np.ndarray
    largest: int

    @property
    def lengths(self) -> np.ndarray:
        """Number of subwords of each row, int64 ``[rows]``."""
        return np.diff(self.offsets)

    def rows(self, start: int, stop: int) -> list[np.ndarray]:
        """The subword ids of each of the rows ``start … stop - 1``: views of the file."""
        offsets = self.offsets[start : stop + 1]
        return np.split(self.ids[offsets[0] : offsets[-1]], offsets[1:-1] - offsets[0])

    def sentences(self) -> list[list[int]]:
        """The subword ids of each row, copied."""
        return [self.ids[first:last].tolist() for first, last in zip(self.offsets[:-1], self.offsets[1:])]


class ParallelDataset:
    """The sentence pairs of a split, memory-mapped: opening reads no text and copies no ids.

    ``documents`` (int64 ``[documents + 1]``) holds the first row of each document and, last, the number of
    rows. ``cut_by`` says what its instances are cut by.
    """

    def __init__(self, path: str | Path, table: pa.Table | None = None) -> None:
        """Open the file, or take the rows of a ``table`` from it."""
        table = map_rows(path, SCHEMA, "dataset") if table is None else table
        self.path = Path(path)
        self.table = table
        self.cut_by: CutBy = "source" if table.schema.metadata.get(b"cut_by") == b"source" else "both"
        self.source, self.target = (self._side(side) for side in SIDES)
        names = table["doc_id"].chunk(0)
        begins = pc.not_equal(names.slice(1), names.slice(0, max(0, len(names) - 1)))
        first = np.flatnonzero(begins.to_numpy(zero_copy_only=False)) + 1
        self.documents = np.concatenate([[0], first, [len(names)]]) if len(names) else np.zeros(1, dtype=np.int64)

    def _side(self, side: str) -> Side:
        ids, words = (self.table[f"{side}_{kind}"].chunk(0) for kind in ("ids", "words"))
        return Side(
            ids=ids.values.to_numpy(),
            words=words.values.to_numpy(),
            offsets=ids.offsets.to_numpy(),
            largest=int(self.table.schema.metadata[f"largest_{side}_id".encode()]),
        )

    def __len__(self) -> int:
        return self.table.num_rows

    @cached_property
    def names(self) -> "pd.Index":
        """The id of each document."""
        import pandas as pd

        return pd.Index(self.table["doc_id"].take(self.documents[:-1]).to_pandas(), dtype=object)

    def stretch(self, start: int, stop: int) -> "ParallelDataset":
        """The rows ``start … stop - 1``, whole documents."""
        rows = ParallelDataset(self.path, self.table.slice(start, stop - start))
        first, last = np.searchsorted(self.documents, [start, stop])
        rows.documents = self.documents[first : last + 1] - start
        return rows

    def without_context(self) -> "ParallelDataset":
        """The same rows, each a document by itself."""
        rows = ParallelDataset(self.path, self.table)
        rows.documents = np.arange(len(self) + 1)
        return rows

    def of(self, names: Iterable[str]) -> "ParallelDataset":
        """The rows of some documents, copied, in the order of the dataset; unknown names are ignored."""
        import pandas as pd

        indices = np.unique(self.names.get_indexer(pd.Index(dict.fromkeys(names), dtype=object)))
        indices = indices[indices >= 0]
        rows = self.table.take(ranges(self.documents[indices], self.documents[indices + 1]))
        return ParallelDataset(self.path, rows.combine_chunks())

    def rows_of(self, documents: "pd.Series[str]", sentences: "pd.Series[int]") -> np.ndarray:
        """The row of each sentence by its document and number, -1 for one that there is not; int64."""
        import pandas as pd

        keys = pd.MultiIndex.from_frame(self.table.select(KEYS).to_pandas())
        rows: np.ndarray = keys.get_indexer(pd.MultiIndex.from_arrays([documents, sentences]))
        return rows

    def document_of(self, rows: np.ndarray) -> np.ndarray:
        """The number of the document of each of the ``rows``, an index of :attr:`names`; int64 ``[rows]``."""
        return np.searchsorted(self.documents, rows, side="right") - 1

    def document(self, row: int) -> str:
        """Document id of a row."""
        return self.table["doc_id"][row].as_py()

    def sentence(self, row: int) -> str:
        """Document and sentence of a row as messages name them."""
        return f"document {self.document(row)}, sentence {self.table['sent_id'][row].as_py()}"
