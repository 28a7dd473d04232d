"""One stage of the analysis of discourse for one side of one shard of documents.

The stages are syntax (words, tags, lemmas, dependencies), edus (elementary discourse units), rst (rhetorical
structure trees), coreference and themes. What the document store holds from an earlier run is reused where text,
earlier tables and --version are the same.
"""

from discourse_nmt.corpus.storage.shard_files import write_shards
from discourse_nmt.discourse.backends.registry import STAGES
from discourse_nmt.workflow_scripts.command import run
from discourse_nmt.workflow_scripts.shard import analysed, read_documents, shard_arguments


def main() -> None:
    """Parse the arguments, read, analyse, write."""
    parser = shard_arguments(__doc__)
    parser.add_argument("--stage", choices=STAGES, required=True, help="what to make: the table of this name")
    parser.add_argument("--side", choices=["source", "target"], required=True, help="side to analyse")
    given = parser.parse_args()

    shards = ((documents, sentences["doc_id"].nunique()) for sentences, documents in read_documents(given))
    write_shards(analysed(given, shards), given.output, given.stage)


if __name__ == "__main__":
    run(main)
