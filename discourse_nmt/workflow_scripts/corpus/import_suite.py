"""Import a test suite of discourse: its documents as a split of the corpus, and its items.

Writes OUTPUT/NUMBER.parquet (table sentences, one or more shards), the table ITEMS: contrastive, or expected_forms for
suites that check translations, and the table DOCUMENTS of the documents that another system translates. A fault in the
files is reported with file and line before anything is written.
"""

from pathlib import Path

from discourse_nmt.base.shards import in_files, shards
from discourse_nmt.base.storage.shard_files import write_shards
from discourse_nmt.base.storage.tables import write_table
from discourse_nmt.corpus.importing.tables import documents_table, sentences_table
from discourse_nmt.corpus.suites.importing import import_suite
from discourse_nmt.corpus.suites.plan import plan
from discourse_nmt.corpus.suites.texts import sources_of
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Parse the arguments, import, write."""
    parser = arguments(__doc__)
    parser.add_argument("--suite", required=True, help="name of the suite, part of the names of its documents")
    parser.add_argument(
        "--settings",
        action=JsonObject,
        required=True,
        help="section suites.SUITE of the corpus, as JSON; paths relative to this folder",
    )
    parser.add_argument("--source-language", required=True, help="source language code")
    parser.add_argument("--target-language", required=True, help="target language code")
    parser.add_argument("--shards", type=int, default=1, help="shards that its documents are divided into")
    parser.add_argument(
        "--control-characters", choices=["error", "space"], default="error", help="what to do with control characters"
    )
    parser.add_argument("--output", required=True, type=Path, help="folder for the sentences tables")
    parser.add_argument("--items", required=True, type=Path, help="table of the items to write (Parquet)")
    parser.add_argument(
        "--documents", required=True, type=Path, help="documents table to write, without wrong variants (Parquet)"
    )
    options = parser.parse_args()
    settings = plan(options.settings, (options.source_language, options.target_language))

    suite = import_suite(options.suite, settings, space_controls=options.control_characters == "space")

    for number, shards_of_file in enumerate(in_files(shards(suite.documents, options.shards), options.suite)):
        write_shards(map(sentences_table, shards_of_file), options.output / f"{number}.parquet", "sentences")
    write_table(suite.items, options.items, "expected_forms" if settings.format.generated else "contrastive")
    tested = sources_of(suite)
    listed = documents_table(document for document in suite.documents if document.doc_id in tested)
    write_table(listed, options.documents, "documents")


if __name__ == "__main__":
    run(main)
