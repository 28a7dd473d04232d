"""The topic of a Chinese clause: the first nominal, up to the predicate."""

from discourse_nmt.discourse.themes.chinese.adjuncts import (
    LINKS,
    LOCALISERS,
    LONGEST_TIME,
    RHEMATIC,
    SIMPLIFIED,
    TIME,
    TIMES,
)
from discourse_nmt.discourse.themes.division import Unit
from discourse_nmt.discourse.themes.pieces import ClauseWords
from discourse_nmt.discourse.themes.sentence import SentenceTree

# Relations to a noun that follows, and relations of a nominal.
MODIFIERS = frozenset({"acl", "amod", "nmod", "compound", "nummod", "det", "appos", "flat"})
NOMINALS = MODIFIERS - {"acl", "amod"} | {"nsubj", "obl", "clf", "vocative", "dislocated"}
VERB_COMPOUNDS = frozenset({"compound:vv", "compound:dir"})
NOUNS = frozenset({"NOUN", "PROPN"})
# XPOS of Chinese treebanks: nouns, names, pronouns, classifiers; prefixes.
NOUN_TAGS = frozenset({"NN", "NNP", "PRP", "PRD", "NNB"})
PREFIX_TAG = "PFA"
STOPS = frozenset("，,：:；;。！？!?")
LONGEST_PHRASE = 9  # words


class ChineseWords(ClauseWords):
    """The words of a discourse unit in simplified characters, with the tests that find its topic."""

    def __init__(self, tree: SentenceTree, unit: Unit) -> None:
        super().__init__(tree, unit)
        self.start, self.end = unit.words[0], unit.words[-1] + 1
        self._forms = [tree.lower[word].translate(SIMPLIFIED) for word in unit.words]

    def form(self, place: int) -> str:
        """The word in simplified characters; empty after the end."""
        return self._forms[place] if place < self.count else ""

    def upos(self, place: int) -> str:
        """The universal tag of a word; empty after the end."""
        return self.tree.syntax.upos[self.words[place]] if place < self.count else ""

    def phrase_end(self, place: int, phrases: frozenset[str]) -> int:
        """End of the longest run of words from ``place`` that is one of the ``phrases``; ``place`` without one."""
        text, longest = "", place
        for end in range(place + 1, min(self.count, place + LONGEST_PHRASE) + 1):
            text += self.form(end - 1)
            if text in phrases:
                longest = end
        return longest

    def time_end(self, place: int) -> int:
        """End of an expression of time that begins at ``place`` and is not the attribute of a noun; else ``place``."""
        text, longest = "", place
        for end in range(place + 1, min(self.count, place + LONGEST_PHRASE) + 1):
            text += self.form(end - 1)
            if self.is_punctuation(end - 1) or len(text) > LONGEST_TIME:
                break
            if text in TIMES or TIME.fullmatch(text):
                longest = end
        return place if self.form(longest) in LINKS else longest

    def topic_end(self, place: int) -> int:
        """End of the nominal that begins at ``place``; ``place`` if the predicate begins there."""
        if place >= self.count:
            return place
        end = self._cleft_end(place) or self._predicate(place)
        while end > place and self.is_punctuation(end - 1) and not self.is_closing(end - 1):
            end -= 1
        return end

    def _is_be(self, place: int) -> bool:
        return self.form(place) in ("是", "就是")

    def _cleft_end(self, place: int) -> int:
        """End of a nominal without a noun before the copula, 他买的 | 是书; 0 without one."""
        for end in range(place + 2, self.count):
            if self.form(end - 1) in STOPS or self._is_be(end - 1):
                return 0
            if self.form(end - 1) == "的" and self._is_be(end):
                return end
        return 0

    def _predicate(self, place: int) -> int:
        """The first place that is not in the nominal that begins at ``place``."""
        verbal = self._is_predicative(place)
        end = place
        while end < self.count:
            if self._is_predicative(end) and not (
                self._is_attributive(end) or (verbal and self._precedes_its_subject(end))
            ):
                break
            if end > place:
                adverb = self.form(end) in RHEMATIC and self.form(end - 1) != "的"
                if adverb or self.form(end) in STOPS or self.time_end(end) > end:
                    break
            end += 1
        # Of two subjects the first is the topic: 上海 | 公园面积很大.
        for second in range(place + 1, end):
            if self._is_subject(second - 1, end) and not (
                self.form(second) in LINKS or self.is_punctuation(second) or self.upos(second) == "PROPN"
            ):
                return second
        return end

    def _is_subject(self, place: int, predicate: int) -> bool:
        """Whether the word is the subject of a word that is not before ``predicate``."""
        word = self.words[place]
        if self.tree.relations[word] != "nsubj" or self._is_attributive(place):
            return False
        return not self.start <= self.tree.heads[word] < self.start + predicate

    def _is_predicative(self, place: int) -> bool:
        """Whether a predicate may begin with the word: a verb, auxiliary, adjective, adverb or preposition."""
        word, kind, syntax = self.words[place], self.upos(place), self.tree.syntax
        relation = self.tree.relations[word]
        if kind == "ADV":
            return relation not in NOMINALS and relation != "case" and syntax.xpos[word] not in NOUN_TAGS
        if (kind == "ADJ" or syntax.xpos[word] == PREFIX_TAG) and self.upos(place + 1) in NOUNS:
            return False
        if kind == "VERB":
            return relation not in NOMINALS or syntax.deprels[word] in VERB_COMPOUNDS
        if kind == "ADP":
            return syntax.deprels[word] != "case:loc" and self.form(place) not in LOCALISERS
        if kind == "ADJ" or (kind == "PART" and syntax.xpos[word] == PREFIX_TAG):
            return relation not in MODIFIERS
        return kind in ("AUX", "SCONJ")

    def _is_attributive(self, place: int) -> bool:
        """Whether the word is, or is in, the attribute of a noun after it."""
        tree, word = self.tree, self.words[place]
        above = word
        while self.start <= above < self.end:
            head = tree.heads[above]
            if tree.relations[above] in MODIFIERS and word < head < self.end:
                return True
            if any(
                word < child < self.end and tree.syntax.deprels[child] == "mark:rel" for child in tree.children[above]
            ):
                return True
            above = head
        return False

    def _precedes_its_subject(self, place: int) -> bool:
        """Whether the word depends on a predicate after it, and 的 with the subject are in between: 懂法律的人 | 少."""
        tree, word = self.tree, self.words[place]
        above = tree.heads[word]
        while self.start <= above < self.end:
            for child in tree.children[above]:
                if (
                    word < child < above
                    and tree.relations[child] == "nsubj"
                    and "的" in self._forms[place : child - self.start]
                ):
                    return True
            above = tree.heads[above]
        return False
