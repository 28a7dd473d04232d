"""Spans of words within sentences as spans of words of the document, which is what all structures are compared by."""

from collections.abc import Iterable, Sequence
from itertools import accumulate

from discourse_nmt.discourse.structures.mentions import Chain, Span
from discourse_nmt.discourse.structures.trees import StructureError

Offsets = tuple[int, int]


def sentence_starts(lengths: Sequence[int]) -> list[int]:
    """Number in the document of the first word of each sentence; ``lengths`` counts words."""
    return [0, *accumulate(lengths)][: len(lengths)]


def in_document(spans: Iterable[Span], lengths: Sequence[int]) -> list[Offsets]:
    """Spans ``[start, end)`` of words of the document."""
    starts = sentence_starts(lengths)
    return [(starts[span.sentence] + span.start, starts[span.sentence] + span.end) for span in spans]


def chains_in_document(chains: Iterable[Chain], lengths: Sequence[int]) -> list[list[Offsets]]:
    """The mentions of each chain as spans of words of the document."""
    return [in_document([mention.span for mention in chain.mentions], lengths) for chain in chains]


def in_sentences(spans: Iterable[Offsets], lengths: Sequence[int]) -> list[Span]:
    """Spans of words of the document as spans of words of sentences; a :class:`StructureError` if one crosses them."""
    starts = sentence_starts(lengths)
    sentence_of = [number for number, length in enumerate(lengths) for _ in range(length)]
    found = []
    for start, end in spans:
        sentence = sentence_of[start]
        if sentence_of[end - 1] != sentence:
            raise StructureError(f"the words {start} to {end} of the document cross a sentence boundary")
        found.append(Span(sentence, start - starts[sentence], end - starts[sentence]))
    return found


def joined_lengths(lengths: Sequence[int], spans: Iterable[Offsets]) -> list[int]:
    """Lengths of the sentences, in words, after those that one span crosses are joined."""
    inside = {word for start, end in spans for word in range(start + 1, end)}
    joined: list[int] = []
    for length, start in zip(lengths, sentence_starts(lengths)):
        if joined and start in inside:
            joined[-1] += length
        else:
            joined.append(length)
    return joined


def joined_sentences(
    numbers: frozenset[int] | None, lengths: Sequence[int], joined: Sequence[int]
) -> frozenset[int] | None:
    """``numbers`` of sentences with ``lengths`` as those of the sentences they are joined to, which begin with them."""
    if numbers is None:
        return None
    places = {start: number for number, start in enumerate(sentence_starts(joined))}
    starts = sentence_starts(lengths)
    return frozenset(places[starts[number]] for number in numbers if starts[number] in places)


def divided(sentences: Iterable[Iterable[str]], lengths: Sequence[int]) -> list[list[str]]:
    """The same words in sentences of other lengths."""
    words = iter(form for sentence in sentences for form in sentence)
    return [[next(words) for _ in range(length)] for length in lengths]
