"""Files beside the dataset of a split, written from the tables of one shard at a time."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile

import pandas as pd
import pyarrow as pa

from discourse_nmt.base.errors import InputError
from discourse_nmt.training.data.arrow_files import write_rows
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.split_rows import SplitRows

Tables = Mapping[str, pd.DataFrame]
"""The tables of the same documents, by name."""
Shards = Iterable[Tables]


def write_split(
    dataset: ParallelDataset,
    shards: Shards,
    make: Callable[[ParallelDataset, Tables], pa.Table],
    schema: pa.Schema,
    reader: Callable[[Path, ParallelDataset], object],
    path: Path,
) -> None:
    """Write the rows that ``make`` computes for each shard, as one file in the order of ``dataset``.

    ``make`` is called with the shard's rows of the dataset and its tables. Shards come in any order, and one at a time
    is in memory. The rows of each shard are read back with ``reader``, which checks them before the file is written.
    Raises :class:`InputError` where the tables ``tokens`` are not about the sentences of the dataset.
    """

    def checked_rows(tables: Tables) -> pa.Table:
        shard_rows = dataset.of(tables["tokens"]["doc_id"])
        table = make(shard_rows, tables)
        with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}.") as file:
            write_rows(table, Path(file.name))
            reader(Path(file.name), shard_rows)
        return table

    rows = SplitRows(schema, path)
    for table in map(checked_rows, shards):  # frees a shard before the next one is read
        rows.add(table)
    if rows.documents != dataset.names.tolist():
        raise InputError("table tokens: its sentences are not those of the dataset")
    rows.write()
