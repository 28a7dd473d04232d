"""Theme and rheme of Chinese clauses: textual and interpersonal themes, the topic, then the predicate.

Chinese has no finite verbs, and its parses are less reliable than those of English. So each discourse unit is read from
left to right by itself. Word lists and tags decide, with the relations inside a unit; those between units are not used.
"""

import re
from collections.abc import Sequence

from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.themes.chinese.adjuncts import (
    CLOSING,
    FILLING,
    INTERPERSONAL,
    LOCALISERS,
    PLACES,
    PREPOSITIONS,
    RHEMATIC,
    SOURCES,
    TEXTUAL,
    UNDECIDED,
)
from discourse_nmt.discourse.themes.chinese.topics import STOPS, ChineseWords
from discourse_nmt.discourse.themes.division import Unit
from discourse_nmt.discourse.themes.pieces import (
    INTERPERSONAL_THEME,
    RHEME,
    TEXTUAL_THEME,
    TOPICAL_THEME,
    Clause,
    Piece,
)
from discourse_nmt.discourse.themes.sentence import SentenceTree

NUMBER = re.compile(r"[（(]?(?:[0-9０-９]{1,2}|[一二三四五六七八九十]{1,3})")
NUMBER_ENDS = frozenset("．.、）)")


def clauses_of_sentence(tree: SentenceTree, edus: Sequence[Span]) -> list[Clause]:
    """The themes of each discourse unit, in text order; ``edus`` tile the sentence."""
    clauses: list[Clause] = []
    for edu in edus:
        words = tuple(range(edu.start, edu.end))
        head = next(word for word in words if not edu.start <= tree.heads[word] < edu.end)
        clause = ChineseClause(tree, Unit(words, head, (edu,)))
        clauses.append(Clause(clause.unit, clause.divided(clause.theme)[0]))
    return clauses


class ChineseClause(ChineseWords):
    """The words of a discourse unit with the rules for its themes."""

    def theme(self, place: int, first: bool) -> Piece:
        """The theme that begins at a place, or the rheme; ``first`` is true before any theme."""
        if first and self._is_number(place):
            return Piece(TEXTUAL_THEME, place + 2)
        textual, interpersonal = self.phrase_end(place, TEXTUAL), self.phrase_end(place, INTERPERSONAL)
        if max(textual, interpersonal) > place:
            longest = max(textual, interpersonal)
            return Piece(TEXTUAL_THEME if textual == longest else INTERPERSONAL_THEME, longest)
        if circumstance := self._circumstance(place, first):
            return circumstance
        end = self.topic_end(place)
        return Piece(TOPICAL_THEME, end) if end > place else Piece(RHEME, place)

    def _is_number(self, place: int) -> bool:
        """Whether a list number begins here: 1., 一、."""
        followed = place + 2 < self.count and self.form(place + 1) in NUMBER_ENDS
        return followed and NUMBER.fullmatch(self.form(place)) is not None

    def _circumstance(self, place: int, first: bool) -> Piece | None:
        """The circumstance that begins here, or the rheme if its preposition begins the predicate; None without one."""
        end = self.time_end(place)
        if end == place:
            end = self.phrase_end(place, PLACES)
            if self.form(end) in ("的", "、"):
                end = place
        if end == place and (first or self.form(place) in PREPOSITIONS):
            end = self._closed_end(place)
        if end > place:
            return Piece(TEXTUAL_THEME, end)
        noun = self.phrase_end(place, PREPOSITIONS)
        if noun > place and not (len(self.form(place)) == 1 and self.upos(noun) == "ADV"):  # 从未 is an adverb
            return self._prepositional_phrase(place, noun)
        end = self._localised_end(place + 1, self.topic_end(place))
        return Piece(TEXTUAL_THEME, end) if end else None

    def _closed_end(self, place: int) -> int:
        """End of a unit that ends with a word such as 时 and a comma, and has no subject before an adverb or a
        preposition; else ``place``."""
        last = self.count
        while last > place and self.is_punctuation(last - 1):
            last -= 1
        if last == self.count or self.form(self.count - 1) not in STOPS:
            return place
        closed = any(self.phrase_end(start, CLOSING) == last for start in range(max(place + 1, last - 3), last))
        predicate = self.topic_end(place)
        if not closed or (place < predicate < last and self._is_adjunct(predicate)):
            return place
        return self.count

    def _is_adjunct(self, place: int) -> bool:
        """Whether the predicate begins with an adverb, auxiliary or preposition."""
        if self.form(place) in RHEMATIC:
            return True
        return self.upos(place) in ("ADV", "AUX", "ADP") and self.form(place) not in LOCALISERS

    def _prepositional_phrase(self, place: int, noun: int) -> Piece:
        """The phrase of a preposition before the place ``noun``: up to its localiser or the comma, else by the tree."""
        stop = next((end for end in range(noun, self.count) if self.form(end) in STOPS), self.count)
        end = self._localised_end(noun, stop)
        if not end:
            filling = self.form(place) in FILLING and self.form(stop) in ("，", ",")
            end = stop if filling else self._governed_end(place, noun)
        if self.form(place) in UNDECIDED and not end >= stop < self.count:
            return Piece(RHEME, place)
        return Piece(INTERPERSONAL_THEME if self.form(place) in SOURCES else TEXTUAL_THEME, end)

    def _governed_end(self, place: int, noun: int) -> int:
        """End of the noun on which a preposition depends, with its localiser; without one, of one word."""
        word = self.words[place]
        head = self.tree.heads[word]
        governed = self.tree.relations[word] in ("case", "mark") and word < head < self.end
        end = min(head - self.start + 1 if governed else noun + 1, self.count)
        while (
            end < self.count
            and self.tree.relations[self.words[end]] == "case"
            and self.tree.heads[self.words[end]] < self.words[end]
        ):
            end += 1
        return end

    def _localised_end(self, start: int, stop: int) -> int:
        """End of the first localiser between two places that closes a phrase; 0 without one."""
        for place in range(start, stop):
            end = self.phrase_end(place, LOCALISERS)
            if end > place and self.form(end) not in ("的", "、", "和"):
                return end
        return 0
