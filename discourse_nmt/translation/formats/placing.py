"""The markup of a sentence in its translation: spans lie around the words that render theirs.

A span takes the run of target words with the largest sum of link weights, less those of words outside. A run never
crosses another one, so that tags stay nested.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from discourse_nmt.translation.formats.blocks import BlockPiece, Span, TextBlock, Writer, partners_of, written
from discourse_nmt.translation.formats.breaks import break_places
from discourse_nmt.translation.word_links import WordLinks

Run = tuple[int, int]
"""Target words [first, end)."""

SIGNS = frozenset("`*_~")
"""Forms that end and begin with the same of these signs may not touch."""


@dataclass(eq=False)
class _Span:
    """A part of the source, between an opening and a closing form; of a fixed part the whole form is ``opening``."""

    start: int
    end: int
    opening: str
    closing: str = ""
    fixed: bool = False
    bound: str = ""  # "start" or "end": the span reaches over this end of the sentence
    children: "list[_Span]" = field(default_factory=list)
    in_words: list[Span] = field(default_factory=list)  # target characters, of a part of a word that stands there, too
    run: Run = (0, 0)
    depth: int = 0  # in the tree of spans, once it is placed


@dataclass
class _Point:
    position: int
    form: str
    parent: _Span
    is_break: bool


@dataclass
class _Event:
    """Something that stands at a character of the translation; it takes the place of the text up to ``until``."""

    position: int
    order: tuple[float, ...]
    form: str
    until: int
    begins: bool = False
    ends: bool = False


def placed(
    pieces: Sequence[BlockPiece],
    target: str,
    links: Callable[[], WordLinks],
    write: Writer,
    translations: Mapping[TextBlock, str],
) -> str:
    """The translation ``target`` of a sentence with the markup of its ``pieces``.

    ``links`` are asked for where there is markup; ``translations`` are those of inner blocks.
    """
    source = "".join(piece.text for piece in pieces)
    plain = "".join(piece.text for piece in pieces if piece.kind == "text" and piece.source == piece.text)
    if all(piece.kind == "text" for piece in pieces):
        return write(target, plain)
    root, points = _tree(pieces, len(source), translations)
    kept = [place for piece in pieces if piece.kind == "fixed" for place in _occurrences(piece.text, target)]
    for span in _spans_below(root):
        span.in_words = _parts_of_words(span, source, target)
        kept += span.in_words
    word_links = links().with_same_words(source, target).cut_at({edge for place in kept for edge in place})
    words = len(word_links.target)
    if not words:
        return write(target, plain) + "".join(
            written(piece.form, translations) for piece in pieces if piece.kind != "text"
        )
    root.run = (0, words)
    placer = _Placer(source, target, word_links)
    placer.place_children(root)
    events = placer.events(root, points)
    return _with_events(target, events, lambda text: write(text, plain))


def _tree(
    pieces: Sequence[BlockPiece], length: int, translations: Mapping[TextBlock, str]
) -> tuple[_Span, list[_Point]]:
    """The spans of a sentence as a tree, and its points."""
    partners = partners_of(pieces)
    root = _Span(0, length, "")
    opened = [root]
    points: list[_Point] = []
    # Tags that were opened in an earlier sentence are around all that is before their ends.
    for index in reversed([i for i, piece in enumerate(pieces) if piece.kind == "close" and i not in partners]):
        span = _Span(0, length, "", written(pieces[index].form, translations), bound="start")
        opened[-1].children.append(span)
        opened.append(span)
    position = 0
    for index, piece in enumerate(pieces):
        form = written(piece.form, translations)
        if piece.kind == "open":
            span = _Span(position, length, form, bound="" if index in partners else "end")
            opened[-1].children.append(span)
            opened.append(span)
        elif piece.kind == "close":
            span = opened.pop()
            span.end = position
            span.closing = form
        elif piece.kind == "fixed":
            opened[-1].children.append(_Span(position, position + len(piece.text), form, fixed=True))
        elif piece.kind in ("point", "break"):
            points.append(_Point(position, form, opened[-1], piece.kind == "break"))
        position += len(piece.text)
    return root, points


class _Best(NamedTuple):
    weight: float
    """The sum of the weights of its links, larger where the words are those of the source."""
    run: Run
    trimmed: Run
    """The run without words that the span does not need."""


def _spans_below(span: _Span) -> Iterator[_Span]:
    for child in span.children:
        yield child
        yield from _spans_below(child)


def _parts_of_words(span: _Span, source: str, target: str) -> list[Span]:
    """The characters of a span in its word, such as an exponent, where the translation has the same word."""
    before = re.search(r"\w*$", source[: span.start])
    behind = re.match(r"\w*", source[span.end :])
    left = len(before[0]) if before and re.match(r"\w", source[span.start :]) else 0
    right = len(behind[0]) if behind and re.search(r"\w$", source[: span.end]) else 0
    if span.bound or span.fixed or not left + right:
        return []
    word = source[span.start - left : span.end + right]
    return [(start + left, end - right) for start, end in _occurrences(word, target)]


@dataclass
class _Placer:
    source: str
    target: str
    links: WordLinks

    def place_children(self, span: _Span) -> None:
        """Give each child of a placed span a run of target words within that of the span, the surest first."""
        free = [span.run]
        best_of_child = {child: self._best(child, free, span.run) for child in span.children}
        while best_of_child:
            child = max(best_of_child, key=lambda waiting: best_of_child[waiting].weight)
            child.run = first, end = best_of_child.pop(child).trimmed
            if first < end:
                free = [part for run in free for part in _without(run, child.run)]
                for other, best in best_of_child.items():
                    if best.run[0] < end and first < best.run[1]:
                        best_of_child[other] = self._best(other, free, span.run)
            self.place_children(child)

    def _best(self, span: _Span, free: Sequence[Run], within: Run) -> _Best:
        """The best run for a span; an empty one where all words are taken."""
        gain = self.links.weights @ self._inside(span) - 0.5
        verbatim = [
            _Best(float(gain[first:end].sum()), (first, end), (first, end))
            for first, end in self._verbatim(span)
            if any(low <= first and end <= high for low, high in free)
        ]
        if verbatim:
            best = max(verbatim)
            return best._replace(weight=best.weight + len(self.target))
        runs = [self._heaviest(span, gain, run, within) for run in free]
        weight, run = max([(-np.inf, (within[1], within[1])), *filter(None, runs)])
        return _Best(weight, run, self._trimmed(run, span))

    def _heaviest(self, span: _Span, gain: np.ndarray, free: Run, within: Run) -> tuple[float, Run] | None:
        """The largest sum of ``gain`` [target words] in a free run that may be the span's, and the last such run."""
        low, high = free
        sums = np.concatenate([[0.0], np.cumsum(gain[low:high])])
        weights = sums[None, 1:] - sums[:-1, None]  # [first word, last word]
        allowed = np.tri(high - low, dtype=bool).T
        if span.bound == "start":
            allowed[1 if low == within[0] else 0 :] = False
        if span.bound == "end":
            allowed[:, : -1 if high == within[1] else None] = False
        if any(map(str.isalnum, self.source[span.start : span.end])):
            worded = np.concatenate([[0], np.cumsum([not self._is_mark(word) for word in range(low, high)])])
            allowed &= worded[None, 1:] > worded[:-1, None]
        if not allowed.any():
            return None
        largest = weights[allowed].max()
        first, last = np.argwhere(allowed & (weights == largest))[-1].tolist()
        return float(largest), (low + first, low + last + 1)

    def _inside(self, span: _Span) -> np.ndarray:
        """For each source word whether it is in a span: most of its letters, or any where there is no such word."""
        shares = np.array(
            [max(0, min(end, span.end) - max(start, span.start)) / (end - start) for start, end in self.links.source]
        )
        whole = shares > 0.5
        return (whole if whole.any() else shares > 0).astype(float)

    def _verbatim(self, span: _Span) -> list[Run]:
        """Runs of target words that are the text of the span."""
        runs = []
        places = span.in_words
        if not places and not span.bound:
            places = _occurrences(self.source[span.start : span.end], self.target)
        for begin, stop in places:
            first = bisect_right(self.links.target, begin, key=itemgetter(1))
            if first < len(self.links.target):
                runs.append((first, bisect_left(self.links.target, stop, key=itemgetter(0))))
        return runs

    def _trimmed(self, run: Run, span: _Span) -> Run:
        """The run without words at its edges that render none of the span best, and without marks that it has not."""
        first, end = run
        text = self.source[span.start : span.end].strip()
        best = set(self.links.weights[:, self._inside(span) > 0].argmax(0).tolist())
        worded = any(map(str.isalnum, text))
        if not any(first <= word < end and not (worded and self._is_mark(word)) for word in best):
            best = set(range(first, end))
        while end - first > 1 and span.bound != "start":
            if first in best and not (self._is_mark(first) and text[:1].isalnum()):
                break
            first += 1
        while end - first > 1 and span.bound != "end":
            if end - 1 in best and not (self._is_mark(end - 1) and text[-1:].isalnum()):
                break
            end -= 1
        return first, end

    def _is_mark(self, word: int) -> bool:
        return not any(map(str.isalnum, self.target[slice(*self.links.target[word])]))

    def events(self, root: _Span, points: Sequence[_Point]) -> list[_Event]:
        """Where the forms of all spans and points stand."""
        events = [event for child in root.children for event in self._span_events(child, 1)]
        breaks = [point for point in points if point.is_break]
        places = break_places([point.position for point in breaks], self.source, self.target, self.links)
        for number, (point, (position, until)) in enumerate(zip(breaks, places)):
            events.append(_Event(position, (1, number), point.form, until))
        for number, point in enumerate(points, start=len(breaks)):
            if not point.is_break:
                events.append(self._point_event(point, number, root))
        return events

    def _span_events(self, span: _Span, depth: int) -> Iterator[_Event]:
        """The ends of a span and of those in it, and fixed parts; tags that meet close and begin in order."""
        span.depth = depth
        start, end = self._characters(span.run)
        if start == end:
            place, order = {
                "": (start, (1, 0)),
                "start": (0, (-1, -depth)),  # it ends before anything else begins
                "end": (len(self.target), (3, depth)),
            }[span.bound]
            yield _Event(place, order, _without_words(span), place, begins=True, ends=True)
        elif span.fixed:
            yield _Event(start, (2, depth), span.opening, end, begins=True, ends=True)
        else:
            yield _Event(start, (2, depth), span.opening, start, begins=True)
            yield _Event(end, (0, -depth), span.closing, end, ends=True)
            for child in span.children:
                yield from self._span_events(child, depth + 1)

    def _point_event(self, point: _Point, number: int, root: _Span) -> _Event:
        """Where a point stands, within the span that it was in."""
        position, order = self._point(point), (1.0, float(number))
        if point.parent is not root:
            start, end = self._characters(point.parent.run)
            position = min(max(position, start), end)
            if position == start:
                order = (2, point.parent.depth + 0.5)
            elif position == end:
                order = (0, -point.parent.depth - 0.5)
        return _Event(position, order, point.form, position)

    def _characters(self, run: Run) -> Span:
        """The characters of a run of target words."""
        if run[0] == run[1]:
            place = self.links.target[run[0]][0] if run[0] < len(self.links.target) else len(self.target)
            return place, place
        return self.links.target[run[0]][0], self.links.target[run[1] - 1][1]

    def _point(self, point: _Point) -> int:
        """The character of the translation before which a point stands: at the word that renders its neighbour."""
        words, position = self.links.source, point.position
        after = next((i for i, (start, end) in enumerate(words) if start <= position < end), None)
        before = next((i for i, (start, end) in enumerate(words) if start < position <= end), None)
        if before is not None and before == after:  # inside a word
            start, end = self.links.target[int(self.links.weights[:, before].argmax())]
            same = self.target.lower().find(self.source[position].lower(), start, end)
            return start if same < 0 else same
        if before is not None:
            return self.links.target[int(self.links.weights[:, before].argmax())][1]
        if after is None:
            after = next((i for i, (start, _) in enumerate(words) if start >= position), None)
        if after is None:
            return len(self.target)
        return self.links.target[int(self.links.weights[:, after].argmax())][0]


def _occurrences(text: str, line: str) -> list[Span]:
    """The characters at which a line has a text, whatever its blanks; its letters are not part of a longer word."""
    letters = "".join(text.split())
    if not letters:
        return []
    pattern = r"\s*".join(map(re.escape, letters))
    return [match.span() for match in re.finditer(rf"(?:\b|(?=\W)){pattern}(?:\b|(?<=\W))", line, re.IGNORECASE)]


def _without_words(span: _Span) -> str:
    """The form of a span for which no words are left; emphasis of nothing would be read as signs."""
    inner = "".join(map(_without_words, span.children))
    empty = not span.fixed and not span.bound and SIGNS.issuperset(span.opening)
    return inner if empty else span.opening + inner + span.closing


def _without(run: Run, taken: Run) -> list[Run]:
    """What is left of a run."""
    first, end = run
    if taken[1] <= first or end <= taken[0]:
        return [run]
    return [part for part in ((first, taken[0]), (taken[1], end)) if part[0] < part[1]]


def _with_events(target: str, events: Sequence[_Event], write: Callable[[str], str]) -> str:
    """The translation with what stands in it; a fixed part holds nothing else.

    A blank parts two spans whose forms would run into one, as those of code in Markdown.
    """
    moved = []
    for event in events:
        over = next((one for one in events if one.position < event.position < one.until), None)
        moved.append((event.position if over is None else over.until, event))
    parts, position, ended = [], 0, ""
    for place, event in sorted(moved, key=lambda item: (item[0], item[1].order)):
        if place > position:
            parts.append(write(target[position:place]))
            ended = ""
        if ended and event.begins and event.form[:1] == ended:
            parts.append(" ")
        parts.append(event.form)
        ended = event.form[-1:] if event.ends and event.form[-1:] in SIGNS else ""
        position = max(position, place, event.until)
    return "".join([*parts, write(target[position:])])
