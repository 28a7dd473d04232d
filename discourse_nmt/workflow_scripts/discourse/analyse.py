"""Run one stage of the analysis of discourse on one side of one shard of documents.

The stages are syntax (words, tags, lemmas, dependencies), edus (elementary discourse units), rst (rhetorical
structure trees), coreference and themes. Results of an earlier run in the document store are reused if text, earlier
tables and --version are the same.
"""

from discourse_nmt.base.storage.shard_files import write_shards
from discourse_nmt.discourse.backends.registry import STAGES
from discourse_nmt.workflow_scripts.command import run
from discourse_nmt.workflow_scripts.shard import analysed, read_documents, shard_arguments


def main() -> None:
    """Parse the arguments, read, analyse, write."""
    parser = shard_arguments(__doc__)
    parser.add_argument("--stage", choices=STAGES, required=True, help="table to make")
    parser.add_argument("--side", choices=["source", "target"], required=True, help="side to analyse")
    options = parser.parse_args()

    shards = ((documents, sentences["doc_id"].nunique()) for sentences, documents in read_documents(options))
    write_shards(analysed(options, shards), options.output, options.stage)


if __name__ == "__main__":
    run(main)
