"""Documents whose sentences are not aligned yet: units of text on both sides become sentence pairs.

A unit is a line, a paragraph or a block of a page. Units are aligned first, then the sentences in them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, groupby, islice

from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.reading.requests import Request, SentenceAligner
from discourse_nmt.corpus.reading.sentence_ends import split_at_ends

LEARNT_FROM = 50_000
"""Source units from which words' translations are learnt."""
AT_A_TIME = 1000
"""Source units that are divided into sentences together."""
UNLIKE = 2
"""Where one side has this many times the other's units, they are of different kinds: only their sentences are aligned.
"""
OMITTED, ADDED = "source sentence without a translation", "target sentence without a source"


@dataclass(frozen=True, slots=True)
class TextUnits:
    """One side of a document: its file, and the text and the 1-based line in the file of each unit."""

    file: str
    texts: list[str]
    lines: list[int]


@dataclass(frozen=True, slots=True)
class Unaligned:
    """A document whose sides are texts; ``text`` is the source as it was written, for formats that keep it."""

    doc_id: str
    source: TextUnits
    target: TextUnits
    domain: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of a side, each with its line, and the first sentence of each unit and the number of all."""

    texts: list[str]
    lines: list[int]
    borders: list[int]

    @classmethod
    def of(cls, units: TextUnits, divided: Sequence[Sequence[str]]) -> "Sentences":
        """From the sentences of each unit."""
        lines = [line for line, sentences in zip(units.lines, divided) for _ in sentences]
        return cls([*chain.from_iterable(divided)], lines, [0, *accumulate(map(len, divided))])

    def of_units(self, units: range) -> range:
        """The sentences of some units."""
        return range(self.borders[units.start], self.borders[units.stop])

    def joined(self, sentences: range) -> str:
        """The text of some sentences."""
        return " ".join(self.texts[sentences.start : sentences.stop])


Sides = tuple[Sentences, Sentences]
"""The sentences of source and target."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """Sentences of both sides, of which one may have none."""

    source: range
    target: range


def learn_words(documents: Iterable[Unaligned], request: Request) -> None:
    """Let the request's aligner learn the translations of words from the first documents."""
    _aligner(request).learn(_first(documents))


def _aligner(request: Request) -> SentenceAligner:
    assert request.aligner is not None
    return request.aligner


def _first(documents: Iterable[Unaligned]) -> Iterator[tuple[list[str], list[str]]]:
    count = 0
    for document in documents:
        yield document.source.texts, document.target.texts
        if (count := count + len(document.source.texts)) >= LEARNT_FROM:
            return


def divided(documents: Iterable[Unaligned], request: Request) -> Iterator[tuple[Unaligned, Sides]]:
    """Each document with the sentences of its sides; many units are divided at a time."""
    waiting: list[Unaligned] = []
    for document in documents:
        waiting.append(document)
        if sum(len(one.source.texts) for one in waiting) >= AT_A_TIME:
            yield from _divided(waiting, request)
            waiting = []
    yield from _divided(waiting, request)


def aligned(document: Unaligned, sides: Sides, request: Request, least_quality: float = 0) -> Document:
    """The sentence pairs of a document that both sides have.

    Recorded as dropped, each with its place, are sentences of one side alone and pairs below ``least_quality``.
    """
    pairs = _pairs(sides, _unit_beads(document, request), request)
    built = _begun(document)
    texts = [(sides[0].joined(pair.source), sides[1].joined(pair.target)) for pair in pairs]
    qualities = [_aligner(request).quality(*pair) if all(pair) else -1 for pair in texts]
    kept = [number for number, quality in enumerate(qualities) if quality >= least_quality]
    for number, (pair, quality) in enumerate(zip(pairs, qualities)):
        if quality >= least_quality:
            _add(built, sides, pair, quality)
            continue
        reason = ADDED if not pair.source else OMITTED if not pair.target else "least_quality"
        side, own = (sides[0], pair.source) if pair.source else (sides[1], pair.target)
        between = bool(kept) and kept[0] < number < kept[-1]
        drop = Drop(document.doc_id, side.lines[own.start], reason, side.joined(own), len(own), between)
        request.drops.append(drop)
    return built


def aligned_whole(document: Unaligned, sides: Sides, request: Request) -> Document:
    """The sentence pairs of a document with all of its text, as a test set needs.

    A sentence that one side has alone joins a neighbour. Units are anchors where both sides have as many.
    """
    count = len(document.source.texts)
    if count == len(document.target.texts):
        anchors = [[(range(unit, unit + 1), range(unit, unit + 1))] for unit in range(count)]
    else:
        anchors = [_unit_beads(document, request)]
    built = _begun(document)
    for units in anchors:
        for pair in _without_gaps(_pairs(sides, units, request)):
            quality = _aligner(request).quality(sides[0].joined(pair.source), sides[1].joined(pair.target))
            _add(built, sides, pair, quality)
    return built


def unit_pairs(document: Unaligned) -> Document:
    """The document whose units are its sentence pairs; raises :class:`InputError` unless both sides have as many."""
    source, target = document.source, document.target
    built = Document.start(document.doc_id, source.file, target.file, source.lines[0])
    if len(source.texts) != len(target.texts):
        counts = f"{len(source.texts):,} lines in the source, {len(target.texts):,} in the target"
        raise InputError(
            f"document {document.doc_id} has {counts}",
            file=source.file,
            line=source.lines[0],
            remedy="set split_sentences: true, which aligns them",
        )
    for pair in zip(source.texts, target.texts, source.lines, target.lines):
        built.add(*pair)
    return replace(built, domain=document.domain)


def source_only(document: Unaligned, sentences: Sentences) -> Document:
    """The document with its source as target, too."""
    file = document.source.file
    built = Document.start(document.doc_id, file, file, document.source.lines[0])
    for text, line in zip(sentences.texts, sentences.lines):
        built.add(text, text, line)
    return replace(built, domain=document.domain)


def gaps_between(sentences: Iterable[str], text: str) -> list[str]:
    """What stands in ``text`` before each of its ``sentences``, which may have other white space, and at its end."""
    gaps, end = [], 0
    for sentence in sentences:
        words = sentence.split()
        start = text.index(words[0], end)
        gaps.append(text[end:start])
        end = start
        for word in words:
            end = text.index(word, end) + len(word)
    return [*gaps, text[end:]]


def _divided(documents: list[Unaligned], request: Request) -> Iterator[tuple[Unaligned, Sides]]:
    def side(name: str) -> Iterator[Sentences]:
        split = request.splitters.get(name, split_at_ends)
        units: list[TextUnits] = [getattr(document, name) for document in documents]
        sentences = iter(split([text for one in units for text in one.texts]))
        for one in units:
            yield Sentences.of(one, list(islice(sentences, len(one.texts))))

    yield from zip(documents, zip(side("source"), side("target")))


def _unit_beads(document: Unaligned, request: Request) -> list[tuple[range, range]]:
    """Units that belong together; all of them where the sides have units of different kinds.

    Units without a partner on both sides of one place belong together, so that their sentences are aligned.
    """
    sources, targets = document.source.texts, document.target.texts
    if max(len(sources), len(targets)) > UNLIKE * min(len(sources), len(targets)):
        return [(range(len(sources)), range(len(targets)))]
    together: list[tuple[range, range]] = []
    aligned_units = _aligner(request).align_units(sources, targets)
    for paired, run in groupby(aligned_units, lambda bead: bool(bead.source and bead.target)):
        beads = [(bead.source, bead.target) for bead in run]
        if not paired:
            beads = [(range(beads[0][0].start, beads[-1][0].stop), range(beads[0][1].start, beads[-1][1].stop))]
        together += beads
    return together


def _pairs(sides: Sides, units: Iterable[tuple[range, range]], request: Request) -> list[_Pair]:
    """The sentences of units that belong together, in order; those of one side alone, too."""
    pairs: list[_Pair] = []
    for beads in units:
        left, right = (side.of_units(bead) for side, bead in zip(sides, beads))
        if not left or not right:
            pairs += [_Pair(range(i, i + 1), range(0)) for i in left]
            pairs += [_Pair(range(0), range(i, i + 1)) for i in right]
            continue
        texts = [side.texts[own.start : own.stop] for side, own in zip(sides, (left, right))]
        for bead in _aligner(request).align(texts[0], texts[1]):
            source, target = bead.source, bead.target
            pairs.append(_Pair(left[source.start : source.stop], right[target.start : target.stop]))
    return pairs


def _without_gaps(pairs: Iterable[_Pair]) -> list[_Pair]:
    """The pairs, each with what only one side has after it; what comes first joins the first pair."""
    merged: list[_Pair] = []
    for pair in pairs:
        if not merged or all((merged[-1].source, merged[-1].target, pair.source, pair.target)):
            merged.append(pair)
            continue
        before = merged.pop()
        source, target = _together(before.source, pair.source), _together(before.target, pair.target)
        merged.append(_Pair(source, target))
    return merged


def _together(first: range, second: range) -> range:
    """Neighbouring sentences of one side."""
    return range(first.start, second.stop) if first and second else first or second


def _begun(document: Unaligned) -> Document:
    source, target = document.source, document.target
    line = source.lines[0]
    return replace(Document.start(document.doc_id, source.file, target.file, line), domain=document.domain, quality=[])


def _add(document: Document, sides: Sides, pair: _Pair, quality: float) -> None:
    source, target = sides
    lines = source.lines[pair.source.start], target.lines[pair.target.start]
    document.add(source.joined(pair.source), target.joined(pair.target), *lines)
    assert document.quality is not None
    document.quality.append(round(quality, 4))
