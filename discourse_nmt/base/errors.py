"""The exception for faults in a user's files and settings."""

from pathlib import Path


class InputError(Exception):
    """A fault in a user's file or setting. The message is one line: ``FILE:LINE: what is wrong; what to do``.

    ``line`` is 1-based. Commands print the message and exit with status 1; a traceback is a bug of the project.
    """

    def __init__(
        self, message: str, *, file: str | Path | None = None, line: int | None = None, remedy: str | None = None
    ) -> None:
        place = "" if file is None else f"{file}: " if line is None else f"{file}:{line}: "
        text = f"{place}{message}" + (f"; {remedy}" if remedy else "")
        super().__init__(" ".join(text.splitlines()))
