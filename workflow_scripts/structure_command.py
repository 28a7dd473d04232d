"""What the commands share that build a structure file of one split."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from corpus.files import replacing
from corpus.tables import read_table
from training.alignment import Frames
from training.dataset import ParallelDataset, write_dataset
from workflow_scripts.command import arguments

Build = Callable[[ParallelDataset, Frames, Frames, Frames], pa.Table]


def build(description: str | None, trees: str, make: Build, check: Callable[[Path, ParallelDataset], object]) -> None:
    """Parse the arguments, read, ``make`` rows of the tables tokens, edus and ``trees``, write and ``check`` them."""
    parser = arguments(description)
    add_structure_arguments(parser, trees)
    write_structure(parser.parse_args(), trees, make, check)


def add_structure_arguments(parser: ArgumentParser, trees: str) -> None:
    """Add the arguments that all these commands have."""
    parser.add_argument("--dataset", required=True, type=Path, help="dataset of the split, an Arrow IPC file")
    for name in ("tokens", "edus", trees):
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, required=True, nargs="+", type=Path, help=f"{name} tables of all its shards")
    parser.add_argument("--output", required=True, type=Path, help="structure file to write, an Arrow IPC file")


def write_structure(
    options: Namespace, trees: str, make: Build, check: Callable[[Path, ParallelDataset], object]
) -> None:
    """Read, ``make`` rows of the tables, write and ``check`` them."""
    dataset = ParallelDataset(options.dataset)
    frames = ([read_table(path, name) for path in getattr(options, name)] for name in ("tokens", "edus", trees))
    table = make(dataset, *frames)
    with replacing(options.output) as temporary:
        write_dataset(table, temporary)
        check(temporary, dataset)
