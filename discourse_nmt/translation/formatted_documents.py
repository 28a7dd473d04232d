"""Files with markup as documents to translate, and their translations in the same format."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

from discourse_nmt.translation.formats.block_forms import TranslatedSentence, block_form
from discourse_nmt.translation.formats.blocks import FormattedText, TextBlock
from discourse_nmt.translation.texts import SourceDocument, Span, Splitter, sentences_of
from discourse_nmt.translation.word_links import WordLinks, joined


@dataclass(frozen=True)
class FormattedDocument:
    """A file, and the document that its sentences are: those of all blocks, in order."""

    text: FormattedText
    spans: tuple[tuple[Span, ...], ...]
    """For each block the characters of its sentences."""
    document: SourceDocument

    @classmethod
    def of(cls, text: FormattedText, name: str, split: Splitter | None) -> "FormattedDocument":
        """The document of a file, whose sentences ``split`` finds; None: each line of a block is one."""
        blocks = text.blocks
        found = sentences_of([block.text for block in blocks], split)
        spans = tuple(
            tuple(_of_words(block, _in_lines(block, _whole(block, own)))) for block, own in zip(blocks, found)
        )
        sentences: list[str] = []
        gaps = [""]
        for block, own in zip(blocks, spans):
            sentences += [block.text[start:end].replace("\n", " ") for start, end in own]
            gaps += [block.text[end:start] for (_, end), (start, _) in pairwise(own)] + ["\n\n"] * bool(own)
        gaps[-1] = "" if len(gaps) == 1 else "\n"
        return cls(text, spans, SourceDocument(name, tuple(sentences), tuple(gaps)))

    def with_translation(
        self,
        source: Sequence[str],
        lines: Sequence[str],
        links: Callable[[], Sequence[WordLinks]],
        space: str,
        joint: str | None,
    ) -> str:
        """The file with a translation.

        ``lines`` translate the sentences ``source``: those of :attr:`document`, of which long ones are in parts.
        ``links`` are asked for where markup is inside of a sentence. ``space`` stands between parts of a sentence, and
        ``joint`` between sentences, None: as in the source.
        """
        asked = cache(links)
        pairs = iter(enumerate(zip(source, lines)))
        blocks = self.text.blocks
        translated: list[list[TranslatedSentence]] = []
        for block, spans in zip(blocks, self.spans):
            translated.append([])
            for start, end in spans:
                parts = list(_parts(block.text[start:end].replace("\n", " "), pairs))
                line = space.join(lines[row] for _, row in parts)
                translated[-1].append(TranslatedSentence((start, end), line, _asking(parts, lines, space, asked)))
        forms: dict[TextBlock, str] = {}
        for block, sentences in reversed(list(zip(blocks, translated))):  # inner blocks follow those that hold them
            if sentences:
                forms[block] = block_form(block, sentences, forms, joint)
        return self.text.with_blocks(forms)


def _asking(
    parts: Sequence[tuple[int, int]], lines: Sequence[str], space: str, asked: Callable[[], Sequence[WordLinks]]
) -> Callable[[], WordLinks]:
    def links() -> WordLinks:
        begin, found = 0, []
        for place, row in parts:
            found.append((place, begin, asked()[row]))
            begin += len(lines[row]) + len(space)
        return joined(found)

    return links


def _parts(sentence: str, pairs: Iterator[tuple[int, tuple[str, str]]]) -> Iterator[tuple[int, int]]:
    """The place of each part of a sentence in it, and the part's row."""
    position = 0
    while sentence[position:].strip():
        row, (part, _) = next(pairs)
        place = sentence.index(part, position)
        yield place, row
        position = place + len(part)


def _whole(block: TextBlock, spans: Sequence[Span]) -> list[Span]:
    """The sentences with the whole of fixed pieces at their edges; those that share one are one sentence."""
    ends = list(accumulate(len(piece.text) for piece in block.pieces))
    fixed = [(end - len(piece.text), end) for piece, end in zip(block.pieces, ends) if piece.kind == "fixed"]
    whole: list[Span] = []
    for start, end in spans:
        first, last = min(start, *_around(fixed, start)), max(end, *_around(fixed, end))
        if whole and first < whole[-1][1]:
            first, _ = whole.pop()
        whole.append((first, last))
    return whole


def _around(pieces: Sequence[Span], place: int) -> Span:
    """The piece that a place is inside of, or the place."""
    index = bisect_left(pieces, (place, place)) - 1
    return pieces[index] if index >= 0 and place < pieces[index][1] else (place, place)


def _in_lines(block: TextBlock, spans: Sequence[Span]) -> Iterator[Span]:
    """The sentences, cut where a line of the block ends."""
    ends = list(accumulate(len(piece.text) for piece in block.pieces))
    lines = [end for piece, end in zip(block.pieces, ends) if piece.kind == "line"]
    for start, end in spans:
        edges = [start, *lines[bisect_right(lines, start) : bisect_left(lines, end)], end]
        for first, last in pairwise(edges):
            part = block.text[first:last]
            yield first + len(part) - len(part.lstrip()), first + len(part.rstrip())


def _of_words(block: TextBlock, spans: Iterable[Span]) -> Iterator[Span]:
    """The sentences that have letters or digits outside of what is fixed."""
    letters, position = [], 0
    for piece in block.pieces:
        if piece.kind != "fixed":
            letters += [position + index for index, letter in enumerate(piece.text) if letter.isalnum()]
        position += len(piece.text)
    return (span for span in spans if bisect_left(letters, span[0]) < bisect_left(letters, span[1]))
