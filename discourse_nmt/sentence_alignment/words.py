"""Words of raw text for alignment, and the marks between them, for any language without a model.

A word is a run of letters and digits, one character of Chinese or Japanese, or one other character.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

import numpy as np

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.text.writing_systems import CJK, is_cjk

WORD = re.compile(rf"[^\W_{CJK.pattern[1:-1]}]+|\S")
OTHER, CLAUSE_MARK, END_MARK, CLOSING, OPENING, QUOTE = range(6)
KIND_OF_MARK = {
    **dict.fromkeys(",;:，、；：–—", CLAUSE_MARK),
    **dict.fromkeys(".!?…。！？؟।‽", END_MARK),
    **dict.fromkeys("’”»›)]}」』》）】", CLOSING),
    **dict.fromkeys("‘“„«‹([{「『《（【¿¡", OPENING),
    **dict.fromkeys("\"'", QUOTE),
}
QUOTATION_MARKS = frozenset("\"'’”»›‘“„«‹")  # languages use them in either direction
ECHO = 4  # words that are said again, at least
STEM = 4  # characters of the beginning of a word that its other forms share


class Gap(IntEnum):
    """Whatever stands between two neighbouring words, by its value as a border of sentences."""

    INSIDE = 0
    """Nothing, not even space, in a script with spaces; or what follows belongs to what is before."""
    NOTHING = 1
    CAPITAL = 2
    """Nothing, but the next word has a capital."""
    CLAUSE = 3
    END = 4
    LINE = 5


GAP_AFTER = [Gap.CLAUSE if kind == CLAUSE_MARK else Gap.END if kind == END_MARK else Gap.NOTHING for kind in range(6)]
BEFORE_END = 10  # characters in which the last mark of a text is looked for


@dataclass(frozen=True)
class Words:
    """The words of a text: word ``i`` has the characters ``[starts[i], ends[i])``."""

    text: str
    forms: list[str]
    """Words in lower case."""
    starts: Integers
    ends: Integers
    gaps: Integers
    """[words + 1] the :class:`Gap` before each word, and after the last."""

    def between(self, first: int, stop: int) -> str:
        """The text of the words ``first … stop - 1`` in one line; empty for none."""
        return " ".join(self.text[self.starts[first] : self.ends[stop - 1]].split()) if first < stop else ""


def forms_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return WORD.findall(text.lower())


def words_of(text: str) -> Words:
    """The words of a text with their places."""
    found = list(WORD.finditer(text))
    surfaces = [match.group() for match in found]
    starts = np.array([match.start() for match in found], np.int64)
    ends = np.array([match.end() for match in found], np.int64)
    return Words(text, [word.lower() for word in surfaces], starts, ends, _gaps(text, surfaces, starts, ends))


def end_of(text: str) -> Gap:
    """The gap after a text, as its last marks say."""
    for character in reversed(text[-BEFORE_END:]):
        kind = KIND_OF_MARK.get(character, OTHER)
        if not character.isspace() and kind not in (CLOSING, QUOTE):
            return GAP_AFTER[kind]
    return Gap.NOTHING


def _gaps(text: str, words: list[str], starts: Integers, ends: Integers) -> Integers:
    if not words:
        return np.zeros(1, np.int64)
    spaced = np.ones(len(words) + 1, bool)  # whether there is space before each word, and after the last
    spaced[1:-1] = starts[1:] > ends[:-1]
    kinds = _directed(words, np.array([KIND_OF_MARK.get(word, OTHER) for word in words]), spaced)
    after = _marks(kinds)
    gaps = np.append(Gap.INSIDE, after)
    lower = np.array([word[0].islower() for word in words])
    upper = np.array([word[0].isupper() for word in words])
    wide = np.array([is_cjk(word[0]) for word in words])
    before, own = gaps[1:-1], kinds[1:]
    touching = ~spaced[1:-1]
    glued = touching & ~wide[:-1] & ~wide[1:]  # in a script with spaces, as in "3.5" and "U.S."
    before[(before == Gap.NOTHING) & ~touching & upper[1:]] = Gap.CAPITAL
    before[(before == Gap.END) & (lower[1:] | glued)] = Gap.CLAUSE
    attached = touching & ((own == CLOSING) | (own == END_MARK) | (own == CLAUSE_MARK))
    before[attached | (glued & ~((before == Gap.CLAUSE) & upper[1:])) | (kinds[:-1] == OPENING)] = Gap.INSIDE
    lines = [index for index in np.flatnonzero(~touching).tolist() if "\n" in text[ends[index] : starts[index + 1]]]
    before[lines] = Gap.LINE
    return gaps


def _directed(words: list[str], kinds: Integers, spaced: Booleans) -> Integers:
    """Kinds of words with the direction of quotation marks: space on one side tells it, else the mark, else turns."""
    opened = False
    for index in [index for index, word in enumerate(words) if word in QUOTATION_MARKS]:
        left, right = spaced[index], spaced[index + 1]
        if left != right:
            kinds[index] = OPENING if left else CLOSING
        elif kinds[index] == QUOTE:
            kinds[index] = CLOSING if opened else OPENING
        opened = kinds[index] == OPENING
    return kinds


def _marks(kinds: Integers) -> Integers:
    """The gap after each word as its marks say: closing marks keep the mark before them."""
    places = np.maximum.accumulate(np.where(kinds != CLOSING, np.arange(len(kinds)), 0))
    marks: Integers = np.array(GAP_AFTER)[kinds[places]]
    return marks


def echoes(numbers: Integers) -> Booleans:
    """[words] whether each of the words of these ``numbers`` says again what stands just before it.

    At least :data:`ECHO` words are said again, the same but for a mark between both.
    """
    again = np.zeros(len(numbers), bool)
    count = len(numbers) - ECHO + 1
    if count < 2:
        return again
    sequences = np.lib.stride_tricks.sliding_window_view(numbers, ECHO)
    _, codes = np.unique(sequences, axis=0, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    distance = np.zeros(count, np.int64)  # to the last place of the same words; 0 for none
    same = np.diff(codes[order]) == 0
    distance[order[1:][same]] = np.diff(order)[same]
    changes = np.flatnonzero(np.diff(distance)) + 1
    for first, stop in pairwise([0, *changes.tolist(), count]):
        if distance[first] and stop - first + ECHO >= distance[first]:
            again[first : stop + ECHO - 1] = True
    return again


def stems(forms: Sequence[str]) -> list[str]:
    """A part of each word that its other forms share: its beginning, or with its follower for a single character."""
    following = [*forms[1:], ""]
    return [word[:STEM] if len(word) > 1 or word.isascii() else word + after for word, after in zip(forms, following)]


class Numbering:
    """Numbers for words, in the order in which they come."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.number_of: dict[str, int] = {}
        self.add(known)

    def add(self, words: Iterable[str]) -> Integers:
        """The numbers of words; new ones get the next."""
        of = self.number_of
        return np.array([of.setdefault(word, len(of)) for word in words], np.int64)

    def find(self, words: Iterable[str]) -> Integers:
        """The numbers of words; -1 for unknown ones."""
        get = self.number_of.get
        return np.array([get(word, -1) for word in words], np.int64)

    def translated(self, other: "Numbering") -> Integers:
        """The number in ``other`` of the word of each number; -1 for words that it lacks."""
        numbers = np.full(len(self.number_of), -1, np.int64)
        for word, number in other.number_of.items():
            if (own := self.number_of.get(word)) is not None:
                numbers[own] = number
        return numbers
