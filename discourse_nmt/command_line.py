"""The command ``discourse-nmt``: one subcommand for each thing that a person does.

Rules of the workflow have commands of their own, ``python -m discourse_nmt.workflow_scripts.STAGE.NAME``.
"""

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Protocol

from discourse_nmt import __version__
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.workflow_scripts.command import Help, Parser, check_options, run

COMMANDS = (
    "analyse",
    "translate",
    "serve",
    "score",
    "suite",
    "items",
    "campaign",
    "new",
    "plan",
    "why",
    "systems",
    "export",
    "evaluate-analysers",
)
EXTRAS = {"serve": "serve"}  # of pyproject.toml; what the others may lack is in workflow
MEMORY_ADVICE = {"translate": "lower --batch-tokens"}  # of commands that can do with less
EXAMPLES = """examples:
  discourse-nmt analyse letter.txt --output analysed
  discourse-nmt new talks.tsv
  discourse-nmt translate --model results/talks/talks/experiments/trees/seed1/model letter.txt
  discourse-nmt COMMAND --help
"""


class CommandHelp(Help, argparse.RawDescriptionHelpFormatter):
    """Help with defaults, whose text keeps its lines."""


class Command(Protocol):
    """A module of :mod:`discourse_nmt.commands`."""

    SUMMARY: str
    EXAMPLES: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it; the exit status."""


def commands() -> dict[str, Command]:
    """The modules of the subcommands, by name in the order of the help."""
    return {name: importlib.import_module(f"discourse_nmt.commands.{name.replace('-', '_')}") for name in COMMANDS}


def parser() -> argparse.ArgumentParser:
    """The parser of all subcommands; a parsed command has its module's function as ``run``."""
    whole = argparse.ArgumentParser(
        prog="discourse-nmt",
        description="Document-level machine translation with discourse structure.",
        epilog=EXAMPLES,
        formatter_class=CommandHelp,
    )
    whole.add_argument("--version", action="version", version=f"discourse-nmt {__version__}")
    places = whole.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)
    for name, command in commands().items():
        part = places.add_parser(
            name,
            help=command.SUMMARY,
            description=command.SUMMARY,
            epilog=command.EXAMPLES,
            formatter_class=CommandHelp,
        )
        command.add_arguments(part)
        part.set_defaults(run=command.run, command=name)
    return whole


def main(words: Sequence[str] | None = None) -> None:
    """Run the subcommand that ``words`` (default: those of the command line) name, and exit with its status.

    A fault of the input, or a package that an extra would install, is one line on standard error and status 1.
    """
    # Read by torch when it is imported: threads that wait must sleep, or commands crawl on a machine that is busy.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    status = 0
    words = sys.argv[1:] if words is None else words

    def parse_and_run() -> None:
        nonlocal status
        whole = parser()
        if words and words[0].startswith("-"):
            check_options(whole, words[:1])
        elif words and words[0] not in COMMANDS:
            raise InputError(f"discourse-nmt has no command {words[0]}", remedy=nearest(words[0], COMMANDS))
        arguments = whole.parse_args(words)
        try:
            status = arguments.run(arguments)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.partition(".")[0] == "discourse_nmt":
                raise
            extra = EXTRAS.get(arguments.command, "workflow")
            remedy = f"pip install --editable '.[{extra}]' in the checkout"
            raise InputError(f"{arguments.command} needs the package {error.name}", remedy=remedy) from None

    run(parse_and_run, MEMORY_ADVICE.get("".join(words[:1]), "use a machine with more"))
    sys.exit(status)
