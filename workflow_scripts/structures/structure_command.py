"""What the commands share that build a structure file of one split."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from discourse_nmt.corpus.storage.files import replacing
from discourse_nmt.corpus.storage.shard_files import read_split
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.split_files import Shards
from discourse_nmt.workflow_scripts.command import arguments

Write = Callable[[ParallelDataset, Shards, Path], None]


def build(description: str | None, trees: str, write: Write) -> None:
    """Parse the arguments and ``write`` what is made of the tables tokens, edus and ``trees``."""
    parser = arguments(description)
    add_structure_arguments(parser, trees)
    write_file(parser.parse_args(), trees, write)


def add_structure_arguments(parser: ArgumentParser, trees: str) -> None:
    """Add the arguments that all these commands have."""
    parser.add_argument("--dataset", required=True, type=Path, help="dataset of the split, an Arrow IPC file")
    for name in ("tokens", "edus", trees):
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, required=True, nargs="+", type=Path, help=f"{name} tables of all its shards")
    parser.add_argument("--output", required=True, type=Path, help="structure file to write, an Arrow IPC file")


def write_file(options: Namespace, trees: str, write: Write) -> None:
    """Read the tables shard by shard and ``write`` what is made of them."""
    dataset = ParallelDataset(options.dataset)
    shards = read_split({name: getattr(options, name) for name in ("tokens", "edus", trees)})
    with replacing(options.output) as temporary:
        write(dataset, shards, temporary)
