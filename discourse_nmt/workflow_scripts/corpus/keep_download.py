"""Keep a downloaded file under its name if its SHA-256 is the expected one."""

import shutil
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import checksum
from discourse_nmt.workflow_scripts.command import arguments, run


def main() -> None:
    """Parse the arguments, compare, copy."""
    parser = arguments(__doc__)
    parser.add_argument("--url", required=True, help="address that it comes from, for the message")
    parser.add_argument("--downloaded", type=Path, required=True, help="the downloaded file")
    parser.add_argument("--sha256", required=True, help="its expected SHA-256")
    parser.add_argument("--output", type=Path, required=True, help="file to write")
    options = parser.parse_args()
    found = checksum(options.downloaded)
    if found != options.sha256:
        message = f"{options.url} has the SHA-256 {found}, not {options.sha256}"
        raise InputError(message, remedy="the file has changed: correct data.urls if you trust it")
    partial = options.output.with_name(f".{options.output.name}.partial")
    shutil.copyfile(options.downloaded, partial)
    partial.replace(options.output)


if __name__ == "__main__":
    run(main)
