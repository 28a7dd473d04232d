"""Turns of a talk, and the parts of mentions in them: *I*, *you* and *we* of each turn.

Words outside quotations are one turn of the writer, or one turn for each speaker that the corpus names. A quotation is
a turn of its own. A part is a number: mentions with one part may be one person, and parts that are ``apart`` are
different people.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from discourse_nmt.discourse.coreference.inflection import PRONOMINAL, pronoun_of
from discourse_nmt.discourse.coreference.lexicons.word_lists import SPEAKERS, ReferringWords
from discourse_nmt.discourse.coreference.speech.attribution import Attribution, Word, attribution_of
from discourse_nmt.discourse.coreference.speech.quotations import Quotations, quotations_of
from discourse_nmt.discourse.structures.syntax import Syntax

Speakers = Sequence[str | None]
"""The name of the speaker of each sentence of a document, None where nobody is known."""
NOBODY: frozenset[int] = frozenset()


class Turn(NamedTuple):
    """The parts of a turn: the fields are the groups of :data:`.SPEAKERS`."""

    i: int
    we: int
    you: int


@dataclass(frozen=True)
class Speech:
    """The parts of the words of a document that head mentions of speakers and addressees.

    ``apart`` has the parts of other people for each part. ``named`` are the speakers with names, who are all different.
    All mentions with one of the ``certain`` parts are the same person.
    """

    parts: Mapping[Word, frozenset[int]]
    apart: Mapping[int, Set[int]]
    named: frozenset[int]
    certain: frozenset[int]

    def may_corefer(self, one: Set[int], other: Set[int]) -> bool:
        """Whether an entity may have the parts of both sets."""
        few, many = sorted((one, other), key=len)
        if any(not many.isdisjoint(self.apart.get(part, NOBODY)) for part in few):
            return False
        return len((one & self.named) | (other & self.named)) <= 1


def speech_of(document: Sequence[Syntax], lexicon: ReferringWords, speakers: Speakers | None = None) -> Speech:
    """Who speaks to whom in a document, by its quotations and the ``speakers`` of its sentences."""
    quotations = quotations_of(document, lexicon)
    names = [None if not name else name.strip().casefold() or None for name in speakers or [None] * len(document)]
    builder = _Builder(document, lexicon)
    quoted = _names_of_quotations(names, quotations)
    builder.add_sentences(names, quoted)
    words: dict[int, list[Word]] = defaultdict(list)
    for sentence, row in enumerate(quotations.innermost):
        for word, level in enumerate(row):
            while level >= 0:
                words[level].append((sentence, word))
                level = quotations.around[level]
    for number in sorted(words):
        first = words[number][0][0]
        found = attribution_of(number, words[number], quotations, document, lexicon)
        name = names[first] if names[first] in quoted else None
        if found or name or any(document[sentence].upos[word] in ("VERB", "AUX") for sentence, word in words[number]):
            builder.add_quotation(words[number], found, name)
    return builder.finished()


def _names_of_quotations(names: Speakers, quotations: Quotations) -> set[str]:
    """The names that stand for the speakers of quotations, while words outside are the writer's: all sentences of such
    a name begin in a quotation."""
    within: dict[str, bool] = {}
    for speaker, row in zip(names, quotations.innermost, strict=True):
        if speaker and row:
            within[speaker] = within.get(speaker, True) and row[0] >= 0
    return {name for name, always in within.items() if always}


class _Builder:
    """Turns, parts and what is known about them, while a document is read."""

    def __init__(self, document: Sequence[Syntax], lexicon: ReferringWords) -> None:
        self.document, self.lexicon = document, lexicon
        self.numbers = count()
        self.turns: list[list[Turn]] = []
        self.voices: dict[str, int] = defaultdict(self.numbers.__next__)
        self.apart: dict[int, set[int]] = defaultdict(set)
        self.certain: set[int] = set()
        self.others: list[tuple[int, int]] = []
        self.themselves: set[tuple[int, int]] = set()
        self.complements: dict[Word, set[int]] = defaultdict(set)
        self.turn_of_verb: dict[Word, Turn] = {}

    def add_sentences(self, names: Speakers, quoted: Set[str]) -> None:
        """Turns of the words outside quotations; two speakers do not call the same person *you*."""
        talking = dict.fromkeys(name for name in names if name and name not in quoted)
        writer = self._turn(None, None)
        turn_of = {name: self._turn(self.voices[name], None) for name in talking}
        if len(turn_of) == 2:
            self._separate(*(turn.you for turn in turn_of.values()))
        self.certain.add(writer.i)
        for sentence, name in zip(self.document, names, strict=True):
            self.turns.append([turn_of.get(name or "", writer)] * len(sentence.forms))

    def add_quotation(self, words: Sequence[Word], found: Attribution | None, name: str | None) -> None:
        """A turn of its own, or that of the other quotations of its verb of saying.

        Its speaker is not *I* of the words around unless *I* is the subject of the verb, nor *you* if there is no verb.
        """
        around = self._turn_at(words[0])
        turn = self.turn_of_verb.get(found.verb) if found else None
        if turn is None:
            subject = self._own_part(found.speaker) if found else None
            told = self._own_part(found.addressee) if found and found.addressee else None
            speaker = self.voices[name] if name else subject
            if found and found.addressee and told is None and self._form(found.addressee) in self.lexicon.reflexive:
                speaker = told = next(self.numbers) if speaker is None else speaker
            turn = self._turn(speaker, told)
            self.others += [(turn.i, around.i)] if found else [(turn.i, around.i), (turn.i, around.you)]
            if subject == around.i:
                self.themselves.add((turn.i, around.i))
            if found:
                self.turn_of_verb[found.verb] = turn
                self.complements[found.speaker].add(turn.i)
                self.certain.update({turn.i} - {subject})
                if found.addressee:
                    self.complements[found.addressee].add(turn.you)
                    self.certain.update({turn.you} - {told})
        for sentence, word in words:
            self.turns[sentence][word] = turn

    def finished(self) -> Speech:
        """The talk of the document."""
        for pair in self.others:
            if pair not in self.themselves:
                self._separate(*pair)
        parts: dict[Word, frozenset[int]] = {}
        for number, sentence in enumerate(self.document):
            for word in range(len(sentence.forms)):
                own = self._own_part((number, word))
                mine = self.complements.get((number, word), set()) | ({own} if own is not None else set())
                if mine:
                    parts[number, word] = frozenset(mine)
        certain = frozenset(self.certain | set(self.voices.values()))
        return Speech(parts, self.apart, frozenset(self.voices.values()), certain)

    def _turn(self, speaker: int | None, addressee: int | None) -> Turn:
        """A turn with new parts for those that are not known."""
        i, we, you = (next(self.numbers) if part is None else part for part in (speaker, None, addressee))
        self._separate(i, you)
        self._separate(we, you)
        return Turn(i, we, you)

    def _separate(self, one: int, other: int) -> None:
        if one != other:
            self.apart[one].add(other)
            self.apart[other].add(one)

    def _turn_at(self, place: Word) -> Turn:
        return self.turns[place[0]][place[1]]

    def _form(self, place: Word) -> str:
        return self.document[place[0]].forms[place[1]].lower()

    def _own_part(self, place: Word) -> int | None:
        """The part of a pronoun of speaker or addressee, of its apposition, and of someone who is called by name."""
        number, word = place
        sentence = self.document[number]
        pronoun = pronoun_of(sentence, word, self.lexicon)
        if pronoun and pronoun.lemma in SPEAKERS and sentence.upos[word] in PRONOMINAL:
            part: int = getattr(self._turn_at(place), pronoun.lemma)
            return part
        relation, above = sentence.deprels[word].partition(":")[0], sentence.heads[word]
        if relation == "appos" and above >= 0 and sentence.deprels[above].partition(":")[0] != "appos":
            return self._own_part((number, above))
        return self._turn_at(place).you if relation == "vocative" else None
