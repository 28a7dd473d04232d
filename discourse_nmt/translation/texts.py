"""Texts as sentences with the white space between them, so that a translation keeps lines and paragraphs."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.plain_text import Span, blocks_of
from discourse_nmt.text.tokenisers import Tokeniser
from discourse_nmt.text.writing_systems import with_gaps

Layout = Literal["paragraphs", "lines", "marked"]
Fits = Callable[[str], bool]
"""Whether a model has positions enough for a sentence."""
Splitter = Callable[[Sequence[str]], list[list[Span]]]
"""The characters of the sentences of each of several texts."""

MARK = "<d>"
LONGEST = 300
"""Words of a sentence that is translated in one piece; training knows none that are longer."""
WRAPPED = re.compile(r"(?<=[^\s.!?:])\n(?=(\w))")
CLAUSE_ENDS = frozenset(",;:，；：、。！？.!?)]")


@dataclass(frozen=True)
class SourceDocument:
    """A document: its sentences, one line each, and what stands before, between and after them.

    ``gaps`` has one entry more than ``sentences``; ``gaps[0] + sentences[0] + gaps[1] + …`` is the text.
    """

    name: str
    sentences: tuple[str, ...]
    gaps: tuple[str, ...]

    @classmethod
    def of_sentences(cls, sentences: Iterable[str], name: str = "") -> "SourceDocument":
        """A document of given sentences, one per line."""
        lines = tuple(sentences)
        return cls(name, lines, ("", *["\n"] * (len(lines) - 1), "") if lines else ("",))

    def with_sentences(self, sentences: Sequence[str], space: str = " ") -> str:
        """The text with other sentences; ``space`` stands where only blanks were between two of them."""
        return with_gaps(sentences, self.gaps, space)


def documents_of(text: str, name: str, layout: Layout, split: Splitter | None = None) -> list[SourceDocument]:
    """The documents of a text, which :func:`check_text` has checked.

    ``paragraphs``: one document, whose sentences ``split`` finds in its blocks (see :func:`.blocks_of`); ``lines``: one
    document with a sentence per line, without the mark of an item or heading, or per cell of a table; ``marked``: each
    line is a sentence as it is, and a line ``<d>`` begins a document, of which there may be several. All that is
    between sentences is kept. Raises :class:`InputError` for a marked text with a sentence before the first mark.
    """
    if layout == "paragraphs":
        assert split is not None
        return [_document(name, text, sentences_of([text], split)[0])]
    if layout == "lines":
        return [_document(name, text, blocks_of(text, by_line=True))]
    marks = [match.start() for match in re.finditer(rf"^[^\S\n]*{MARK}[^\S\n]*$", text, re.MULTILINE)]
    starts = marks if marks else [0]
    if before := text[: starts[0]].strip() or (not marks and text.strip()):
        raise InputError(
            f"no {MARK} before {str(before)[:40]!r}",
            file=name,
            line=1,
            remedy=f"put {MARK} on a line before each document",
        )
    starts[0] = 0
    numbers = range(1, len(starts) + 1)
    names = [name] if len(starts) == 1 else [f"{name}#{number}" for number in numbers]
    parts = [text[start:stop] for start, stop in zip(starts, [*starts[1:], len(text)])]
    return [_document(own, part, list(_lines(part))) for own, part in zip(names, parts)]


def sentences_of(texts: Sequence[str], split: Splitter | None) -> list[list[Span]]:
    """The characters of the sentences of each text, in its blocks; without ``split`` each line of a block is one.

    A line that begins in lower case continues the one before.
    """
    if split is None:
        return [blocks_of(text, by_line=True) for text in texts]
    blocks = [(number, *span) for number, text in enumerate(texts) for span in blocks_of(text)]
    parts = [
        WRAPPED.sub(lambda match: " " if match[1].islower() else "\n", texts[number][start:end])
        for number, start, end in blocks
    ]
    sentences: list[list[Span]] = [[] for _ in texts]
    for (number, begin, _), part, spans in zip(blocks, parts, split(parts)):
        sentences[number] += [(begin + start, begin + end) for start, end in spans if has_text(part[start:end])]
    return sentences


def _lines(text: str) -> Iterator[Span]:
    """The characters of each line with text, but for marks of documents."""
    for match in re.finditer(r"[^\n]+", text):
        line = match.group()
        if has_text(line) and line.strip() != MARK:
            start = match.start() + len(line) - len(line.lstrip())
            yield start, start + len(line.strip())


def _document(name: str, text: str, spans: Sequence[Span]) -> SourceDocument:
    """The document whose sentences have these characters; line ends inside a sentence become blanks."""
    ends, starts = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
    sentences = tuple(text[start:end].replace("\n", " ") for start, end in spans)
    return SourceDocument(name, sentences, tuple(text[end:start] for end, start in zip(ends, starts)))


def cut_long_sentences(
    document: SourceDocument, tokenise: Tokeniser, fits: Fits = lambda sentence: True
) -> SourceDocument:
    """The document with sentences of more than :data:`LONGEST` words, and those that do not fit the model, in parts.

    A warning tells of them.

    A part ends after a mark such as a comma where there is one in its second half. The parts make up the sentence.
    """
    sentences: list[str] = []
    gaps = [document.gaps[0]]
    for number, (sentence, gap) in enumerate(zip(document.sentences, document.gaps[1:]), start=1):
        parts = [sentence] if len(sentence) <= LONGEST else _parts(sentence, tokenise, LONGEST)
        fault = f"has more than {LONGEST} words"
        if not all(map(fits, parts)):
            parts = _fitting(sentence, tokenise, fits, LONGEST)
            fault = "is too long to be translated at once"
        if len(parts) > 1:
            name = document.name or "text"
            logging.warning("%s: sentence %d %s; it is translated in %d parts", name, number, fault, len(parts))
        sentences += parts
        gaps += [" "] * (len(parts) - 1) + [gap]
    return SourceDocument(document.name, tuple(sentences), tuple(gaps))


def _fitting(sentence: str, tokenise: Tokeniser, fits: Fits, longest: int) -> list[str]:
    """Parts of at most ``longest`` words, again in parts of half as many until each fits; long words are halved."""
    if fits(sentence) or len(sentence) == 1:
        return [sentence]
    if longest:
        parts = _parts(sentence, tokenise, longest)
    else:
        parts = [sentence[: len(sentence) // 2], sentence[len(sentence) // 2 :]]
    return [piece for part in parts for piece in _fitting(part, tokenise, fits, longest // 2)]


def _parts(sentence: str, tokenise: Tokeniser, longest: int) -> list[str]:
    tokens = tokenise.tokenise(sentence)
    parts, first = [], 0
    while first < len(tokens.tokens):
        stop = min(first + longest, len(tokens.tokens))
        if stop < len(tokens.tokens):
            ends = (index for index in range(stop, first + longest // 2, -1) if tokens.tokens[index - 1] in CLAUSE_ENDS)
            stop = next(ends, stop)
        end = tokens.starts[stop] if stop < len(tokens.tokens) else len(sentence)
        parts.append(sentence[tokens.starts[first] if first else 0 : end].strip())
        first = stop
    return [part for part in parts if part] or [sentence]
