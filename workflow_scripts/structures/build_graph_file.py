"""Build the graph file of one split: the words of each sentence with their subwords and edges, for training.

With tables of a draft translation the file holds the draft's graphs, too.
"""

from pathlib import Path

from discourse_nmt.corpus.storage.files import replacing
from discourse_nmt.corpus.storage.shard_files import read_split
from discourse_nmt.training.builders.graphs import PREFIXES, TABLES, write_graphs
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, read, number, write, shard by shard."""
    parser = arguments(__doc__)
    add = parser.add_argument
    add("--dataset", required=True, type=Path, help="dataset of the split, an Arrow IPC file")
    for name in TABLES:
        option = name.replace("_", "-")
        add(f"--{option}", required=True, nargs="+", metavar="FILE", help=f"{name} tables of all its shards")
        add(f"--draft-{option}", nargs="+", default=[], metavar="FILE", help="those of the draft")
    add("--output", required=True, type=Path, help="graph file to write, an Arrow IPC file")
    given = parser.parse_args()

    dataset = ParallelDataset(given.dataset)
    prefixes = PREFIXES.values() if given.draft_tokens else [PREFIXES["source"]]
    tables = {prefix + name: name for prefix in prefixes for name in TABLES}
    shards = read_split({name: getattr(given, name) for name in tables}, tables)
    with replacing(given.output) as temporary:
        write_graphs(dataset, shards, temporary, drafted=bool(given.draft_tokens))


if __name__ == "__main__":
    run(main)
