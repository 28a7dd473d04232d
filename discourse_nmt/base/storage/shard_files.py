"""Files of several shards, one row group per shard, so that a job holds one shard in memory at a time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.shards import stable_hash
from discourse_nmt.base.storage.files import replacing, verified
from discourse_nmt.base.storage.tables import arrow_table, read_table, schema

if TYPE_CHECKING:
    import pandas as pd  # long to import, and not used by every command that reads files


def write_shards(frames: Iterable["pd.DataFrame"], path: str | Path, name: str) -> None:
    """Validate frames against the schema ``name`` and write them atomically to one file, one row group per frame."""
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(temporary, schema(name), compression="zstd", write_page_checksum=True) as writer,
    ):
        for table in map(partial(arrow_table, name=name), frames):  # map frees each frame before it takes the next
            writer.write_table(table, row_group_size=max(1, len(table)))


def read_shards(path: str | Path, name: str, columns: list[str] | None = None) -> Iterator["pd.DataFrame"]:
    """The shards of a file of :func:`write_shards`, one at a time; see :func:`.read_table`."""
    return (_read(path, name, columns, group) for group in range(shards_in(path, name)))


def read_some(paths: Sequence[str | Path], name: str, rows: int, columns: Sequence[str]) -> Iterator["pd.DataFrame"]:
    """The shards of all files of a split with about ``rows`` rows at most in whole documents.

    A stable hash of the document id chooses the documents, so that the number of shards changes nothing. ``columns``
    hold ``doc_id``. Raises :class:`InputError` at once for a file that is damaged.
    """
    total = sum(_metadata(verified(path)).num_rows for path in paths)

    def shards() -> Iterator["pd.DataFrame"]:
        for path in paths:
            for shard in read_shards(path, name, list(columns)):
                if rows < total:
                    below = 2**64 * rows // total
                    chosen = {doc_id for doc_id in shard["doc_id"].unique() if stable_hash(doc_id, "some") < below}
                    shard = shard[shard["doc_id"].isin(chosen)]
                yield shard

    return shards()


def read_together(
    paths: Mapping[str, str | Path], tables: Mapping[str, str] | None = None
) -> Iterator[dict[str, "pd.DataFrame"]]:
    """The n-th shards of several tables together, by name; an :class:`InputError` where the tables have unequal shards.

    ``tables`` maps a name to its table where the two differ.
    """
    kinds = {name: name for name in paths} | dict(tables or {})
    counts = {name: shards_in(path, kinds[name]) for name, path in paths.items()}
    (first, count), *others = counts.items()
    for name, other in others:
        if other != count:
            raise InputError(
                f"{other} shards, {count} in {paths[first]}", file=paths[name], remedy="delete both and run again"
            )
    return ({name: _read(path, kinds[name], None, group) for name, path in paths.items()} for group in range(count))


def read_split(
    paths: Mapping[str, Sequence[str | Path]], tables: Mapping[str, str] | None = None
) -> Iterator[dict[str, "pd.DataFrame"]]:
    """:func:`read_together` over all files of a split: the n-th files of all tables belong together."""
    (first, files), *others = paths.items()
    for name, table_files in others:
        if len(table_files) != len(files):
            raise InputError(
                f"{len(table_files)} files of {name}, {len(files)} of {first}", remedy="give those of all shards"
            )
    together = [dict(zip(paths, of_one)) for of_one in zip(*paths.values())]
    return chain.from_iterable(
        read_together(files_of_tables, tables) for files_of_tables in progress(together, "shards", "files")
    )


def _read(path: str | Path, name: str, columns: list[str] | None, group: int) -> "pd.DataFrame":
    # Arrow does not return freed memory by itself, so that memory would grow with every shard.
    pa.default_memory_pool().release_unused()
    return read_table(path, name, columns, group)


def row_groups(path: str | Path) -> int:
    """The number of shards that the end of a file tells of, without a look at the rest of it."""
    count: int = _metadata(path).num_row_groups
    return count


def rows_of_shards(path: str | Path) -> list[int]:
    """The number of rows of each shard that the end of a file tells of."""
    metadata = _metadata(path)
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


def _metadata(path: str | Path) -> pq.FileMetaData:
    try:
        return pq.read_metadata(path)
    except (OSError, pa.ArrowException) as error:
        raise InputError(str(error).splitlines()[0], file=path, remedy="delete it and run again") from None


def shards_in(path: str | Path, name: str) -> int:
    """The number of shards in a file; raises :class:`InputError` unless it is a readable table ``name``."""
    try:
        with pq.ParquetFile(verified(path)) as file:
            count: int = file.num_row_groups
            return count
    except (OSError, pa.ArrowException, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"not a readable {name} table ({reason})", file=path, remedy="delete it and run again"
        ) from None
