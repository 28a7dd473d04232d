"""The texts that a command is given: read and checked before any work."""

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from discourse_nmt.base.characters import decoded
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_named_text
from discourse_nmt.discourse.plain_text import check_text

STANDARD_INPUT = "standard input"
LINE_END = re.compile(r"\r\n|\n|\r")


class InputText(NamedTuple):
    """A text, and the commonest line end of its file."""

    text: str
    line_end: str


def read_inputs(
    paths: Sequence[Path], standard_input: BinaryIO, format_of: Callable[[str], str | None]
) -> dict[str, InputText]:
    """The text of each file by its path; that of the standard input for ``-`` or where there is no file.

    A terminal is told how its text ends. All texts are checked. Plain text is what :func:`check_text` makes of it; a
    file with a format stays as it is.

    Raises :class:`InputError`, naming the file, for a missing one, one that is given twice, broken UTF-8 and NUL
    characters.
    """
    texts: dict[str, InputText] = {}
    for path in paths or [Path("-")]:
        name = STANDARD_INPUT if str(path) == "-" else str(path)
        if name in texts:
            raise InputError("given twice", file=name, remedy="name each input once")
        if name == STANDARD_INPUT and standard_input.isatty():
            print("type or paste the text; Ctrl-D on an empty line ends it", file=sys.stderr, flush=True)
        content = decoded(standard_input.read(), name) if name == STANDARD_INPUT else read_named_text(path)
        checked = check_text(content, name)
        ends = LINE_END.findall(content)
        line_end = max("\n", "\r\n", key=ends.count) if "\n" in content or not ends else "\r"
        texts[name] = InputText(checked if format_of(name) is None else content, line_end)
    return texts
