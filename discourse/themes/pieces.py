"""Labelled pieces of a clause, and the words of a clause with its mood and dependencies."""

from typing import NamedTuple

from discourse_nmt.discourse.themes.division import Unit
from discourse_nmt.discourse.themes.moods import Structure, mood_of
from discourse_nmt.discourse.themes.sentence import SentenceTree

TOPICAL_THEME = "theme-topical"
TEXTUAL_THEME = "theme-textual"
INTERPERSONAL_THEME = "theme-interpersonal"
RHEME = "rheme"

OPENING_TAGS = frozenset({"``", "-LRB-"})
OPENING_MARKS = frozenset("([{“‘«„")


class Piece(NamedTuple):
    """Adjacent words up to ``end`` and their label; None if they get the label of the following piece.

    ``marked`` is true for an unusual topical theme.
    """

    label: str | None
    end: int
    marked: bool = False


class ClauseWords:
    """The words of a clause, by index in the clause, with its mood and the constituents of its head.

    A ``place`` is the index of a word in the clause, from 0.
    """

    def __init__(self, tree: SentenceTree, unit: Unit) -> None:
        self.tree = tree
        self.words = unit.words
        self.count = len(unit.words)
        self.structure = Structure(tree, unit)
        self.mood = mood_of(self.structure)
        self._inside = None if self.count == len(tree.heads) else frozenset(unit.words)

    def constituent(self, place: int) -> int:
        """The dependent of the head (in an interrupted clause, the highest word) above or equal to the word; the head
        for itself."""
        heads, head, inside = self.tree.heads, self.structure.head, self._inside
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
