"""What every command line shares: arguments, one-line errors, logging."""

import argparse
import logging
import sys
from collections.abc import Callable

from corpus.errors import InputError


class Help(argparse.ArgumentDefaultsHelpFormatter):
    """Help that shows each default, but for options that have none."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help if action.default is None else super()._get_help_string(action)


def arguments(description: str | None) -> argparse.ArgumentParser:
    """An argument parser whose ``--help`` shows the module's docstring and every default."""
    return argparse.ArgumentParser(description=description, formatter_class=Help)


def run(main: Callable[[], None]) -> None:
    """Run a command: messages go to standard error, a fault in the user's input is one line and exit status 1."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    try:
        main()
    except InputError as error:
        sys.exit(f"error: {error}")
