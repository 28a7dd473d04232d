"""One form for characters that mean the same to a reader, with the place of each in the original.

Composed characters (NFC); typographic quotation marks, apostrophes and dashes as ASCII writes them; one space for any
white space; no invisible characters, such as soft hyphens, zero-width spaces and direction marks. Joiners without width
stay where scripts and emoji need them.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import regex

from discourse_nmt.base.characters import INVISIBLE

EQUIVALENT = {
    "'": "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\N{SINGLE LOW-9 QUOTATION MARK}"
    "\N{SINGLE HIGH-REVERSED-9 QUOTATION MARK}\N{MODIFIER LETTER APOSTROPHE}\N{MODIFIER LETTER TURNED COMMA}"
    "\N{PRIME}\N{FULLWIDTH APOSTROPHE}\N{ACUTE ACCENT}\N{GRAVE ACCENT}"
    "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
    '"': "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}\N{DOUBLE LOW-9 QUOTATION MARK}"
    "\N{DOUBLE HIGH-REVERSED-9 QUOTATION MARK}\N{DOUBLE PRIME}\N{FULLWIDTH QUOTATION MARK}"
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}",
    "-": "\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{FIGURE DASH}\N{EN DASH}\N{EM DASH}\N{HORIZONTAL BAR}\N{MINUS SIGN}"
    "\N{HYPHEN BULLET}",
    "...": "\N{HORIZONTAL ELLIPSIS}",
}
FORM_OF = {character: form for form, characters in EQUIVALENT.items() for character in characters}
# Letters that joiners without width shape: those of scripts other than these.
UNSHAPED = r"\p{Latin}\p{Greek}\p{Cyrillic}\p{Armenian}\p{Georgian}\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Common}"
SHAPED = rf"[[\p{{L}}\p{{M}}]--[{UNSHAPED}]]"
JOINER = rf"(?<={SHAPED})[\u200c\u200d](?={SHAPED})|(?<=[\p{{Extended_Pictographic}}\p{{EMod}}\ufe0f])\u200d"
SELECTORS = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"
DROPPED = rf"(?=[[{INVISIBLE}]--[{SELECTORS}]])(?!{JOINER})."
BLANK = r"\s\x00-\x1f\x7f-\x9f"
SPACE = rf"(?:\x20(?=[{BLANK}])|[[{BLANK}]--\x20])[{BLANK}]*"
FORMS = f"[{''.join(FORM_OF)}]"
CHANGED = regex.compile(rf"(?P<dropped>{DROPPED})|(?P<space>{SPACE})|{FORMS}", regex.V1)
CLUSTER = regex.compile(r"\X")


class Normalised(NamedTuple):
    """A normalised text, and for each of its characters the first and the last + 1 of the original."""

    text: str
    starts: list[int]
    ends: list[int]


def normalised(raw: str) -> Normalised:
    """``raw`` in one form; what is in that form already comes back as it is."""
    if raw.isascii() and not CHANGED.search(raw):
        return Normalised(raw, list(range(len(raw))), list(range(1, len(raw) + 1)))
    found = _joined(_pieces(raw))
    # What stood apart may touch now, as two spaces around an invisible character.
    while (again := _joined(_pieces(found.text))).text != found.text:
        starts = [found.starts[start] for start in again.starts]
        found = Normalised(again.text, starts, [found.ends[end - 1] for end in again.ends])
    return found


def _joined(pieces: Iterable[tuple[str, int, int]]) -> Normalised:
    text, starts, ends = list[str](), list[int](), list[int]()
    for piece, start, end in pieces:
        same = len(piece) == end - start
        text.append(piece)
        starts += range(start, end) if same else [start] * len(piece)
        ends += range(start + 1, end + 1) if same else [end] * len(piece)
    return Normalised("".join(text), starts, ends)


def _pieces(raw: str) -> Iterator[tuple[str, int, int]]:
    """Pieces of the normalised text with their characters in the original."""
    position = 0
    for match in CHANGED.finditer(raw):
        yield from _composed(raw, position, match.start())
        position = match.end()
        yield "" if match["dropped"] else " " if match["space"] else FORM_OF[match[0]], match.start(), position
    yield from _composed(raw, position, len(raw))


def _composed(raw: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Composed characters of a stretch."""
    if unicodedata.is_normalized("NFC", stretch := raw[start:end]):
        yield stretch, start, end
        return
    for match in CLUSTER.finditer(stretch):
        yield unicodedata.normalize("NFC", match[0]), start + match.start(), start + match.end()
