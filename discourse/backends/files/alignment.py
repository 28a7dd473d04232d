"""Where the pieces of a parser's file (units, words) stand in the raw sentences of a document.

Parsers divide, space and escape text in their own ways: ``-LRB-`` for a bracket, two backticks for an opening quotation
mark, ``&amp;`` for an ampersand. Both texts are compared without space and invisible characters; where they differ, a
known way of writing (:data:`SPELLINGS`) may stand for another one. Every character of the document must be in the file
and the other way round, so that no annotation can slip to another word.
"""

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from discourse_nmt.discourse.structures.mentions import Characters, Span, WordOffsets
from discourse_nmt.discourse.structures.trees import StructureError

# Ways of writing that stand for one another, each with the others of its group.
GROUPS = (
    ("(", "-LRB-", "&#40;"),
    (")", "-RRB-", "&#41;"),
    ("[", "-LSB-", "&#91;"),
    ("]", "-RSB-", "&#93;"),
    ("{", "-LCB-", "&#123;"),
    ("}", "-RCB-", "&#125;"),
    ('"', "``", "''", "“", "”", "„", "«", "»", "&quot;"),
    ("'", "`", "‘", "’", "‚", "&apos;"),
    ("...", "…"),
    ("-", "–", "—", "--", "---", "&#45;"),
    ("/", "\\/"),
    ("*", "\\*"),
    ("&", "&amp;"),
    ("<", "&lt;"),
    (">", "&gt;"),
    ("|", "&#124;"),
    ("_", "&#95;"),
)
SPELLINGS = {form: tuple(other for other in group if other != form) for group in GROUPS for form in group}
# By first character, longest first, for the longest is most often meant.
BY_START = {
    start: sorted((form for form in SPELLINGS if form[0] == start), key=len, reverse=True)
    for start in {form[0] for form in SPELLINGS}
}
INVISIBLE = ("Cc", "Cf", "Zs", "Zl", "Zp")


class _Characters:
    """The visible characters of some texts in one string, and where each came from."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.places = [
            (number, offset)
            for number, text in enumerate(texts)
            for offset, character in enumerate(text)
            if unicodedata.category(character) not in INVISIBLE
        ]
        self.text = "".join(texts[number][offset] for number, offset in self.places)
        counts = [0] * len(texts)
        for number, _ in self.places:
            counts[number] += 1
        self.ends = []  # place in the string after the text that each character belongs to
        reached = 0
        for count in counts:
            reached += count
            self.ends += [reached] * count
        self.counts = counts


def locate(pieces: Sequence[str], sentences: Sequence[str], unit: str) -> list[Span]:
    """The characters of each piece in the raw sentences, outer space left out.

    ``unit`` names a piece in messages (``EDU``). Raises :class:`StructureError` where the texts differ, a piece has no
    visible character, or a piece reaches over the end of a sentence.
    """
    written, raw = _Characters(pieces), _Characters(sentences)
    if 0 in written.counts:
        raise StructureError(f"{unit} {written.counts.index(0) + 1} is empty")
    ranges = [(place, place + 1) for place in range(len(raw.text))]
    if written.text != raw.text:
        ranges = _matched(written, raw, unit)
    spans: list[Span] = []
    first = 0
    for number, count in enumerate(written.counts):
        start, end = ranges[first][0], ranges[first + count - 1][1] - 1
        first += count
        (sentence, begin), (last_sentence, last) = raw.places[start], raw.places[end]
        if last_sentence != sentence:
            shown = _shown(pieces[number])
            raise StructureError(f"{unit} {number + 1}, {shown}, reaches over the end of sentence {sentence + 1}")
        spans.append(Span(sentence, begin, last + 1))
    return spans


def _matched(written: _Characters, raw: _Characters, unit: str) -> list[tuple[int, int]]:
    """For each character of ``written``, the range of ``raw`` that it, or the spelling it is part of, stands for.

    A depth-first search: nearly every place has one way to go on.
    """
    size, goal = len(written.text), len(raw.text)
    ranges = [(0, 0)] * size
    pending = [(0, 0, 0, 0)]  # place in both, and the step that led there
    seen: set[tuple[int, int]] = set()
    farthest = (0, 0)
    while pending:
        at, place, wide, taken = pending.pop()
        ranges[at - wide : at] = [(place - taken, place)] * wide
        while at < size and place < goal:
            steps = _steps(written, raw, at, place)
            if len(steps) == 1:
                wide, taken = steps[0]
                ranges[at : at + wide] = [(place, place + taken)] * wide
                at, place = at + wide, place + taken
                continue
            if steps and (at, place) not in seen:
                seen.add((at, place))
                pending += [(at + wide, place + taken, wide, taken) for wide, taken in reversed(steps)]
            break
        if at == size and place == goal:
            return ranges
        farthest = max(farthest, (at, place))
    raise StructureError(_difference(written, raw, *farthest, unit))


def _steps(written: _Characters, raw: _Characters, at: int, place: int) -> list[tuple[int, int]]:
    """Numbers of characters of both texts that may stand for one another at a place, the likeliest first."""
    steps = [(1, 1)] if written.text[at] == raw.text[place] else []
    for form in BY_START.get(written.text[at], ()):
        if written.text.startswith(form, at) and at + len(form) <= written.ends[at]:
            for other in SPELLINGS[form]:
                if raw.text.startswith(other, place) and place + len(other) <= raw.ends[place]:
                    steps.append((len(form), len(other)))
    return steps


def _difference(written: _Characters, raw: _Characters, at: int, place: int, unit: str) -> str:
    """What differs at a place of both texts."""
    theirs = written.text[at : min([at + 20, *written.ends[at : at + 1]])]
    ours = raw.text[place : min([place + 20, *raw.ends[place : place + 1]])]
    if not theirs:
        return f"the file ends before {_shown(ours)} of sentence {raw.places[place][0] + 1}"
    number = written.places[at][0] + 1
    if not ours:
        return f"the file goes on with {_shown(theirs)} ({unit} {number}) after the last sentence"
    where = f"sentence {raw.places[place][0] + 1} has {_shown(ours)}"
    return f"{unit} {number} has {_shown(theirs)} where {where} (space left out)"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 30 else f"{text[:30]}...")


def tile(spans: Sequence[Span], sentences: Sequence[str], words: WordOffsets | None = None) -> tuple[Span, ...]:
    """Located units as EDUs that tile their sentences, what lies between them going to the one before it.

    ``words`` are the characters ``[start, end)`` of the words of each sentence: a boundary inside a word moves to its
    end, so that a word belongs to the EDU in which it begins. Raises :class:`StructureError` for an EDU in which no
    word begins.
    """
    starts: list[list[int]] = [[] for _ in sentences]
    for span in spans:
        starts[span.sentence].append(span.start)
    edus: list[Span] = []
    for sentence, (text, begins) in enumerate(zip(sentences, starts)):
        inside = words[sentence] if words else ()
        bounds = [0, *(_after_word(begin, inside) for begin in begins[1:]), len(text)] if begins else []
        for start, end in pairwise(bounds):
            piece = text[start:end]
            if not piece.strip():
                raise StructureError(f"no word of sentence {sentence + 1} begins in EDU {len(edus) + 1}")
            lead = len(piece) - len(piece.lstrip())
            edus.append(Span(sentence, start + lead, start + len(piece.rstrip())))
    return tuple(edus)


def _after_word(place: int, words: Sequence[Characters]) -> int:
    return next((end for start, end in words if start < place < end), place)
