"""A translated block in the form of its file: each sentence with its markup, and what is between sentences."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate

from discourse_nmt.translation.formats.blocks import BlockPiece, Span, TextBlock, partners_of, written
from discourse_nmt.translation.formats.placing import placed
from discourse_nmt.translation.word_links import WordLinks


@dataclass(frozen=True)
class TranslatedSentence:
    """A sentence of a block, at these characters of its text; ``links`` may be asked for once the lines differ."""

    span: Span
    translation: str
    links: Callable[[], WordLinks]


def block_form(
    block: TextBlock,
    sentences: Sequence[TranslatedSentence],
    translations: Mapping[TextBlock, str],
    space: str | None = None,
) -> str:
    """A translated block in the form of the file.

    ``translations`` are those of its inner blocks. ``space`` stands between sentences where one of the two languages
    writes none there; None: as it was.
    """
    regions = _regions(block, [sentence.span for sentence in sentences])
    texts = ["".join(piece.text for piece in pieces).replace("\n", " ") for pieces in regions[1::2]]
    changed = {2 * row + 1 for row, text in enumerate(texts) if sentences[row].translation != text}
    parts = []
    for index, pieces in enumerate(_with_changed_ends(regions, changed)):
        source = "".join(written(piece.form, translations) for piece in pieces)
        if index in changed:
            sentence = sentences[index // 2]
            parts.append(placed(pieces, sentence.translation, sentence.links, block.write, translations))
        elif space is not None and 0 < index < len(regions) - 1 and source in ("", " "):
            parts.append(space)
        else:
            parts.append(source)
    return "".join(parts)


def _regions(block: TextBlock, spans: Sequence[Span]) -> list[list[BlockPiece]]:
    """The pieces before, in and between sentences; there are twice as many regions as sentences, and one more.

    A tag at the edge of a sentence belongs to it if its partner is inside.
    """
    edges = [edge for span in spans for edge in span]
    pieces = [part for piece in block.pieces for part in _cut(piece)]
    starts = [0, *accumulate(len(piece.text) for piece in pieces)]
    partners = partners_of(pieces)
    homes: list[int] = []
    for index, piece in enumerate(pieces):
        position = starts[index]
        home = bisect_right(edges, position)
        if not piece.text and index in partners and piece.kind in ("open", "close"):
            # The sentence that holds the partner: it holds this tag, too, if it touches the place.
            other = bisect_right(edges, starts[partners[index]])
            inside = other % 2 == 1 and spans[other // 2][0] < starts[partners[index]]
            if inside and spans[other // 2][0] <= position <= spans[other // 2][1]:
                home = other
            elif position in edges:
                home = _gap(edges, position)
        elif not piece.text and position in edges:
            home = _gap(edges, position)
        homes.append(home)
    for index in range(len(pieces) - 2, -1, -1):  # a closing tag takes what is before it at the same place along
        if starts[index] == starts[index + 1]:
            homes[index] = min(homes[index], homes[index + 1]) if homes[index + 1] % 2 else homes[index]
    regions: list[list[BlockPiece]] = [[] for _ in range(len(edges) + 1)]
    for piece, home in zip(pieces, accumulate(homes, max)):
        regions[home].append(piece)
    return regions


def _with_changed_ends(regions: Sequence[Sequence[BlockPiece]], changed: Set[int]) -> list[list[BlockPiece]]:
    """The regions; the ends of spans that reach into one of those that have ``changed`` have their other form."""
    homes = [index for index, pieces in enumerate(regions) for _ in pieces]
    pieces = [piece for own in regions for piece in own]
    partners = partners_of(pieces)
    result: list[list[BlockPiece]] = [[] for _ in regions]
    for index, (piece, home) in enumerate(zip(pieces, homes)):
        if piece.changed and index in partners and not changed.isdisjoint(range(homes[partners[index]], home + 1)):
            piece = replace(piece, form=(piece.changed,))
        result[home].append(piece)
    return result


def _gap(edges: Sequence[int], position: int) -> int:
    """The gap at an edge of a sentence."""
    home = bisect_right(edges, position)
    return home if home % 2 == 0 else home - 1


def _cut(piece: BlockPiece) -> list[BlockPiece]:
    """Plain text letter by letter, as sentences may end anywhere in it."""
    if piece.kind == "text" and len(piece.text) > 1:
        return [BlockPiece((letter,), letter) for letter in piece.text]
    return [piece]
