"""The one exception for faults in what a user gave us."""

from pathlib import Path


class InputError(Exception):
    """A fault in a user's file or setting, told in one line: ``FILE:LINE: what is wrong; what to do``.

    ``line`` is 1-based. Commands print the text and exit with status 1; a traceback is a bug of ours.
    """

    def __init__(
        self, message: str, *, file: str | Path | None = None, line: int | None = None, remedy: str | None = None
    ) -> None:
        place = "" if file is None else f"{file}: " if line is None else f"{file}:{line}: "
        text = f"{place}{message}" + (f"; {remedy}" if remedy else "")
        super().__init__(" ".join(text.splitlines()))
