"""Sentence pairs as subword ids in one memory-mapped Arrow file per split, in document order.

One row per sentence pair: ``doc_id``, ``sent_id``, and for each side ``<side>_ids`` (subword ids without
sentence marks) and ``<side>_words`` (word of each subword within its sentence). Rows are sorted by document
id (by Unicode code point), then sentence number. The file is one record batch, so that each column is one
flat array on disk.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from corpus.errors import InputError
from corpus.files import verified
from corpus.tables import NUMBER, TEXT, schema

SIDES = ("source", "target")
KEYS = ["doc_id", "sent_id"]
FLAT = pa.large_list(NUMBER)
SCHEMA = pa.schema(
    [
        pa.field("doc_id", TEXT, nullable=False),
        pa.field("sent_id", NUMBER, nullable=False),
        *(pa.field(f"{side}_{kind}", FLAT, nullable=False) for side in SIDES for kind in ("ids", "words")),
    ]
)


def merge_subwords(shards: Iterable[pd.DataFrame]) -> pa.Table:
    """Join the ``subwords`` tables of all shards of a split into one table of sentence pairs in document
    order.

    Raises :class:`InputError` for a sentence that occurs twice, lacks a side, or whose ids and words differ
    in number.
    """
    parts = [pair_sides(pa.Table.from_pandas(shard, schema=schema("subwords"))) for shard in shards]
    table = pa.concat_tables(parts) if parts else SCHEMA.empty_table()
    table = table.sort_by([(key, "ascending") for key in KEYS]).combine_chunks()
    check_no_repetition(table)
    largest = {side: pc.max(pc.list_flatten(table[f"{side}_ids"])).as_py() for side in SIDES}
    return table.replace_schema_metadata(
        {f"largest_{side}_id": str(-1 if value is None else value) for side, value in largest.items()}
    )


def pair_sides(table: pa.Table) -> pa.Table:
    """Put the two sides of each sentence of a ``subwords`` table into one row."""
    sides = {
        side: table.filter(pc.equal(table["side"], side)).sort_by([(key, "ascending") for key in KEYS])
        for side in SIDES
    }
    source, target = (sides[side] for side in SIDES)
    if table.num_rows != source.num_rows + target.num_rows:
        raise InputError("subwords table: a side is neither source nor target")
    if not all(source[key].equals(target[key]) for key in KEYS):
        keys = [set(zip(*(side[key].to_pylist() for key in KEYS))) for side in (source, target)]
        doc_id, sent_id = min(keys[0] ^ keys[1], default=("?", -1))
        raise InputError(
            f"document {doc_id}, sentence {sent_id}: one side is missing or repeated in the subwords table"
        )
    columns = {key: source[key] for key in KEYS}
    for side, rows in sides.items():
        columns[f"{side}_ids"], columns[f"{side}_words"] = (
            rows["ids"].cast(FLAT),
            rows["word_of_subword"].cast(FLAT),
        )
        lengths = [pc.list_value_length(columns[f"{side}_{kind}"]) for kind in ("ids", "words")]
        if not lengths[0].equals(lengths[1]):
            place = pc.index(pc.not_equal(*lengths), True).as_py()
            doc_id, sent_id = (columns[key][place].as_py() for key in KEYS)
            raise InputError(f"document {doc_id}, sentence {sent_id}: not one word for each {side} subword")
    return pa.table(columns, schema=SCHEMA)


def check_no_repetition(table: pa.Table) -> None:
    """Raise :class:`InputError` where two neighbouring rows of the sorted table have the same keys."""
    same = [pc.equal(table[key].slice(1), table[key].slice(0, max(0, table.num_rows - 1))) for key in KEYS]
    place = pc.index(pc.and_(*same), True).as_py()
    if place >= 0:
        doc_id, sent_id = (table[key][place].as_py() for key in KEYS)
        raise InputError(
            f"document {doc_id}, sentence {sent_id} occurs twice in the split",
            remedy="give documents ids of their own",
        )


def write_dataset(table: pa.Table, path: Path) -> None:
    """Write rows, such as :func:`merge_subwords` makes, as an uncompressed Arrow IPC file of one record batch."""
    with pa.ipc.new_file(str(path), table.schema) as writer:
        for batch in table.to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]:
            writer.write_batch(batch)


def map_rows(path: str | Path, columns: pa.Schema, what: str) -> pa.Table:
    """Memory-map a file that :func:`write_dataset` wrote; one that is not a readable ``what`` is an input error."""
    try:
        table = pa.ipc.open_file(pa.memory_map(str(verified(path)))).read_all()
        # Offsets that a damaged file leads outside its buffers would crash the interpreter.
        table.validate(full=True)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"not a readable {what} ({reason})", file=path, remedy="delete it and run again") from None
    if table.schema.remove_metadata() != columns or len(table["doc_id"].chunks) != 1:
        raise InputError(f"not a {what}: other columns", file=path, remedy="delete it and run again")
    return table


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
    rows.
    """

    def __init__(self, path: str | Path) -> None:
        table = map_rows(path, SCHEMA, "dataset")
        self.path = Path(path)
        self.table = table
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

    def document(self, row: int) -> str:
        """Document id of a row."""
        return self.table["doc_id"][row].as_py()
