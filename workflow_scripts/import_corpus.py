"""Import a parallel corpus: check its files, split and filter its documents, and write them as tables.

Writes OUTPUT/SPLIT/SHARD.parquet (table sentences, shards from 0), OUTPUT/drops.parquet and OUTPUT/drops.tsv
(what was left out and why) and OUTPUT/statistics.tsv (documents, sentences and words). A fault in the files
is told with file and line before anything is written.
"""

from pathlib import Path

from corpus.documents import drops_table, sentences_table
from corpus.files import write_text
from corpus.importing import drops_summary, import_corpus, statistics
from corpus.plan import plan
from corpus.shards import shards
from corpus.tables import write_table
from workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Parse the arguments, import, write."""
    parser = arguments(__doc__)
    parser.add_argument(
        "--settings",
        action=JsonObject,
        required=True,
        help="corpus section of the configuration, as JSON; paths relative to this folder",
    )
    parser.add_argument("--output", required=True, type=Path, help="folder for the tables")
    options = parser.parse_args()
    settings = plan(options.settings)

    imported = import_corpus(settings)

    for split, documents in imported.documents.items():
        for shard, part in enumerate(shards(documents, settings.corpus.shards)):
            write_table(sentences_table(part), options.output / split / f"{shard}.parquet", "sentences")
    every = [drop for drops in imported.drops.values() for drop in drops]
    write_table(drops_table(every), options.output / "drops.parquet", "drops")
    for name, frame in (
        ("drops", drops_summary(imported.drops)),
        ("statistics", statistics(imported.documents, settings.corpus)),
    ):
        write_text(frame.to_csv(sep="\t", index=False), options.output / f"{name}.tsv")


if __name__ == "__main__":
    run(main)
