"""Text within a block as pieces: blanks, character references, and what no translator may change."""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from xml.sax.saxutils import escape

from discourse_nmt.translation.formats.blocks import BlockPiece, Writer

# Addresses, and what programs fill in: %s, %(name)s, %1$d, %1, {0}, {name}, ${name}, {{ … }}, {% … %}.
FIXED = re.compile(
    r"""
    (?:(?:https?|ftp|file|mailto):|\bwww\.)[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
    | \{\{[^{}\n]*\}\} | \{%[^{}\n]*%\}
    | \$?\{[\w.:!\[\]-]*\}
    | %(?:\(\w+\)|\d+\$)?[-+#0]*\d*(?:\.\d+)?(?:hh?|ll?|[zjtL])?[diouxXeEfFgGcrsp](?!\w)
    | %L?\d{1,2}(?![\d%])
    """,
    re.VERBOSE,
)
REFERENCE = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|\w{2,31});")
TAG = re.compile(r"<(?P<closing>/?)(?P<name>[A-Za-z_:][\w:.-]*)(?:\s[^<>]*?)?(?P<empty>/?)>")
PART = re.compile(
    r"(?P<blanks>[^\S\u2028\u2029]+)|(?P<breaks>(?:&(?:#0*1[03]|#[xX]0*[aAdD]|NewLine);|[\u2028\u2029])+)"
    rf"|(?P<reference>{REFERENCE.pattern})"
)


def text_pieces(text: str, *, blanks: bool = True) -> Iterator[BlockPiece]:
    """The pieces of text without tags: a run of ``blanks`` is read as one, and references as their characters.

    References to line ends are a break, as a line end itself would be a mere blank; so are Unicode's line ends.
    """
    position = 0
    for match in PART.finditer(text):
        character = html.unescape(match.group()) if match["reference"] else " "
        if len(character) != 1 or (match["blanks"] and (not blanks or match.group() == " ")):
            continue
        if match.start() > position:
            yield BlockPiece((text[position : match.start()],), text[position : match.start()])
        read = " " if character.isspace() else character
        yield BlockPiece((match.group(),), read, "break" if match["breaks"] else "text")
        position = match.end()
    if position < len(text):
        yield BlockPiece((text[position:],), text[position:])


def with_fixed(pieces: Iterable[BlockPiece]) -> Iterator[BlockPiece]:
    """The pieces, with addresses and placeholders in text as fixed ones; these may hold references, as ``&amp;``."""
    for by_letter, group in groupby(pieces, _is_by_letter):
        if not by_letter:
            yield from group
            continue
        listed = list(group)
        text = "".join(piece.text for piece in listed)
        forms = [form for piece in listed for form in (piece.text if piece.source == piece.text else [piece.source])]
        position = 0
        for match in FIXED.finditer(text):
            start, end = match.span()
            yield from _letters(text[position:start], forms[position:start])
            yield BlockPiece(("".join(forms[start:end]),), match.group(), "fixed")
            position = end
        yield from _letters(text[position:], forms[position:])


def _is_by_letter(piece: BlockPiece) -> bool:
    """Whether each letter of a piece has a form of its own."""
    return piece.kind == "text" and (len(piece.text) == 1 or piece.source == piece.text)


def _letters(text: str, forms: Sequence[str]) -> Iterator[BlockPiece]:
    """The pieces of letters with these forms: those that stand as they are make up one."""
    for plain, pairs in groupby(zip(text, forms), lambda pair: pair[0] == pair[1]):
        if plain:
            letters = "".join(letter for letter, _ in pairs)
            yield BlockPiece((letters,), letters)
        else:
            yield from (BlockPiece((form,), letter) for letter, form in pairs)


def tagged_pieces(text: str) -> Iterator[BlockPiece]:
    """The pieces of a text that holds tags and character references, as messages of manuals do."""
    position = 0
    for match in TAG.finditer(text):
        yield from text_pieces(text[position : match.start()], blanks=False)
        kind = "point" if match["empty"] else "close" if match["closing"] else "open"
        yield BlockPiece((match.group(),), "", kind, match["name"])  # type: ignore[arg-type]
        position = match.end()
    yield from text_pieces(text[position:], blanks=False)


def escaped(text: str, source: str) -> str:
    """Text between tags; signs that stood bare in the ``source`` stand bare, ``<`` where it begins no other tag."""
    bare = REFERENCE.sub("", source)
    result = escape(text)
    for sign, reference in ((">", "&gt;"), ("&", "&amp;")):
        if sign in bare and (sign != "&" or not REFERENCE.search(text)):
            result = result.replace(reference, sign)
    if "<" in bare:
        result = re.sub(
            r"&lt;(?=([a-zA-Z/!?]?))", lambda sign: "<" if not sign[1] or f"<{sign[1]}" in bare else sign[0], result
        )
    return result


def escaped_attribute(quote: str) -> Writer:
    """The writer of the value of an attribute in these quotes."""

    def write(text: str, source: str) -> str:
        reference = "&quot;" if quote == '"' else "&#39;"
        return escaped(text, source).replace(quote, reference)

    return write
