"""Record the inputs of a run: configuration, fingerprints of code, SHA-256 of files, versions of packages, and
the arithmetic of trainings.

The record is JSON. A missing file of data is recorded as null: its corpus may have been imported before.
"""

import csv
import platform
import re
import tomllib
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.files import checksum, read_text, verified, write_json
from discourse_nmt.workflow_scripts.command import JsonObject, arguments, run

PROJECT = ROOT / "pyproject.toml"


def packages() -> dict[str, str]:
    """Installed versions of Python, of the packages that the project depends on, and of an engine of decoding."""
    project = tomllib.loads(read_text(PROJECT))["project"]
    engine = project["optional-dependencies"]["ctranslate2"] if find_spec("ctranslate2") else []
    names = [re.split(r"[^A-Za-z0-9._-]", pin)[0] for pin in [*project["dependencies"], *engine]]
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def precision_of(metrics: str) -> str:
    """The arithmetic of the training with these metrics, which follows from its machine where the setting is auto."""
    rows = list(csv.DictReader(read_text(metrics).splitlines()))
    if not rows or "precision" not in rows[-1]:
        raise InputError("no metrics of a training", file=metrics, remedy="delete it and run again")
    return rows[-1]["precision"]


def main() -> None:
    """Read the files, write the record."""
    parser = arguments(__doc__)
    parser.add_argument("--configuration", action=JsonObject, required=True, help="checked configuration, as JSON")
    parser.add_argument("--switches", action=JsonObject, required=True, help="switches of each experiment, as JSON")
    parser.add_argument("--code", action=JsonObject, required=True, help="fingerprint of each stage, as JSON")
    parser.add_argument("--data", nargs="*", default=[], metavar="FILE", help="files that corpora are read from")
    parser.add_argument("--models", nargs="*", default=[], metavar="FILE", help="trained models")
    parser.add_argument("--metrics", nargs="*", default=[], metavar="FILE", help="metrics.csv of trainings")
    parser.add_argument("--output", required=True, help="record to write (JSON)")
    options = parser.parse_args()
    files = progress([*options.data, *options.models], "checksums", "files")
    gone = {file for file in options.data if not Path(file).is_file()}
    sums = {file: None if file in gone else checksum(verified(file)) for file in files}
    record = {
        "configuration": options.configuration,
        "switches": options.switches,
        "code": options.code,
        "data": {file: sums[file] for file in options.data},
        "models": {file: sums[file] for file in options.models},
        "precisions": {file: precision_of(file) for file in options.metrics},
        "packages": packages(),
    }
    write_json(record, options.output)


if __name__ == "__main__":
    run(main)
