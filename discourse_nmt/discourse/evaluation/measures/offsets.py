"""Spans over the words of a sentence as spans over the words of the document, by which structures are compared."""

from collections.abc import Iterable, Sequence
from itertools import accumulate

from discourse_nmt.discourse.structures.mentions import Chain, Span
from discourse_nmt.discourse.structures.trees import StructureError

Offsets = tuple[int, int]


def sentence_starts(lengths: Sequence[int]) -> list[int]:
    """Index in the document of the first word of each sentence; ``lengths`` are the sentences' numbers of words."""
    return [0, *accumulate(lengths)][: len(lengths)]


def in_document(spans: Iterable[Span], lengths: Sequence[int]) -> list[Offsets]:
    """Spans ``[start, end)`` of words of the document."""
    starts = sentence_starts(lengths)
    return [(starts[span.sentence] + span.start, starts[span.sentence] + span.end) for span in spans]


def chains_in_document(chains: Iterable[Chain], lengths: Sequence[int]) -> list[list[Offsets]]:
    """The mentions of each chain as spans of words of the document."""
    return [in_document([mention.span for mention in chain.mentions], lengths) for chain in chains]


def in_sentences(spans: Iterable[Offsets], lengths: Sequence[int]) -> list[Span]:
    """Spans over a document's words as spans over words of sentences; raises :class:`StructureError` if one crosses."""
    starts = sentence_starts(lengths)
    sentence_of = [number for number, length in enumerate(lengths) for _ in range(length)]
    sentence_spans = []
    for start, end in spans:
        sentence = sentence_of[start]
        if sentence_of[end - 1] != sentence:
            raise StructureError(f"the words {start} to {end} of the document cross a sentence boundary")
        sentence_spans.append(Span(sentence, start - starts[sentence], end - starts[sentence]))
    return sentence_spans


def joined_lengths(lengths: Sequence[int], spans: Iterable[Offsets]) -> list[int]:
    """Lengths of the sentences, in words, after joining the sentences that a span crosses."""
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
    """The sentences ``numbers`` that begin a joined sentence, as indices of joined sentences."""
    if numbers is None:
        return None
    joined_index = {start: index for index, start in enumerate(sentence_starts(joined))}
    starts = sentence_starts(lengths)
    return frozenset(joined_index[starts[number]] for number in numbers if starts[number] in joined_index)


def divided(sentences: Iterable[Iterable[str]], lengths: Sequence[int]) -> list[list[str]]:
    """The words of all sentences, divided into sentences of these lengths."""
    words = iter(form for sentence in sentences for form in sentence)
    return [[next(words) for _ in range(length)] for length in lengths]
