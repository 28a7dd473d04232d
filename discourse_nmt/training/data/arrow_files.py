"""Arrow IPC files of one record batch, written without having it in memory as a whole.

Arrow writes a record batch in one piece, and only with a single batch is each column one flat array of the mapped file.
The batch is therefore first written with buffers that are allocated as zeros (untouched virtual memory). Its buffers in
the file are then filled from front to back.
"""

import mmap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Values = npt.NDArray[np.generic]
STRING_BYTES = 2**31 - 1  # limit of the offsets of strings; those of large strings have eight bytes each


def one_batch(table: pa.Table) -> pa.RecordBatch:
    """The rows of a table in one batch; a table may have no rows."""
    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pa.RecordBatch.from_pylist([], schema=table.schema)


def write_rows(table: pa.Table, path: Path) -> None:
    """Write a table that is in memory as one batch."""
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_batch(one_batch(table))


def sizes_of(batch: pa.RecordBatch) -> list[int]:
    """Number of values of each level of its columns: of rows, of elements of lists, and of bytes of strings."""
    return [len(values) for column in batch.columns for values in _levels(column)]


def write_batches(batches: Iterable[pa.RecordBatch], sizes: Sequence[int], schema: pa.Schema, path: Path) -> None:
    """Write ``batches`` as one batch, with one at a time in memory; ``sizes`` are the sums of their :func:`sizes_of`.

    Columns hold numbers, truth values, strings and large lists of these, without nulls. Strings of more than 2 GiB in
    one column become large strings; :func:`narrow` gives the schema that they had.
    """
    next_size = iter(sizes)
    columns = [_blank(field.type, next_size) for field in schema]
    fields = [field.with_type(column.type) for field, column in zip(schema, columns)]
    blank = pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields, metadata=schema.metadata))
    with pa.ipc.new_file(str(path), blank.schema) as writer:
        writer.write_batch(blank)
    with pa.memory_map(str(path)) as source, path.open("r+b") as file:
        start = source.read_buffer().address
        mapped = pa.ipc.open_file(source).get_batch(0)
        levels = [level for column in mapped.columns for level in _opened(column.type, column.buffers(), start, file)]
        for batch in batches:
            values_of_levels = (values for column in batch.columns for values in _levels(column))
            for level, values in zip(levels, values_of_levels, strict=True):
                level.append(values)


def narrow(schema: pa.Schema) -> pa.Schema:
    """The schema of the rows that a file of :func:`write_batches` was made of, without metadata."""
    return pa.schema([field.with_type(_narrow(field.type)) for field in schema])


def _narrow(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(_narrow(kind.value_type)))
    return pa.string() if pa.types.is_large_string(kind) else kind


def _levels(array: pa.Array) -> Iterator[Values]:
    """The values of an array from the outermost level on: lengths of lists or strings, then their contents."""
    if pa.types.is_large_list(array.type):
        yield pc.list_value_length(array).to_numpy()
        yield from _levels(array.flatten())
    elif pa.types.is_string(array.type):
        yield pc.binary_length(array).to_numpy()
        yield np.frombuffer(b"".join(array.cast(pa.binary()).to_pylist()), np.uint8)
    else:
        yield array.to_numpy(zero_copy_only=not pa.types.is_boolean(array.type))


def _blank(kind: pa.DataType, sizes: Iterator[int]) -> pa.Array:
    """An array of the next size; all its lists and strings but the last are empty."""
    length = next(sizes)
    if pa.types.is_large_list(kind):
        children = [_blank(kind.value_type, sizes)]
        kind = pa.large_list(kind.value_field.with_type(children[0].type))
        buffers = [_blank_ends(np.int64, length, len(children[0]))]
    elif pa.types.is_string(kind):
        children, size = [], next(sizes)
        kind = pa.large_string() if size > STRING_BYTES else kind
        buffers = [_blank_ends(_ends_of(kind), length, size), pa.py_buffer(_zeros(size))]
    else:
        children, buffers = [], [pa.py_buffer(_zeros(-(-length * kind.bit_width // 8)))]
    return pa.Array.from_buffers(kind, length, [None, *buffers], children=children)


def _ends_of(kind: pa.DataType) -> type[np.int32 | np.int64]:
    return np.int32 if pa.types.is_string(kind) else np.int64


def _blank_ends(kind: type[np.int32 | np.int64], length: int, end: int) -> pa.Buffer:
    ends = _zeros((length + 1) * np.dtype(kind).itemsize).view(kind)
    ends[-1] = end
    return pa.py_buffer(ends)


def _zeros(size: int) -> Values:
    """Zero bytes of anonymous memory, whose pages are allocated only when written; numpy does not promise that."""
    if not size:
        return np.empty(0, np.uint8)
    return np.frombuffer(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), np.uint8)


class _Level:
    """A buffer in the file that is filled from front to back; ``position`` is its next byte in the file."""

    def __init__(self, file: IO[bytes], position: int) -> None:
        self.file, self.position = file, position

    def append(self, values: Values) -> None:
        if len(values):  # an empty buffer has no position
            self.file.seek(self.position)
            self.position += self.file.write(np.ascontiguousarray(values).data.cast("B"))


class _Ends(_Level):
    """Offsets at which lists or strings end, from their lengths; the 0 before the first end is already written."""

    def __init__(self, file: IO[bytes], position: int, kind: type[np.int32 | np.int64]) -> None:
        super().__init__(file, position + np.dtype(kind).itemsize)
        self.kind, self.reached = kind, 0

    def append(self, values: Values) -> None:
        ends = self.reached + np.cumsum(values, dtype=np.int64)
        super().append(ends.astype(self.kind))
        self.reached = int(ends[-1]) if len(ends) else self.reached


class _Bits(_Level):
    """Truth values, eight in a byte; those of an incomplete byte are written again with the values that follow."""

    def __init__(self, file: IO[bytes], position: int) -> None:
        super().__init__(file, position)
        self.rest = np.empty(0, bool)

    def append(self, values: Values) -> None:
        bits = np.concatenate([self.rest, values])
        whole = len(bits) // 8
        super().append(np.packbits(bits, bitorder="little"))
        self.position -= len(bits) > 8 * whole
        self.rest = bits[8 * whole :]


def _opened(kind: pa.DataType, buffers: Sequence[pa.Buffer | None], start: int, file: IO[bytes]) -> Iterator[_Level]:
    """The levels of a mapped column; the file is mapped at the address ``start``."""
    positions = [buffer.address - start if buffer is not None else 0 for buffer in buffers]
    if pa.types.is_large_list(kind):
        yield _Ends(file, positions[1], np.int64)
        yield from _opened(kind.value_type, buffers[2:], start, file)
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        yield _Ends(file, positions[1], _ends_of(kind))
        yield _Level(file, positions[2])
    else:
        yield (_Bits if pa.types.is_boolean(kind) else _Level)(file, positions[1])
