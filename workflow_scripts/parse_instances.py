"""Dependencies between discourse units where every training instance of a shard of documents is parsed by itself.

An instance is a run of sentences that packed systems read at a time. The table that comes out is rst_dependencies; a
document has a tree, with a root, for each of its instances. What the document store holds is reused.
"""

import os
from contextlib import nullcontext

from corpus.store import DocumentStore
from corpus.tables import read_table, write_table
from discourse.backends.backend import Context
from discourse.backends.pieces import Pieces
from discourse.backends.registry import backend_for, offer_named
from discourse.backends.shards import WINDOW, analyse_shard, documents_of
from discourse.backends.trees import CONVERSIONS, dependencies_table
from training.dataset import ParallelDataset
from training.units import first_sentences, units_of
from workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Parse the arguments, read, cut, parse, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--settings", action=JsonObject, required=True, help="backend of the stage rst and its keys, as JSON")
    add("--sentences", required=True, metavar="FILE", help="sentences table of the shard")
    add("--tables", nargs="*", default=[], metavar="TABLE=FILE", help="earlier tables of the shard that are needed")
    add("--dataset", required=True, metavar="FILE", help="dataset of the split, which is divided into instances")
    add("--corpus", required=True, help="name of the corpus")
    add("--split", required=True, help="name of the split")
    add("--language", required=True, help="ISO 639-1 code of the source side")
    add("--conversion", choices=sorted(CONVERSIONS), default="li14", help="rule of Li et al. 2014 or Hirao et al. 2013")
    add("--debinarise", action="store_true", help="first merge chains of one multinuclear relation into one node")
    add("--version", default="", help="stands for code and models: other results in the store are not used")
    add("--store", metavar="FILE", help="document store to use; none where the option is absent")
    add("--threads", type=int, default=1, help="CPU threads")
    add("--output", required=True, metavar="FILE", help="table to write")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(given.threads)  # before torch is imported

    sentences = read_table(given.sentences, "sentences")
    earlier = dict(entry.split("=", 1) for entry in given.tables)
    tables = {name: read_table(path, name) for name, path in earlier.items()}
    dataset = ParallelDataset(given.dataset)
    starts = first_sentences(dataset, units_of(dataset, "instance"))
    context = Context(given.corpus, given.split, "source", given.language)
    backend = backend_for("rst", given.settings, context)
    offer = offer_named("rst", given.settings["backend"])
    pieces = Pieces(documents_of(sentences, "source", tables), starts)
    total = sum(len(starts.get(name, ())) for name in sentences["doc_id"].unique())
    version = f"{given.version} {given.settings} {context}"
    with DocumentStore(given.store) if given.store and offer.stored else nullcontext() as store:
        window = None if offer.whole else WINDOW
        trees = analyse_shard("rst", pieces, total, backend, store, version, window)
    found = dependencies_table(trees, given.conversion, given.debinarise)
    write_table(pieces.joined(found), given.output, "rst_dependencies")


if __name__ == "__main__":
    run(main)
