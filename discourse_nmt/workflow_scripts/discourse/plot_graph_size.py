"""Draw the number of words in the graph of a sentence against their distance in the text.

The graph of a sentence holds the words within a number of edges (hops) of its own words: those that a system with as
many graph layers can attend to.
"""

from itertools import chain
from pathlib import Path

from discourse_nmt.base.storage.files import write_text
from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.scoring.charts.graph_sizes import Documents, documents_of, graph_size_chart, graph_sizes
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, read, count, draw, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--tokens", required=True, nargs="+", metavar="FILE", help="tokens tables of the shards")
    add("--graphs", required=True, nargs="+", metavar="FILE", help="document_graph tables of the same shards, in order")
    add("--side", choices=["source", "target"], required=True, help="side of the graphs")
    add("--hops", type=int, nargs="+", default=[1, 2], help="edges from a word of the sentence, at most")
    add("--farthest", type=int, default=20, help="largest distance in sentences")
    add("--output", required=True, type=Path, metavar="FILE", help="SVG to write")
    add("--numbers", required=True, type=Path, metavar="FILE", help="the same as numbers, separated by tabs")
    options = parser.parse_args()

    def shard(tokens: str, graphs: str) -> Documents:
        words = read_table(tokens, "tokens")
        return documents_of(words[words["side"] == options.side], read_table(graphs, "document_graph"))

    documents = chain.from_iterable(map(shard, options.tokens, options.graphs))
    sizes = graph_sizes(documents, options.hops, options.farthest)
    drawing = graph_size_chart(sizes)
    write_text(sizes.to_csv(sep="\t", index=False, float_format="%.6g"), options.numbers)
    write_text(drawing, options.output)


if __name__ == "__main__":
    run(main)
