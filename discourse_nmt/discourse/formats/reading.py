"""Helpers of all readers: decoding, lines, numbers, and errors with file and line."""

import contextlib
from collections.abc import Iterator

from discourse_nmt.base.characters import check_plain, remedy_for_encoding, tell_controls, without_controls
from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.structures.trees import StructureError


def text_of(content: str | bytes, name: str) -> str:
    """The content as text without a byte order mark, with blanks for control characters, of which a warning tells.

    Raises :class:`InputError` for NUL and for invalid UTF-8.
    """
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            remedy = remedy_for_encoding(error.object)
            raise InputError(f"byte {error.start} is not UTF-8", file=name, line=line, remedy=remedy) from None
        check_plain(content, name)
    text, count = without_controls(content.removeprefix("\ufeff"), name, nul="a NUL character")
    tell_controls(name, count)
    return text


def lines_of(content: str | bytes, name: str) -> Iterator[tuple[int, str]]:
    """Line numbers from 1 and lines without line ends (``\\n`` or ``\\r\\n``; other breaks are part of a line)."""
    text = text_of(content, name)
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), start=1):
        yield number, line.removesuffix("\r")


@contextlib.contextmanager
def blaming(name: str, line: int | None = None, remedy: str | None = None) -> Iterator[None]:
    """Turn a :class:`StructureError` of the block into an :class:`InputError` about this file."""
    try:
        yield
    except StructureError as error:
        raise InputError(str(error), file=name, line=line, remedy=remedy) from None


def whole_number(text: str, noun: str, name: str, line: int) -> int:
    """A number in ASCII digits; raises :class:`InputError` for any other text, which messages call ``noun``."""
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise InputError(f"{noun} {text[:40]!r} is not a whole number", file=name, line=line)
    return int(text)
