"""Take files over that another corpus or experiment has: copies with seals of their own."""

import shutil
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import replacing, verified
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, copy."""
    parser = arguments(__doc__)
    parser.add_argument("--files", required=True, nargs="+", type=Path, help="files to take over")
    parser.add_argument(
        "--output", required=True, nargs="+", type=Path, help="where each is written, in the same order"
    )
    options = parser.parse_args()

    if len(options.files) != len(options.output):
        raise InputError(
            f"{len(options.files)} files and {len(options.output)} outputs", remedy="name an output for each file"
        )
    for source, copy in zip(options.files, options.output):
        with replacing(copy) as temporary:
            shutil.copyfile(verified(source), temporary)


if __name__ == "__main__":
    run(main)
