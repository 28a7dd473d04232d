"""Label each source word of a split with the theme or rheme that contains it."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pandas as pd
import pyarrow as pa

from discourse_nmt.base.storage.shard_files import read_split, write_shards
from discourse_nmt.base.storage.tables import arrow_table, schema
from discourse_nmt.discourse.themes.words import words_of_themes
from discourse_nmt.training.data.split_rows import SplitRows
from discourse_nmt.workflow_scripts.command import arguments, run

TABLE = "labelled_words"
BLOCK = 100  # documents of a row group


def in_blocks(rows: SplitRows) -> Iterator[pd.DataFrame]:
    """Yield the rows of :data:`BLOCK` documents at a time, in order."""
    batches = rows.batches()
    while block := list(islice(batches, BLOCK)):
        yield pa.Table.from_batches(block).to_pandas()


def main() -> None:
    """Read the tables shard by shard, write the table labelled_words in document order."""
    parser = arguments(__doc__)
    names = ("tokens", "themes")
    for name in names:
        parser.add_argument(f"--{name}", required=True, nargs="+", metavar="FILE", help=f"{name} tables of all shards")
    parser.add_argument("--output", required=True, type=Path, help="labelled_words table to write (Parquet)")
    options = parser.parse_args()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    rows = SplitRows(schema(TABLE), options.output)
    for tables in read_split({name: getattr(options, name) for name in names}):
        if len(tables["tokens"]):
            words = words_of_themes(tables["tokens"], tables["themes"])
            rows.add(arrow_table(words.sort_values(["doc_id", "sent_id"]), TABLE))
    write_shards(in_blocks(rows), options.output, TABLE)


if __name__ == "__main__":
    run(main)
