"""The text of a file with markup: blocks that are translated, between parts that stay as they are.

A block is a sequence of pieces. A piece has a form in the file and the text that a translator reads of it; both are the
same for plain text, a character reference such as ``&eacute;`` has one letter, and a tag has no text at all. The forms
of all pieces make up the file, so that what is not translated comes out byte for byte.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from discourse_nmt.base.characters import has_text

DEEPEST = 100
"""Spans of a block that are around each other; nobody has written more."""
Kind = Literal["text", "fixed", "open", "close", "point", "break", "line"]
Span = tuple[int, int]
Writer = Callable[[str, str], str]
"""The form in the file of a translated text, given the text of its source that stands in the file as it is."""


def as_it_is(text: str, source: str) -> str:
    """The writer of formats in which text stands as it is."""
    return text


@dataclass(frozen=True)
class BlockPiece:
    """A part of a block.

    ``fixed`` has a text that is read and comes out as it is, such as code; ``open`` and ``close`` of one ``name`` are
    the tags of a span; a ``point`` lies between two characters; a ``break`` is read as a blank and stands for one; a
    ``line`` is the end of a line over which no sentence goes. ``form`` may hold blocks of its own, such as the text of
    an attribute. ``changed`` is the form of a ``close`` once a sentence of its span is translated: the target of a link
    may hang on its text.
    """

    form: "tuple[str | TextBlock, ...]"
    text: str
    kind: Kind = "text"
    name: str = ""
    changed: str = ""

    @property
    def source(self) -> str:
        """The form as it is in the file."""
        return written(self.form, {})


@dataclass(frozen=True, eq=False)
class TextBlock:
    """A block of text; ``write`` gives a translation the form of the file.

    ``filled`` makes of that what takes the place of the source, or of ``empty`` where the file has the translation
    beside its source, as catalogues do.
    """

    pieces: tuple[BlockPiece, ...]
    write: Writer = field(default=as_it_is)
    filled: Callable[[str], str] | None = None
    empty: str | None = None

    @property
    def text(self) -> str:
        """What a translator reads."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def inner(self) -> "Iterator[TextBlock]":
        """The blocks in the form of its pieces."""
        return (part for piece in self.pieces for part in piece.form if isinstance(part, TextBlock))


@dataclass(frozen=True)
class FormattedText:
    """A file: blocks and what is between them, in order."""

    parts: tuple[str | TextBlock, ...]

    @property
    def blocks(self) -> list[TextBlock]:
        """All blocks with text, in order; those in the form of a piece follow the block of the piece."""
        return [block for part in self.parts if isinstance(part, TextBlock) for block in _nested(part)]

    def with_blocks(self, translations: Mapping[TextBlock, str]) -> str:
        """The file with other forms of some blocks."""
        return written(self.parts, translations)


def _nested(block: TextBlock) -> Iterator[TextBlock]:
    if has_text(block.text):
        yield block
    for inner in block.inner:
        yield from _nested(inner)


def written(parts: Sequence[str | TextBlock], translations: Mapping[TextBlock, str]) -> str:
    """The forms of ``parts`` one after the other, of blocks their translations where there are any."""
    return "".join(part if isinstance(part, str) else _form(part, translations) for part in parts)


def _form(block: TextBlock, translations: Mapping[TextBlock, str]) -> str:
    """The form of a block; without a translation its source, whose inner blocks may have one."""
    if block in translations:
        return block.filled(translations[block]) if block.filled else translations[block]
    if block.empty is not None:
        return block.empty
    return "".join(written(piece.form, translations) for piece in block.pieces)


def block_of(
    pieces: Sequence[BlockPiece],
    write: Writer = as_it_is,
    filled: Callable[[str], str] | None = None,
    empty: str | None = None,
) -> TextBlock:
    """The block of ``pieces``: tags without a partner, and spans without text, become points.

    A blank after a blank has no text, so that markup between them is not seen by a translator.
    """
    paired = _paired(_single_blanks(pieces))
    result: list[BlockPiece] = []
    index = 0
    while index < len(paired):
        piece, partner = paired[index]
        last = index
        if piece.kind in ("open", "close") and partner is None:
            piece = BlockPiece(piece.form, "", "point")
        elif piece.kind == "open" and partner is not None:
            inside = [one for one, _ in paired[index : partner + 1]]
            if not any(one.text for one in inside):
                piece, last = BlockPiece(tuple(part for one in inside for part in one.form), "", "point"), partner
        if piece.kind == "text" and not piece.text and result and result[-1].kind == "point":
            piece = BlockPiece(result.pop().form + piece.form, "", "point")  # a blank on both sides of a point
        result.append(piece)
        index = last + 1
    return TextBlock(tuple(result), write, filled, empty)


def _single_blanks(pieces: Sequence[BlockPiece]) -> Iterator[BlockPiece]:
    before = ""
    for piece in pieces:
        if piece.kind == "text" and before.endswith(" ") and piece.text.startswith(" "):
            blanks = len(piece.text) - len(piece.text.lstrip(" "))
            if piece.source == piece.text:
                yield BlockPiece((piece.text[:blanks],), "")
                piece = BlockPiece((piece.text[blanks:],), piece.text[blanks:])
                if not piece.text:
                    continue
            else:
                piece = BlockPiece(piece.form, piece.text[blanks:])
        before = piece.text or before
        yield piece


def _paired(pieces: Iterator[BlockPiece]) -> list[tuple[BlockPiece, int | None]]:
    """Each piece with the index of its partner; pairs are nested, what would cross another or is too deep has none."""
    listed = list(pieces)
    partners: dict[int, int] = {}
    opened: list[int] = []
    for index, piece in enumerate(listed):
        if piece.kind == "open" and len(opened) < DEEPEST:
            opened.append(index)
        elif piece.kind == "close":
            names = [listed[one].name for one in opened]
            if piece.name in names:
                place = len(names) - 1 - names[::-1].index(piece.name)
                partners[opened[place]], partners[index] = index, opened[place]
                del opened[place:]
    return [(piece, partners.get(index)) for index, piece in enumerate(listed)]


def partners_of(pieces: Sequence[BlockPiece]) -> dict[int, int]:
    """The index of the partner of each tag in a sequence of pieces, whose pairs are nested; others have none."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for index, piece in enumerate(pieces):
        if piece.kind == "open":
            opened.append(index)
        elif piece.kind == "close" and opened:
            first = opened.pop()
            partners[first], partners[index] = index, first
    return partners


def element_ends(tags: Iterable[tuple[str, str]]) -> dict[int, int]:
    """By the index of each ``open`` one of some ``(kind, name)`` that of the ``close`` one of the same element."""
    ends: dict[int, int] = {}
    opened: defaultdict[str, list[int]] = defaultdict(list)
    for index, (kind, name) in enumerate(tags):
        if kind == "open":
            opened[name].append(index)
        elif kind == "close" and opened[name]:
            ends[opened[name].pop()] = index
    return ends
