"""The command backend: the user's program analyses documents. docs/analysers/backends.md has the contract."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.programs import filled, run_program
from discourse_nmt.discourse.backends.backend import Context, DocumentInput, Stage
from discourse_nmt.discourse.backends.files.exchange import read_outputs, write_documents
from discourse_nmt.discourse.backends.files.imported import FileReader
from discourse_nmt.discourse.backends.files.readings import reading_named
from discourse_nmt.discourse.settings import CommandSettings
from discourse_nmt.discourse.structures.rows import Row

ADVICE = "raise time_limit or divide the corpus into more shards"


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
            command = [filled(argument, names) for argument in self._settings.located]
            run_program(command, self._settings.time_limit, advice=ADVICE)
            outputs = read_outputs(documents, folders["output"], self._reading.extension)
            reader = FileReader(self._stage, self._reading, self._context.side)
            return [reader.rows(output, document, alone=True) for output, document in zip(outputs, documents)]


def make(stage: Stage, settings: CommandSettings, context: Context) -> UserCommand:
    """The backend for documents of ``context``; a wrong format or command is an :class:`InputError`."""
    return UserCommand(stage, settings, context)
