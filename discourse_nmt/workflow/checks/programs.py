"""What jobs need of the user's machine beside the files of the configuration: programs, scripts, keys of servers.

They are looked for when the jobs of a run are known and before the first of them begins, by the main process of a run
on this machine. When the configuration is read would be too early: jobs read it, too, on nodes and in containers with
other programs; and who only trains needs neither metrics nor keys.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from discourse_nmt.base.errors import InputError

INTERPRETER = re.compile(r"python[\d.]*|pypy[\d.]*|(ba|da|k|z)?sh|perl|ruby|node|Rscript|julia|java")
SCRIPTS = (".py", ".sh", ".pl", ".rb", ".js", ".R", ".r", ".jl", ".jar")
OTHER_THAN_SCRIPTS = {"-c", "-e", "-m"}  # options after which an interpreter runs no script
PLACEHOLDER = re.compile(r"\{[a-z_]+\}")


class NeededProgram(NamedTuple):
    """A program with its arguments, the value of a ``key`` of the configuration."""

    key: str
    command: tuple[str, ...]

    def check(self) -> None:
        """Raise :class:`InputError` where the program, or the script that it interprets, is not there."""
        program, script = self.command[0], script_of(self.command)
        if not PLACEHOLDER.search(program) and shutil.which(program) is None:
            if Path(program).is_file():
                remedy = f"chmod +x {program}, or write its interpreter before it"
                raise InputError(f"{self.key}: {program} is not executable", remedy=remedy)
            raise InputError(f"{self.key}: no program {program} here", remedy="install it, or correct the command")
        if script is not None and not Path(script).is_file():
            raise InputError(f"{self.key}: no file {script}", remedy="put it there, or correct the command")


class NeededFile(NamedTuple):
    """A file that a ``key`` of the configuration names."""

    key: str
    path: str

    def check(self) -> None:
        """Raise :class:`InputError` where it is not there."""
        if not Path(self.path).is_file():
            raise InputError(f"{self.key}: no file {self.path}", remedy="put it there, or correct the key")


class NeededVariable(NamedTuple):
    """An environment variable that a ``key`` of the configuration names."""

    key: str
    name: str

    def check(self) -> None:
        """Raise :class:`InputError` where it is not set, or empty."""
        if not os.environ.get(self.name):
            raise InputError(
                f"{self.key}: the environment variable {self.name} is not set",
                remedy=f"export {self.name} with the key of the server, or set key_variable to null",
            )


Need = NeededProgram | NeededFile | NeededVariable


def check_needs(needs: Iterable[Need], *, own_environments: bool) -> None:
    """Raise :class:`InputError` for the first of the ``needs`` that is not met, each looked at once.

    Jobs in ``own_environments``, of conda or in containers, may have programs and files that are not seen from here;
    variables they take over.
    """
    for fault in unmet_needs(need for need in needs if not own_environments or isinstance(need, NeededVariable)):
        raise fault


def unmet_needs(needs: Iterable[Need]) -> Iterator[InputError]:
    """The fault of each of the ``needs`` that is not met, each looked at once."""
    for need in dict.fromkeys(needs):
        try:
            need.check()
        except InputError as fault:
            yield fault


def script_of(command: tuple[str, ...]) -> str | None:
    """The script that a command has interpreted; None where its words do not tell it for sure."""
    program, *arguments = command
    options = list(takewhile(lambda word: word.startswith("-"), arguments))
    if not INTERPRETER.fullmatch(Path(program).name) or OTHER_THAN_SCRIPTS & set(options):
        return None
    first = "".join(arguments[len(options) : len(options) + 1])
    if PLACEHOLDER.search(first):
        return None
    return first if first.endswith(SCRIPTS) or (not options and "/" in first) else None
