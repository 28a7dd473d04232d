"""Arguments, reading and analysis of the commands that analyse a shard of documents with the backend of a stage."""

import argparse
import os
from collections.abc import Iterable, Iterator
from contextlib import nullcontext

import pandas as pd

from discourse_nmt.base.storage.shard_files import read_together
from discourse_nmt.base.storage.store import DocumentStore
from discourse_nmt.discourse.backends.backend import Context, DocumentInput
from discourse_nmt.discourse.backends.registry import backend_for, offer_named
from discourse_nmt.discourse.backends.shards import WINDOW, analyse_shard, documents_of
from discourse_nmt.workflow_scripts.command import JsonObject, arguments


def shard_arguments(description: str | None) -> argparse.ArgumentParser:
    """A parser of the arguments of such a command; the command adds or sets ``stage`` and ``side`` itself."""
    parser = arguments(description)
    add = parser.add_argument
    add("--settings", action=JsonObject, required=True, help="backend of the stage and its keys, as JSON")
    add("--sentences", required=True, metavar="FILE", help="sentences table of the shard")
    add("--tables", nargs="*", default=[], metavar="TABLE=FILE", help="earlier tables of the shard that are needed")
    add("--corpus", required=True, help="name of the corpus")
    add("--split", required=True, help="name of the split")
    add("--language", required=True, help="ISO 639-1 code of that side")
    add("--version", default="", help="version of code and models: results of other versions in the store are not used")
    add("--store", metavar="FILE", help="document store to use; none by default")
    add("--threads", type=int, default=1, help="CPU threads")
    add("--output", required=True, metavar="FILE", help="table to write")
    return parser


def read_documents(options: argparse.Namespace) -> Iterator[tuple[pd.DataFrame, Iterator[DocumentInput]]]:
    """The sentences of each shard, and its documents with their earlier tables."""
    earlier = dict(entry.split("=", 1) for entry in options.tables)
    for tables in read_together({"sentences": options.sentences, **earlier}):
        sentences = tables.pop("sentences")
        yield sentences, documents_of(sentences, options.side, tables)


def analysed(
    options: argparse.Namespace, shards: Iterable[tuple[Iterable[DocumentInput], int]]
) -> Iterator[pd.DataFrame]:
    """Yield the stage's table of each shard; a shard is its documents and their number."""
    os.environ["OMP_NUM_THREADS"] = str(options.threads)  # before torch is imported
    context = Context(options.corpus, options.split, options.side, options.language)
    backend = backend_for(options.stage, options.settings, context)
    offer = offer_named(options.stage, options.settings["backend"])
    window = None if offer.whole else WINDOW
    version = f"{options.version} {options.settings} {context}"
    with DocumentStore(options.store) if options.store and offer.stored else nullcontext() as store:
        for documents, total in shards:
            yield analyse_shard(options.stage, documents, total, backend, store, version, window)
        if store is not None:
            store.prune()
