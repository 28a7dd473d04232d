"""Build the graph file of one split: the words of each sentence with their subwords and edges, for training.

With tables of a draft translation the file holds the draft's graphs, too.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from corpus.files import replacing
from corpus.tables import read_table
from training.dataset import ParallelDataset, write_dataset
from training.graph_files import SourceAndDraftGraphs, SourceGraphs
from training.graph_tables import graph_table
from workflow_scripts.command import arguments, run

TABLES = ("tokens", "subwords", "document_graph")


def main() -> None:
    """Parse the arguments, read, number, write."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--dataset", required=True, type=Path, help="dataset of the split, an Arrow IPC file")
    for name in TABLES:
        option = name.replace("_", "-")
        add(f"--{option}", required=True, nargs="+", metavar="FILE", help=f"{name} tables of all its shards")
        add(f"--draft-{option}", nargs="+", default=[], metavar="FILE", help="those of the draft")
    add("--output", required=True, type=Path, help="graph file to write, an Arrow IPC file")
    given = parser.parse_args()

    def read(paths: Sequence[str], name: str) -> list[pd.DataFrame]:
        return [read_table(path, name) for path in paths]

    dataset = ParallelDataset(given.dataset)
    sides = {"source": {name: read(getattr(given, name), name) for name in TABLES}}
    if given.draft_tokens:
        sides["target"] = {name: read(getattr(given, f"draft_{name}"), name) for name in TABLES}
    table = graph_table(dataset, sides)
    with replacing(given.output) as temporary:
        write_dataset(table, temporary)
        (SourceAndDraftGraphs if given.draft_tokens else SourceGraphs)(temporary, dataset)


if __name__ == "__main__":
    run(main)
