"""Text within a block as pieces: blanks, character references, and what no translator may change."""

import html
import re
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from discourse_nmt.translation.formats.blocks import BlockPiece, Writer

# Addresses, and what programs fill in: %s, %(name)s, %1$d, %1, {0}, {name}, ${name}, {{ … }}, {% … %}.
FIXED = re.compile(
    r"""
    (?:https?|ftp|file|mailto):[^\s<>"'`]*[^\s<>"'`.,;:!?)\]}]
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
BLANKS = re.compile(r"\s+")
PART = re.compile(rf"(?P<blanks>\s+)|(?P<reference>{REFERENCE.pattern})")


def text_pieces(text: str, *, references: bool = True, blanks: bool = True) -> Iterator[BlockPiece]:
    """The pieces of text without tags: a run of ``blanks`` is read as one, and ``references`` as their characters."""
    position = 0
    for match in PART.finditer(text):
        character = html.unescape(match.group()) if match["reference"] else " "
        chosen = references if match["reference"] else blanks and match.group() != " "
        if not chosen or len(character) != 1 or (match["reference"] and character in "\n\r"):
            continue
        if match.start() > position:
            yield BlockPiece((text[position : match.start()],), text[position : match.start()])
        yield BlockPiece((match.group(),), " " if character.isspace() else character)
        position = match.end()
    if position < len(text):
        yield BlockPiece((text[position:],), text[position:])


def with_fixed(pieces: Sequence[BlockPiece]) -> Iterator[BlockPiece]:
    """The pieces, with addresses and placeholders in plain text as fixed ones."""
    for piece in pieces:
        if piece.kind != "text" or piece.source != piece.text:
            yield piece
            continue
        position = 0
        for match in FIXED.finditer(piece.text):
            if match.start() > position:
                yield BlockPiece((piece.text[position : match.start()],), piece.text[position : match.start()])
            yield BlockPiece((match.group(),), match.group(), "fixed")
            position = match.end()
        if position < len(piece.text):
            yield BlockPiece((piece.text[position:],), piece.text[position:])


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
    """Text between tags; signs that stood bare in the ``source`` stand bare."""
    bare = REFERENCE.sub("", source)
    result = escape(text)
    for sign, reference in ((">", "&gt;"), ("&", "&amp;")):
        if sign in bare and (sign != "&" or not REFERENCE.search(text)):
            result = result.replace(reference, sign)
    return result


def escaped_attribute(quote: str) -> Writer:
    """The writer of the value of an attribute in these quotes."""

    def write(text: str, source: str) -> str:
        reference = "&quot;" if quote == '"' else "&#39;"
        return escaped(text, source).replace(quote, reference)

    return write
