"""Alignment of the pieces of a parser's file (units, words) with the raw sentences of a document.

Parsers divide, space and escape text in various ways: ``-LRB-`` for a bracket, two backticks for an opening quotation
mark, ``&amp;`` for an ampersand. Both texts are compared without space and invisible characters. Where they differ, one
spelling of :data:`SPELLINGS` may replace another. Every character of the document must be in the file and vice versa,
so that no annotation can move to another word.
"""

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from discourse_nmt.discourse.structures.mentions import Characters, Span, WordOffsets
from discourse_nmt.discourse.structures.trees import StructureError

# Spellings that may replace each other within a group.
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
# Spellings by first character, longest first: the longest is usually the right one.
BY_START = {
    start: sorted((form for form in SPELLINGS if form[0] == start), key=len, reverse=True)
    for start in {form[0] for form in SPELLINGS}
}
INVISIBLE = ("Cc", "Cf", "Zs", "Zl", "Zp")


class _Characters:
    """The visible characters of several texts as one string, with the origin (text, offset) of each."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.origins = [
            (number, offset)
            for number, text in enumerate(texts)
            for offset, character in enumerate(text)
            if unicodedata.category(character) not in INVISIBLE
        ]
        self.text = "".join(texts[number][offset] for number, offset in self.origins)
        counts = [0] * len(texts)
        for number, _ in self.origins:
            counts[number] += 1
        self.ends = []  # for each character, the end of its text in the string
        reached = 0
        for count in counts:
            reached += count
            self.ends += [reached] * count
        self.counts = counts


def locate(pieces: Sequence[str], sentences: Sequence[str], unit: str) -> list[Span]:
    """The characters of each piece in the raw sentences, without outer space.

    ``unit`` is the noun for a piece in messages (``EDU``). Raises :class:`StructureError` if the texts differ, a piece
    has no visible character, or a piece crosses the end of a sentence.
    """
    written, raw = _Characters(pieces), _Characters(sentences)
    if 0 in written.counts:
        raise StructureError(f"{unit} {written.counts.index(0) + 1} is empty")
    ranges = [(index, index + 1) for index in range(len(raw.text))]
    if written.text != raw.text:
        ranges = _matched(written, raw, unit)
    spans: list[Span] = []
    first = 0
    for number, count in enumerate(written.counts):
        start, end = ranges[first][0], ranges[first + count - 1][1] - 1
        first += count
        (sentence, begin), (last_sentence, last) = raw.origins[start], raw.origins[end]
        if last_sentence != sentence:
            shown = _shown(pieces[number])
            raise StructureError(f"{unit} {number + 1}, {shown}, reaches over the end of sentence {sentence + 1}")
        spans.append(Span(sentence, begin, last + 1))
    return spans


def _matched(written: _Characters, raw: _Characters, unit: str) -> list[tuple[int, int]]:
    """The range of ``raw`` for each character of ``written``, or for the spelling that it is part of.

    A depth-first search; at nearly every position there is only one possible step.
    """
    size, goal = len(written.text), len(raw.text)
    ranges = [(0, 0)] * size
    pending = [(0, 0, 0, 0)]  # positions in both texts, and the lengths of the step that led there
    seen: set[tuple[int, int]] = set()
    farthest = (0, 0)
    while pending:
        written_at, raw_at, written_length, raw_length = pending.pop()
        ranges[written_at - written_length : written_at] = [(raw_at - raw_length, raw_at)] * written_length
        while written_at < size and raw_at < goal:
            steps = _steps(written, raw, written_at, raw_at)
            if len(steps) == 1:
                written_length, raw_length = steps[0]
                ranges[written_at : written_at + written_length] = [(raw_at, raw_at + raw_length)] * written_length
                written_at, raw_at = written_at + written_length, raw_at + raw_length
                continue
            if steps and (written_at, raw_at) not in seen:
                seen.add((written_at, raw_at))
                pending += [
                    (written_at + written_length, raw_at + raw_length, written_length, raw_length)
                    for written_length, raw_length in reversed(steps)
                ]
            break
        if written_at == size and raw_at == goal:
            return ranges
        farthest = max(farthest, (written_at, raw_at))
    raise StructureError(_difference(written, raw, *farthest, unit))


def _steps(written: _Characters, raw: _Characters, written_at: int, raw_at: int) -> list[tuple[int, int]]:
    """Lengths of the spellings that may correspond at these positions of both texts, the most likely first."""
    steps = [(1, 1)] if written.text[written_at] == raw.text[raw_at] else []
    for form in BY_START.get(written.text[written_at], ()):
        if written.text.startswith(form, written_at) and written_at + len(form) <= written.ends[written_at]:
            for other in SPELLINGS[form]:
                if raw.text.startswith(other, raw_at) and raw_at + len(other) <= raw.ends[raw_at]:
                    steps.append((len(form), len(other)))
    return steps


def _difference(written: _Characters, raw: _Characters, written_at: int, raw_at: int, unit: str) -> str:
    """A message about the difference at these positions of both texts."""
    written_text = written.text[written_at : min([written_at + 20, *written.ends[written_at : written_at + 1]])]
    raw_text = raw.text[raw_at : min([raw_at + 20, *raw.ends[raw_at : raw_at + 1]])]
    if not written_text:
        return f"the file ends before {_shown(raw_text)} of sentence {raw.origins[raw_at][0] + 1}"
    number = written.origins[written_at][0] + 1
    if not raw_text:
        return f"the file goes on with {_shown(written_text)} ({unit} {number}) after the last sentence"
    where = f"sentence {raw.origins[raw_at][0] + 1} has {_shown(raw_text)}"
    return f"{unit} {number} has {_shown(written_text)} where {where} (space left out)"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 30 else f"{text[:30]}...")


def tile(spans: Sequence[Span], sentences: Sequence[str], words: WordOffsets | None = None) -> tuple[Span, ...]:
    """Located units as EDUs that tile their sentences; text between two units belongs to the first of them.

    With ``words``, a boundary inside a word moves to the end of the word, so that a word belongs to the EDU in which it
    begins. Raises :class:`StructureError` for an EDU in which no word begins.
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


def _after_word(position: int, words: Sequence[Characters]) -> int:
    return next((end for start, end in words if start < position < end), position)
