"""Width and line breaks of text, independent of the fonts of a machine.

Latin letters have the widths of Helvetica, which Arial and Liberation Sans share; a full-width East Asian character is
one em. Other letters count as 0.6 em, combining marks as 0.
"""

import re
import unicodedata
from functools import cache

FONTS = (
    "Arial, 'Liberation Sans', Helvetica, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
)
# Thousandths of an em, from Adobe's font metrics of Helvetica.
WIDTHS = {
    letter: width
    for width, letters in {
        191: "'",
        222: "ijl",
        260: "|",
        278: " !,./:;I[]\\ft",
        333: "()-`r",
        334: "{}",
        355: '"',
        389: "*",
        469: "^",
        500: "Jcksvxyz",
        556: "0123456789#$?L_abdeghnopqu",
        584: "+<=>~",
        611: "FTZ",
        667: "&ABEKPSVXY",
        722: "CDHNRUw",
        778: "GOQ",
        833: "Mm",
        889: "%",
        944: "W",
        1000: "\u2014\u2026",
        1015: "@",
    }.items()
    for letter in letters
}
OTHER = 600
WIDE = 1000
NO_LINE_START = "，。、；：！？）】》」』〉’”…,.;:!?)]}%"
PIECES = re.compile(r"\s+|[^\s\u1100-\u11ff\u2e80-\uffef]+|.", re.DOTALL)  # space, a word, or one East Asian character


@cache
def letter_width(letter: str) -> int:
    """Width of one character in thousandths of the font size."""
    if letter in WIDTHS:
        return WIDTHS[letter]
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    if unicodedata.east_asian_width(letter) in "WF":
        return WIDE
    plain = unicodedata.normalize("NFD", letter)[0]  # an umlaut is as wide as its vowel
    return WIDTHS.get(plain, OTHER)


def text_width(text: str, size: float) -> float:
    """Width of ``text`` in pixels at a font size in pixels."""
    return sum(map(letter_width, text)) * size / 1000


def wrapped(text: str, size: float, width: float) -> list[str]:
    """``text`` as lines of at most ``width`` pixels, broken at spaces and between East Asian characters.

    A longer word is divided. Runs of space become one blank; the result has at least one line.
    """
    lines: list[str] = []
    line, reached = "", 0.0
    for piece in PIECES.findall(" ".join(text.split())):
        if reached + text_width(piece.rstrip(), size) > width and piece not in NO_LINE_START:
            if line:
                lines.append(line.rstrip())
            *full, line = _cut(piece.lstrip(), size, width)
            lines += full
            reached = text_width(line, size)
        else:
            line += piece
            reached += text_width(piece, size)
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _cut(word: str, size: float, width: float) -> list[str]:
    """A word as pieces of at most ``width`` pixels, each of at least one character."""
    pieces, start, reached = [], 0, 0.0
    for place, letter in enumerate(word):
        reached += text_width(letter, size)
        if reached > width and place > start:
            pieces.append(word[start:place])
            start, reached = place, text_width(letter, size)
    return [*pieces, word[start:]]
