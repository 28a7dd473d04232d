"""The division of a clause into labelled pieces from left to right, in any language."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from discourse_nmt.discourse.themes.division import Unit
from discourse_nmt.discourse.themes.sentence import SentenceTree

TOPICAL_THEME = "theme-topical"
TEXTUAL_THEME = "theme-textual"
INTERPERSONAL_THEME = "theme-interpersonal"
RHEME = "rheme"

OPENING_TAGS = frozenset({"``", "-LRB-"})
OPENING_MARKS = frozenset("([{“‘«„「『《〈（【［")


class Piece(NamedTuple):
    """Adjacent words up to ``end`` and their label; None if they get the label of the following piece.

    ``marked`` is true for an unusual topical theme.
    """

    label: str | None
    end: int
    marked: bool = False


@dataclass(frozen=True)
class Clause:
    """A clause and its themes: ``unit`` has its words, ``labels`` one label per word."""

    unit: Unit
    labels: tuple[str, ...]


class ClauseWords:
    """The words of a clause, by index in the clause, and the constituents of its head.

    A ``place`` is the index of a word in the clause, from 0.
    """

    def __init__(self, tree: SentenceTree, unit: Unit) -> None:
        self.tree, self.unit = tree, unit
        self.head = unit.head
        self.words = unit.words
        self.count = len(unit.words)
        self._inside = None if self.count == len(tree.heads) else frozenset(unit.words)

    def constituent(self, place: int) -> int:
        """The dependent of the head (in an interrupted clause, the highest word) above or equal to the word; the head
        for itself."""
        heads, head, inside = self.tree.heads, self.head, self._inside
        word = self.words[place]
        while word != head:
            above = heads[word]
            if above == head or above < 0 or (inside is not None and above not in inside):
                return word
            word = above
        return head

    def end_of(self, place: int) -> int:
        """End of the run of words of one constituent that includes ``place``."""
        constituent = self.constituent(place)
        place += 1
        while place < self.count and self.constituent(place) == constituent:
            place += 1
        return place

    def form(self, place: int) -> str:
        """The word in lower case; empty after the end."""
        return self.tree.lower[self.words[place]] if place < self.count else ""

    def is_punctuation(self, place: int) -> bool:
        """Whether the word is punctuation."""
        return place < self.count and self.tree.relations[self.words[place]] == "punct"

    def is_closing(self, place: int) -> bool:
        """Whether the word is punctuation that belongs to the words before it: no opening quote or bracket."""
        if not self.is_punctuation(place):
            return False
        syntax, word = self.tree.syntax, self.words[place]
        return syntax.xpos[word] not in OPENING_TAGS and syntax.forms[word] not in OPENING_MARKS

    def divided(self, theme: Callable[[int, bool], Piece]) -> tuple[tuple[str, ...], bool]:
        """The label of each word, and whether the topical theme is marked.

        ``theme`` gives the theme that begins at a place, or the rheme; its second argument is true before any theme.
        Closing punctuation belongs to the words before it, other punctuation to those after it.
        """
        labels: list[str] = []
        place, marked = 0, False
        while place < self.count and TOPICAL_THEME not in labels[-1:]:
            if self.is_punctuation(place):
                piece = Piece(labels[-1] if len(labels) == place > 0 and self.is_closing(place) else None, place + 1)
            else:
                piece = theme(place, not labels)
            if piece.label == RHEME:
                break
            place, marked = piece.end, piece.marked
            if piece.label:
                labels += [piece.label] * (place - len(labels))
        while 0 < len(labels) == place and self.is_closing(place):
            labels.append(labels[-1])
            place += 1
        labels += [RHEME] * (self.count - len(labels))
        return tuple(labels), marked
