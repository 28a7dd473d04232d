"""Spans of a document: elementary discourse units, mentions and coreference chains.

Sentences, words and characters are numbered from 0; spans are half-open ``[start, end)``. A span counts either the
characters or the words of its sentence: characters in tables, words in token-based formats.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from discourse_nmt.discourse.structures.trees import StructureError

Characters = tuple[int, int]
"""The characters ``[start, end)`` of a word in its raw sentence."""
WordOffsets = Sequence[Sequence[Characters]]
"""The characters of the words of each sentence of a document."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A non-empty half-open span in one sentence; spans sort in text order."""

    sentence: int
    start: int
    end: int

    def __post_init__(self) -> None:
        if self.sentence < 0 or not 0 <= self.start < self.end:
            raise StructureError(f"sentence {self.sentence} has no span from {self.start} to {self.end}")


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """A span that refers to an entity, and the span of its head word."""

    span: Span
    head: Span

    def __post_init__(self) -> None:
        inside = self.span.start <= self.head.start and self.head.end <= self.span.end
        if self.head.sentence != self.span.sentence or not inside:
            raise StructureError(f"the head {self.head} is not inside the mention {self.span}")


@dataclass(frozen=True)
class Chain:
    """The mentions of one entity, in text order, each once."""

    mentions: tuple[Mention, ...]

    def __post_init__(self) -> None:
        if not self.mentions:
            raise StructureError("a chain has no mention")
        if any(not left < right for left, right in pairwise(self.mentions)):
            raise StructureError("the mentions of a chain are not in text order, or one is there twice")


def check_edus(edus: Sequence[Span], sentence_lengths: Sequence[int]) -> None:
    """Raise :class:`StructureError` unless the EDUs tile the words of every sentence, in order and without gaps.

    ``sentence_lengths`` counts words; a sentence without words has no EDU.
    """
    reached = [0] * len(sentence_lengths)
    current = 0
    for number, edu in enumerate(edus):
        if not current <= edu.sentence < len(sentence_lengths):
            raise StructureError(f"EDU {number} (from 0) is in sentence {edu.sentence}, out of order or not there")
        current = edu.sentence
        if edu.start != reached[current]:
            raise StructureError(
                f"EDU {number} (from 0) begins at word {edu.start} of sentence {current}, "
                f"not at word {reached[current]}"
            )
        reached[current] = edu.end
    for number, (end, length) in enumerate(zip(reached, sentence_lengths)):
        if end != length:
            raise StructureError(f"the EDUs of sentence {number} end at word {end} of {length}")


def edus_of_starts(starts: Sequence[Sequence[bool]]) -> tuple[Span, ...]:
    """EDUs of a document, as word spans, from a mark for each word of each sentence: true where an EDU begins.

    The first word of a sentence always begins an EDU, since no EDU crosses a sentence boundary.
    """
    edus: list[Span] = []
    for sentence, marks in enumerate(starts):
        begins = [word for word, mark in enumerate(marks) if mark or word == 0]
        edus.extend(Span(sentence, start, end) for start, end in zip(begins, [*begins[1:], len(marks)]))
    return tuple(edus)


def head_of_span(span: Span, heads: Sequence[int]) -> Span:
    """The head word of a word span: the first word whose syntactic head lies outside the span.

    ``heads`` are those of the span's sentence, from 0, -1 for the root. In a tree every span has such a word.
    """
    for word in range(span.start, span.end):
        if not span.start <= heads[word] < span.end:
            return Span(span.sentence, word, word + 1)
    raise StructureError(f"the words {span.start} to {span.end} of sentence {span.sentence} have no head outside")
