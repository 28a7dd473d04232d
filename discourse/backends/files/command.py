"""The command backend: the user's program analyses documents. docs/analysers/backends.md has the contract."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.discourse.backends.backend import Context, DocumentInput, Stage
from discourse_nmt.discourse.backends.files.exchange import read_outputs, write_documents
from discourse_nmt.discourse.backends.files.imported import FileReader
from discourse_nmt.discourse.backends.files.readings import reading_named
from discourse_nmt.discourse.settings import CommandSettings
from discourse_nmt.discourse.structures.rows import Row

PLACEHOLDERS = ("input", "output", "language")
TAIL_BYTES, TAIL_LINES = 4096, 5


class UserCommand:
    """A program that runs once for all documents of a call."""

    def __init__(self, stage: Stage, settings: CommandSettings, context: Context) -> None:
        self._stage = stage
        self._settings = settings
        self._context = context
        self._reading = reading_named(stage, settings.format)
        for name in ("input", "output"):
            if not any(f"{{{name}}}" in argument for argument in settings.command[1:]):
                raise InputError(
                    f"{stage}: command has no argument with {{{name}}}",
                    remedy="the program must be told the folder to read, {input}, and to write, {output}",
                )

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        """Rows of the stage's table."""
        if not documents:
            return []
        with tempfile.TemporaryDirectory(prefix="discourse-") as folder:
            folders = {name: Path(folder) / name for name in ("input", "output")}
            for path in folders.values():
                path.mkdir()
            write_documents(documents, folders["input"])
            names = {**{name: str(path) for name, path in folders.items()}, "language": self._context.language}
            run_program([filled(argument, names) for argument in self._settings.command], self._settings.time_limit)
            outputs = read_outputs(documents, folders["output"], self._reading.extension)
            reader = FileReader(self._stage, self._reading, self._context.side)
            return [reader.rows(output, document, alone=True) for output, document in zip(outputs, documents)]


def filled(argument: str, names: Mapping[str, str]) -> str:
    """An argument with its placeholders replaced; other braces stay."""
    for name in PLACEHOLDERS:
        argument = argument.replace(f"{{{name}}}", names[name])
    return argument


def run_program(command: Sequence[str], time_limit: float | None) -> None:
    """Run a program to its end, without a shell and without input.

    Raises :class:`InputError` with the last lines of its output if it cannot be started, fails, or takes more than
    ``time_limit`` seconds; its process group is then killed.
    """
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        except OSError as error:
            raise InputError(
                f"the command {command[0]} cannot be started ({error.strerror})", remedy="correct command"
            ) from None
        try:
            status = process.wait(time_limit)
        except subprocess.TimeoutExpired:
            raise InputError(
                f"the command {command[0]} took more than {time_limit} seconds{_tail(output)}",
                remedy="raise time_limit or divide the corpus into more shards",
            ) from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if status:
            how = f"ended with exit status {status}" if status > 0 else f"was ended by signal {-status}"
            raise InputError(f"the command {command[0]} {how}{_tail(output)}")


def _tail(output: IO[bytes]) -> str:
    """The last lines of the output, for a message."""
    size = output.seek(0, os.SEEK_END)
    output.seek(max(0, size - TAIL_BYTES))
    lines = output.read().decode("utf-8", errors="replace").split("\n")
    shown = [line.strip()[:200] for line in lines if line.strip()][-TAIL_LINES:]
    return f"; its last words: {' | '.join(shown)}" if shown else ""


def make(stage: Stage, settings: CommandSettings, context: Context) -> UserCommand:
    """The backend for documents of ``context``; a wrong format or command is an :class:`InputError`."""
    return UserCommand(stage, settings, context)
