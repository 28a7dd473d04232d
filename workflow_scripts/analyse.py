"""One stage of the analysis of discourse for one side of one shard of documents.

The stages are syntax (words, tags, lemmas, dependencies), edus (elementary discourse units), rst (rhetorical
structure trees), coreference and themes. What the document store holds from an earlier run is reused where text,
earlier tables and --version are the same.
"""

import os
from contextlib import nullcontext

from corpus.store import DocumentStore
from corpus.tables import read_table, write_table
from discourse.backends.backend import Context
from discourse.backends.registry import STAGES, backend_for, offer_named
from discourse.backends.shards import WINDOW, analyse_shard, documents_of
from workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Parse the arguments, read, analyse, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--stage", choices=STAGES, required=True, help="what to make: the table of this name")
    add("--settings", action=JsonObject, required=True, help="backend and its keys, as JSON")
    add("--sentences", required=True, metavar="FILE", help="sentences table of the shard")
    add("--tables", nargs="*", default=[], metavar="TABLE=FILE", help="earlier tables of the shard that are needed")
    add("--corpus", required=True, help="name of the corpus")
    add("--split", required=True, help="name of the split")
    add("--side", choices=["source", "target"], required=True, help="side to analyse")
    add("--language", required=True, help="ISO 639-1 code of that side")
    add("--version", default="", help="stands for code and models: other results in the store are not used")
    add("--store", metavar="FILE", help="document store to use; none where the option is absent")
    add("--threads", type=int, default=1, help="CPU threads")
    add("--output", required=True, metavar="FILE", help="table to write")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(given.threads)  # before torch is imported

    sentences = read_table(given.sentences, "sentences")
    earlier = dict(entry.split("=", 1) for entry in given.tables)
    tables = {name: read_table(path, name) for name, path in earlier.items()}
    context = Context(given.corpus, given.split, given.side, given.language)
    backend = backend_for(given.stage, given.settings, context)
    offer = offer_named(given.stage, given.settings["backend"])
    documents = documents_of(sentences, given.side, tables)
    total = sentences["doc_id"].nunique()
    version = f"{given.version} {given.settings} {context}"
    with DocumentStore(given.store) if given.store and offer.stored else nullcontext() as store:
        window = None if offer.whole else WINDOW
        frame = analyse_shard(given.stage, documents, total, backend, store, version, window)
    write_table(frame, given.output, given.stage)


if __name__ == "__main__":
    run(main)
