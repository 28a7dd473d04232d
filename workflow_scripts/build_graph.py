"""Build the word graphs of one side of one shard of documents.

Nodes are words of the tokeniser; edges are neighbours (adjacency), heads and dependents (dependency), repeated words
(lexical) and mentions of one entity (coreference).
"""

import logging

from corpus.settings import parse_settings
from corpus.tables import read_table, write_table
from discourse.document_graph import document_graphs
from discourse.settings import GraphSettings
from workflow_scripts.command import JsonObject, arguments, run


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
    given = parser.parse_args()

    settings = parse_settings(GraphSettings, given.settings, "graph")
    tokens = read_table(given.tokens, "tokens")
    syntax, mentions = (
        read_table(path, name) if path else None
        for name, path in (("syntax", given.syntax), ("coreference", given.coreference))
    )
    graph = document_graphs(tokens[tokens["side"] == given.side], syntax, mentions, settings)
    counts = graph["relation"].value_counts()
    logging.info("edges: %s", ", ".join(f"{counts.get(name, 0)} {name}" for name in settings.relations))
    write_table(graph, given.output, "document_graph")


if __name__ == "__main__":
    run(main)
