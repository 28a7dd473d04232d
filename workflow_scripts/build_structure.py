"""Build the structure file of one split: the discourse unit of each source subword, and the units' heads."""

from pathlib import Path

from corpus.files import replacing
from corpus.tables import read_table
from training.dataset import ParallelDataset, write_dataset
from training.structure import Structure
from training.structure_tables import structure_table
from workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, read, align, write."""
    parser = arguments(__doc__)
    parser.add_argument("--dataset", required=True, type=Path, help="dataset of the split, an Arrow IPC file")
    for name in ("tokens", "edus", "rst_dependencies"):
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, required=True, nargs="+", type=Path, help=f"{name} tables of all its shards")
    parser.add_argument("--output", required=True, type=Path, help="structure file to write, an Arrow IPC file")
    options = parser.parse_args()

    dataset = ParallelDataset(options.dataset)
    table = structure_table(
        dataset,
        *(
            [read_table(path, name) for path in getattr(options, name)]
            for name in ("tokens", "edus", "rst_dependencies")
        ),
    )

    with replacing(options.output) as temporary:
        write_dataset(table, temporary)
        Structure(temporary, dataset)


if __name__ == "__main__":
    run(main)
