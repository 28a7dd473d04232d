"""Characters that show nothing: white space, controls, and those that only shape or direct their neighbours.

Every part of the project asks here whether a line has text, so that a line of soft hyphens or direction marks is an
empty line everywhere. Controls behave alike everywhere, too: no text has a NUL character, others are read as blanks.
"""

import codecs
import logging
import re
from pathlib import Path

import regex

from discourse_nmt.base.errors import InputError

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")  # tabs and line ends are none
# Unicode's property Default_Ignorable_Code_Point, with annotation marks and the empty Braille pattern.
INVISIBLE = r"\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800"
VISIBLE = regex.compile(rf"[^\s\x1c-\x1f\p{{Cc}}\p{{Cs}}\p{{Cn}}{INVISIBLE}]")

REMEDIES = {
    b"\xff\xfe\x00\x00": "it is UTF-32: convert it, with iconv -f UTF-32 -t UTF-8 for example",
    b"\xff\xfe": "it is UTF-16: convert it, with iconv -f UTF-16 -t UTF-8 for example",
    b"\xfe\xff": "it is UTF-16: convert it, with iconv -f UTF-16 -t UTF-8 for example",
    b"PK\x03\x04": "it is an archive, as .docx, .odt and .xlsx files are: save its text as UTF-8",
    b"\xd0\xcf\x11\xe0": "it is a document of Office: save its text as UTF-8",
    b"%PDF": "it is a PDF: take its text out, with pdftotext for example",
    b"\x1f\x8b": "it is compressed: decompress it",
}
"""What to do with a file that is not in UTF-8, by its first bytes."""
RTF = "{\\rtf"
BEGINNING = 10_000  # characters by which a file is known
# In UTF-16 every second byte of an alphabet's text is a control character: 0 of Latin, 4 of Cyrillic letters.
LEAST_CONTROLS = 0.4


def remedy_for_encoding(beginning: bytes) -> str:
    """What to do with a file that is not in UTF-8 and begins with these bytes."""
    known = (remedy for start, remedy in REMEDIES.items() if beginning.startswith(start))
    other = _remedy_for_utf_16(beginning) or "convert the file to UTF-8, from Latin-1 with iconv -f LATIN1 -t UTF-8"
    return next(known, other)


def check_plain(text: str, file: str | Path) -> None:
    """Raise :class:`InputError` for the ``text`` of a ``file`` that is UTF-8 by its bytes but no plain text."""
    beginning = text[:BEGINNING]
    remedy = "it is RTF: save its text as UTF-8" if text.startswith(RTF) else None
    if "\x00" in beginning and len(CONTROL.findall(beginning)) >= LEAST_CONTROLS * len(beginning):
        remedy = _remedy_for_utf_16(beginning.encode())
    if remedy:
        raise InputError("no plain text", file=file, remedy=remedy)


def decoded(content: bytes, file: str | Path) -> str:
    """``content`` of a ``file`` as text; :class:`InputError` with the first wrong byte and a remedy if it is not."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        remedy = remedy_for_encoding(content)
        raise InputError(f"byte {error.start} is not UTF-8", file=file, remedy=remedy) from None
    check_plain(text, file)
    return text


def has_text(line: str) -> bool:
    """Whether any character of ``line`` can be seen."""
    return VISIBLE.search(line) is not None


def without_controls(
    text: str, file: str, first_line: int = 1, *, strict: bool = False, nul: str = "control character U+0000"
) -> tuple[str, int]:
    """``text`` with blanks for its control characters, and how many these are; tabs and line ends stay.

    ``first_line`` is the line of ``file`` on which the text begins. Raises :class:`InputError`, naming the line, for a
    NUL character, which messages call ``nul``, and with ``strict`` for any other one.
    """
    if not CONTROL.search(text):
        return text, 0
    fault = CONTROL.search(text) if strict else re.search("\x00", text)
    if fault:
        line = first_line + text.count("\n", 0, fault.start())
        if fault.group() == "\x00":
            raise InputError(nul, file=file, line=line, remedy="is this a text file?")
        remedy = "remove the character or set control_characters: space"
        raise InputError(f"control character U+{ord(fault.group()):04X}", file=file, line=line, remedy=remedy)
    return CONTROL.subn(" ", text)


def tell_controls(name: str, count: int) -> None:
    """Warn of ``count`` control characters that were read as blanks, if there are any."""
    if count:
        logging.warning("%s: %d control characters are read as blanks", name, count)


def _remedy_for_utf_16(content: bytes) -> str | None:
    """What to do with text in UTF-16 without a byte order mark: with blanks or line ends, and no control characters."""
    ascii_characters: dict[str, int] = {}
    for encoding in ("UTF-16LE", "UTF-16BE"):
        try:
            # Incremental, as the last character may be incomplete.
            text = codecs.getincrementaldecoder(encoding)().decode(content[:BEGINNING])
        except UnicodeDecodeError:
            continue
        if not CONTROL.search(text):
            ascii_characters[encoding] = sum(map(str.isascii, text))
    found = max(ascii_characters, key=lambda encoding: ascii_characters[encoding], default="")
    if not found or not ascii_characters[found]:
        return None
    return f"it seems to be UTF-16: convert it, with iconv -f {found} -t UTF-8 for example"
