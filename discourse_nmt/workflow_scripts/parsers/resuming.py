"""Common to the commands that train analysers: options for checkpoints and time, and the end of a stopped training."""

import argparse
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import files
from discourse_nmt.base.storage.files import checksum
from discourse_nmt.training.checkpoints.work import digest
from discourse_nmt.training.operation.interruption import Interrupted

STARTED = time.monotonic()
# Options that change no weights.
FREE = {"work", "time_limit", "output", "figures", "annotated", "notice"}


def add_resuming(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--work",
        type=Path,
        help="folder for checkpoints, from which the same command continues; without one, a stopped training is lost",
    )
    parser.add_argument("--code", default="", help="fingerprint of the program; another one starts training anew")
    parser.add_argument(
        "--time-limit",
        type=float,
        default=0.0,
        metavar="MINUTES",
        help="stop after so many minutes with a checkpoint and status 142, for a later call to continue; 0 is never",
    )


@contextmanager
def resuming(options: argparse.Namespace, patterns: Sequence[str]) -> Iterator[tuple[Path | None, float | None]]:
    """Yield the folder of this training's checkpoints and its deadline; a stop in the block ends the command.

    The folder is named by a key of the files that match ``patterns``, the options and the code.
    """
    if not options.time_limit >= 0:
        raise InputError(f"--time-limit is {options.time_limit:g}", remedy="it must be at least 0")
    if options.time_limit and options.work is None:
        raise InputError("--time-limit needs a folder to continue from", remedy="give one, --work")
    work = None
    if options.work is not None:
        paths = [path for pattern in patterns for path in files(pattern)]
        chosen = {
            name: value for name, value in vars(options).items() if name not in FREE and "development" not in name
        }
        work = options.work / digest([chosen, [checksum(path) for path in paths]])[:16]
    try:
        yield work, STARTED + 60 * options.time_limit if options.time_limit else None
    except Interrupted as stop:
        logging.info(str(stop))
        sys.exit(stop.status)
