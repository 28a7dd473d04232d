"""Rows of Parquet files that other programs wrote."""

import io
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.base.storage.files import verified
from discourse_nmt.corpus.reading.json_text import Json

AT_A_TIME = 100  # rows in memory


def rows(source: Source) -> Iterator[tuple[int, dict[str, Json]]]:
    """Each row with its number, from 1; raises :class:`InputError` for another file."""
    number = 0
    try:
        with pq.ParquetFile(verified(source.path) if source.data is None else io.BytesIO(source.data)) as file:
            for batch in file.iter_batches(AT_A_TIME):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"not a Parquet file ({reason})", file=source.name, remedy="get it again") from None
