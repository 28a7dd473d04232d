"""Build the dataset of one split: join the subwords of all its shards into one memory-mapped file of sentence pairs."""

from itertools import chain
from pathlib import Path
from typing import get_args

from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import replacing
from discourse_nmt.base.storage.shard_files import read_shards
from discourse_nmt.training.data.dataset import CutBy
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, read, join, write."""
    parser = arguments(__doc__)
    parser.add_argument(
        "--subwords", required=True, nargs="+", type=Path, help="subwords tables of all shards of the split"
    )
    parser.add_argument(
        "--cut-by", choices=get_args(CutBy), default="both", help="side whose subwords fill the instances of the split"
    )
    parser.add_argument("--output", required=True, type=Path, help="dataset to write, an Arrow IPC file")
    options = parser.parse_args()

    paths = progress(options.subwords, "subwords", "files")
    with replacing(options.output) as temporary:
        write_dataset(chain.from_iterable(read_shards(path, "subwords") for path in paths), temporary, options.cut_by)


if __name__ == "__main__":
    run(main)
