"""Import a parallel corpus: check its files, split and filter its documents, and write them as tables.

Writes OUTPUT/SPLIT/NUMBER.parquet (table sentences, one or more shards), for all splits but train
OUTPUT/documents/SPLIT.parquet (the documents in the order of the files), OUTPUT/drops.parquet and OUTPUT/drops.tsv
(units that were left out, and the reasons), OUTPUT/repeats/SPLIT.parquet (sentences of a split that stand verbatim in
train) and OUTPUT/statistics.tsv (documents, sentences and words). A fault in the files is reported with file and line
before anything is written.
"""

from importlib import import_module
from pathlib import Path

from discourse_nmt.base.shards import in_files, shards
from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.storage.shard_files import write_shards
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.corpus.importing.importing import drops_summary, import_corpus, statistics
from discourse_nmt.corpus.importing.plan import ALIGNER, SPLITTERS, plan
from discourse_nmt.corpus.importing.repeats import repeats
from discourse_nmt.corpus.importing.tables import documents_table, drops_table, sentences_table
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


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

    # A fault leaves nothing behind, not even a folder.
    folder = next(path for path in (options.output, *options.output.absolute().parents) if path.is_dir())
    splitters, aligner = {}, None
    if settings.splits_sentences:
        splitters = import_module(SPLITTERS).sentence_splitters(settings.languages)
        aligner = import_module(ALIGNER).LearningAligner()
    imported = import_corpus(settings, folder, splitters, aligner)

    for split, documents in imported.documents.items():
        dealt = shards(documents.entries, settings.corpus.shards)
        for number, shards_of_file in enumerate(in_files(dealt, split)):
            tables = (sentences_table(documents.of(shard)) for shard in shards_of_file)
            write_shards(tables, options.output / split / f"{number}.parquet", "sentences")
        if split != "train":
            write_table(documents_table(documents), options.output / "documents" / f"{split}.parquet", "documents")
    repeated = repeats(imported.documents)
    for split, table in repeated.items():
        write_table(table, options.output / "repeats" / f"{split}.parquet", "repeats")
    all_drops = [drop for drops in imported.drops.values() for drop in drops]
    write_table(drops_table(all_drops), options.output / "drops.parquet", "drops")
    for name, frame in (
        ("drops", drops_summary(imported.drops)),
        ("statistics", statistics(imported.documents, settings.corpus, repeated)),
    ):
        write_text(frame.to_csv(sep="\t", index=False), options.output / f"{name}.tsv")


if __name__ == "__main__":
    run(main)
