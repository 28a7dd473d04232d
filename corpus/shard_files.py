"""Files that hold several shards, a row group for each, so that a job holds one shard at a time in memory."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from corpus.errors import InputError
from corpus.files import replacing, verified
from corpus.tables import arrow_table, read_table, schema


def write_shards(frames: Iterable[pd.DataFrame], path: str | Path, name: str) -> None:
    """Validate frames against the schema ``name`` and write them atomically as one file, a row group for each."""
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(temporary, schema(name), compression="zstd", write_page_checksum=True) as writer,
    ):
        for frame in frames:
            writer.write_table(arrow_table(frame, name), row_group_size=max(1, len(frame)))


def read_shards(path: str | Path, name: str, columns: list[str] | None = None) -> Iterator[pd.DataFrame]:
    """The shards of a file that :func:`write_shards` wrote, one at a time; see :func:`corpus.tables.read_table`."""
    return (read_table(path, name, columns, group) for group in range(shards_in(path, name)))


def read_together(paths: Mapping[str, str | Path]) -> Iterator[dict[str, pd.DataFrame]]:
    """The shards of several tables, by the tables' names; an :class:`InputError` where their numbers differ."""
    counts = {name: shards_in(path, name) for name, path in paths.items()}
    (first, count), *others = counts.items()
    for name, other in others:
        if other != count:
            raise InputError(
                f"{other} shards, {count} in {paths[first]}", file=paths[name], remedy="delete both and run again"
            )
    return ({name: read_table(path, name, group=group) for name, path in paths.items()} for group in range(count))


def shards_in(path: str | Path, name: str) -> int:
    """The number of shards in a file; one that is no readable table ``name`` is an :class:`InputError`."""
    try:
        with pq.ParquetFile(verified(path)) as file:
            count: int = file.num_row_groups
            return count
    except (OSError, pa.ArrowException, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(
            f"not a readable {name} table ({reason})", file=path, remedy="delete it and run again"
        ) from None
