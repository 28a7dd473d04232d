"""Build the word graphs of one side of one shard of documents.

Nodes are words of the tokeniser; edges are neighbours (adjacency), heads and dependents (dependency), repeated words
(lexical) and mentions of one entity (coreference).
"""

import logging
from collections import Counter

import pandas as pd

from discourse_nmt.base.settings import parse_settings
from discourse_nmt.base.storage.shard_files import read_together, write_shards
from discourse_nmt.discourse.graph.building import document_graphs
from discourse_nmt.discourse.settings import GraphSettings
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run


def main() -> None:
    """Parse the arguments, read, link, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--settings", action=JsonObject, default={}, help="section graph of the analysis, as JSON")
    add("--tokens", required=True, metavar="FILE", help="tokens table of the shard")
    add("--syntax", metavar="FILE", help="syntax table, for dependencies, lemmas and tags")
    add("--coreference", metavar="FILE", help="coreference table")
    add("--side", choices=["source", "target"], required=True, help="side whose words are linked")
    add("--output", required=True, metavar="FILE", help="table document_graph to write")
    options = parser.parse_args()

    settings = parse_settings(GraphSettings, options.settings, "graph")
    paths = {"tokens": options.tokens, "syntax": options.syntax, "coreference": options.coreference}
    counts = Counter[str]()

    def linked(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
        tokens = tables["tokens"]
        graph = document_graphs(
            tokens[tokens["side"] == options.side], tables.get("syntax"), tables.get("coreference"), settings
        )
        counts.update(graph["relation"])
        return graph

    tables = read_together({name: path for name, path in paths.items() if path})
    write_shards(map(linked, tables), options.output, "document_graph")
    logging.info("edges: %s", ", ".join(f"{counts[name]} {name}" for name in settings.relations))


if __name__ == "__main__":
    run(main)
