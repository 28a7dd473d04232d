"""Arguments, one-line errors and logging of all commands."""

import argparse
import json
import logging
import re
import signal
import sys
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path
from types import FrameType
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest

LIKE_OPTION = re.compile("--?[A-Za-z][A-Za-z0-9_-]*")  # others, such as -1, are values


class Help(argparse.ArgumentDefaultsHelpFormatter):
    """Help that shows the default of each option that has one. A switch that is off and an empty list are none."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        default = action.default
        if default is None or default is False or (isinstance(default, str | list | tuple | dict) and not default):
            return action.help
        if isinstance(default, list | tuple):
            words = " ".join(map(str, default)).replace("%", "%%")
            return f"{action.help} (default: {words})"
        return super()._get_help_string(action)


def check_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Raise :class:`InputError` for a word like an option that begins none of the parser's, with the nearest one."""
    known = list(parser._option_string_actions)  # argparse has no public name for them
    for word in takewhile("--".__ne__, words):
        option = word.partition("=")[0]
        if LIKE_OPTION.fullmatch(option) and not any(name.startswith(option) for name in known):
            remedy = nearest(option, [name for name in known if name.startswith("--")])
            raise InputError(f"{parser.prog} has no option {option}", remedy=remedy)


class Parser(argparse.ArgumentParser):
    """A parser that tells a mistyped option before the ones that are missing because of it."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse does; faults are those of :func:`check_options`."""
        check_options(self, sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)


def arguments(description: str | None) -> argparse.ArgumentParser:
    """An argument parser whose ``--help`` shows the module's docstring and every default."""
    return Parser(description=description, formatter_class=Help)


def add_model_arguments(parser: argparse.ArgumentParser, dataset: str) -> None:
    """Add the options of a command that runs a trained model on a dataset; ``dataset`` is the help of that option."""
    parser.add_argument("--model", type=Path, required=True, help="trained model (safetensors)")
    parser.add_argument("--dataset", type=Path, required=True, help=dataset)
    parser.add_argument("--structure", type=Path, help="structure file of the dataset, for systems that read trees")
    parser.add_argument("--source-vocabulary", type=Path, required=True, help="vocabulary of the source side")
    parser.add_argument("--target-vocabulary", type=Path, required=True, help="vocabulary of the target side")
    parser.add_argument("--settings", action=JsonObject, default={}, help="section decoding, as JSON")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto", help="auto: cuda if there is one")


def add_text_settings(parser: argparse.ArgumentParser) -> None:
    """Add the option of a command that makes tokens or text of subwords."""
    parser.add_argument(
        "--text-settings", action=JsonObject, required=True, help="section text with languages, as JSON"
    )


def add_part_arguments(parser: argparse.ArgumentParser, table: str) -> None:
    """Add the options of a command that may write its ``table`` in parts; see :mod:`.training.data.parts`."""
    parser.add_argument("--part", default="0/1", metavar="NUMBER/COUNT", help="part of the documents, from 0")
    parser.add_argument(
        "--join", nargs="+", default=[], metavar="FILE", help=f"{table} of all parts, in order: only join these"
    )


class JsonObject(argparse.Action):
    """An option whose value is a JSON object: ``add_argument("--settings", action=JsonObject, ...)``."""

    def __init__(
        self,
        option_strings: Sequence[str],
        dest: str,
        *,
        required: bool = False,
        default: object = None,
        metavar: str = "JSON",
        help: str = "",
    ) -> None:
        super().__init__(option_strings, dest, required=required, default=default, metavar=metavar, help=help)

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: object, _: str | None = None
    ) -> None:
        """Parse the object; anything else is an :class:`InputError` that names the option."""
        option = self.option_strings[0]
        try:
            value = json.loads(str(values))
        except json.JSONDecodeError as error:
            raise InputError(f"{option} is not a JSON object ({error})") from None
        if not isinstance(value, dict):
            raise InputError(f"{option} is not a JSON object ({value!r})")
        setattr(namespace, self.dest, value)


def stop(number: int, frame: FrameType | None) -> None:
    """End the command after it has removed its temporary files; a second signal ends it at once."""
    signal.signal(number, signal.SIG_DFL)
    sys.exit(128 + number)


# What the allocators of torch say; their errors are of a class that this module would have to load torch for.
OUT_OF_MEMORY = re.compile("out of memory|can't allocate memory|Cannot allocate memory", re.IGNORECASE)


def lacks_memory(error: Exception) -> bool:
    """Whether an error says that an allocation failed, on the CPU or on a GPU."""
    return isinstance(error, MemoryError) or bool(OUT_OF_MEMORY.search(str(error)))


def run(main: Callable[[], None], memory_advice: str = "use a machine with more") -> None:
    """Run a command. Messages go to standard error.

    A fault in the user's input is one line and exit status 1, and so are an error of the operating system, such as a
    full disk, and a lack of memory, whose line ends in ``memory_advice``. SIGTERM ends the programs that the command
    has started, removes its temporary files and gives the exit status 143; Ctrl-C does the same with status 130.
    """
    signal.signal(signal.SIGTERM, stop)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    fault = ""
    try:
        main()
    except InputError as error:
        fault = str(error)
    except OSError as error:
        fault = f"{'' if error.filename is None else f'{error.filename}: '}{error.strerror or error}"
    except (MemoryError, RuntimeError) as error:
        if not lacks_memory(error):
            raise
        fault = f"out of memory; {memory_advice}"
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(128 + signal.SIGINT)
    if fault:  # printed when the frames of main are gone, and with them their open lines of progress
        sys.exit(f"error: {fault}")
