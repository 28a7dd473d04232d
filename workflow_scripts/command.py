"""What every command line shares: arguments, one-line errors, logging."""

import argparse
import logging
import sys
from collections.abc import Callable

from corpus.errors import InputError


def arguments(description: str | None) -> argparse.ArgumentParser:
    """An argument parser whose ``--help`` shows the module's docstring and every default."""
    return argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)


def run(main: Callable[[], None]) -> None:
    """Run a command: messages go to standard error, a fault in the user's input is one line and exit status 1."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    try:
        main()
    except InputError as error:
        sys.exit(f"error: {error}")
