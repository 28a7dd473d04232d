"""Compiled catalogues of gettext (``.mo``): the translation of each message.

Source: https://www.gnu.org/software/gettext/manual/html_node/MO-Files.html. The libraries that read them take a file
whose strings lie over each other, and so a small one that needs much memory.
"""

import struct
from itertools import islice

from discourse_nmt.base.characters import without_controls
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import TEXT_BYTES, Source

MAGIC = 0x950412DE
HEAD = 20  # bytes: magic number, revision, number of strings, places of the two tables
ENTRY = 8  # bytes: length and place of a string


def translations_of(source: Source) -> dict[str, str]:
    """The translations by message, of a plural its singular; a message with a context is ``CONTEXT\\x04MESSAGE``.

    Raises :class:`InputError` for a file that is none or is damaged.
    """
    data = b"".join(islice(source.blocks(), (TEXT_BYTES >> 20) + 1))
    order = next((order for order in "<>" if data[:4] == struct.pack(f"{order}I", MAGIC)), None)
    if order is None or len(data) < HEAD or len(data) > TEXT_BYTES:
        raise InputError("not a compiled catalogue of gettext (.mo)", file=source.name, remedy="msgfmt compiles a .po")
    _, _, count, *places = struct.unpack(f"{order}5I", data[:HEAD])
    if any(place + count * ENTRY > len(data) for place in places):
        raise _damaged(source, f"its {count:,} messages do not fit into the file")
    sides = [struct.iter_unpack(f"{order}2I", data[place : place + count * ENTRY]) for place in places]
    translations, left = dict[str, str](), len(data)
    for number, strings in enumerate(zip(*sides), start=1):
        left -= sum(length for length, _ in strings)
        if left < 0 or any(place + length > len(data) for length, place in strings):
            raise _damaged(source, f"message {number:,} is not in the file")
        try:
            message, translation = (data[place : place + length].decode() for length, place in strings)
        except UnicodeDecodeError:
            raise _damaged(source, f"message {number:,} is not UTF-8") from None
        message, translation = (text.partition("\0")[0] for text in (message, translation))
        if source.controls != "keep":  # as in the texts that are looked up
            message, _ = without_controls(message, source.name, number, strict=False)
        translations[message] = translation
    return translations


def _damaged(source: Source, fault: str) -> InputError:
    return InputError(f"a damaged catalogue: {fault}", file=source.name, remedy="get it again")
