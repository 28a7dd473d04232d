"""The entities of sentences: things, senses of ambiguous nouns, people and activities, in both languages.

Every entity has ``english(form)`` and ``german(form)`` for the forms that templates use. English noun forms are an
article and adjectives (``a new``); German ones an article with its case and adjective stems (``ein.akk neu``); a ``+``
after the article (``the+``, ``der+.nom``) adds the clue that gives an ambiguous noun its sense.
"""

from dataclasses import dataclass, replace

from discourse_nmt.demo import german


@dataclass(frozen=True)
class Phrase:
    """An English phrase and the characters of its head word; ``head`` is None if it mentions no entity."""

    text: str
    head: tuple[int, int] | None


def _mention(text: str, head: str) -> Phrase:
    start = text.index(head)
    return Phrase(text, (start, start + len(head)))


@dataclass(frozen=True)
class Noun:
    """A countable noun in both languages; ``german_object`` is its accusative and dative singular."""

    english_noun: str
    german_noun: str
    gender: str
    german_object: str
    clue_english: str = ""
    clue_german: str = ""

    @property
    def identity(self) -> str:
        """Name of the entity within a document."""
        return f"noun {self.english_noun}"

    def english(self, form: str) -> Phrase:
        """``it``, ``its``, or article and adjectives before the noun."""
        if form in ("it", "its"):
            return _mention(form, form)
        first, *others = form.split()
        words = [*others, self.english_noun]
        article = first.removesuffix("+")
        if article in ("a", "an"):
            article = "an" if words[0][0] in "aeiou" else "a"
        text = " ".join([article, *words])
        head = (len(text) - len(self.english_noun), len(text))
        return Phrase(f"{text} {self.clue_english}" if first.endswith("+") else text, head)

    def german(self, form: str) -> str:
        """``er.CASE``, ``sein.CASE.GENDER`` (of what is possessed), or article and adjective stems before the noun."""
        first, *stems = form.split()
        article, case, *possessed = first.split(".")
        if article == "er":
            return german.personal(case, self.gender)
        if article == "sein":
            return german.inflected(german.possessor(self.gender), case, possessed[0])
        plain = article.removesuffix("+")
        determiner = german.definite if plain == "der" else lambda *where: german.inflected("ein", *where)
        noun = self.german_noun if case == "nom" else self.german_object
        adjectives = [german.adjective(stem, plain, case, self.gender) for stem in stems]
        words = [determiner(case, self.gender), *adjectives, noun]
        return " ".join(words + ([self.clue_german] if article.endswith("+") else []))


@dataclass(frozen=True)
class Person:
    """A named person, the writer (``english_name`` is ``I``), or an addressee.

    With ``pronominal``, the third person is a pronoun instead of the name. With ``polite``, the German address is
    ``Sie``.
    """

    english_name: str
    german_name: str
    german_object: str
    female: bool
    polite: bool = False
    pronominal: bool = False

    @property
    def identity(self) -> str:
        """Name of the entity within a document."""
        return f"person {self.english_name}"

    @property
    def writer(self) -> bool:
        """Whether this is the first person."""
        return self.english_name == "I"

    def as_pronoun(self) -> "Person":
        """The person as a pronoun."""
        return replace(self, pronominal=True)

    def english(self, form: str) -> Phrase:
        """``""`` (subject), ``acc``, ``'s``, ``his``, ``you``, ``your`` or ``voc`` (the name as an address)."""
        if form in ("you", "your"):
            return _mention(form, form)
        if self.writer:
            word = {"": "I", "acc": "me"}.get(form, "my")
            return _mention(word, word)
        if form == "his" or (self.pronominal and form != "voc"):
            she, he = {"": ("she", "he"), "acc": ("her", "him")}.get(form, ("her", "his"))
            word = she if self.female else he
            return _mention(word, word)
        return _mention(self.english_name + ("'s" if form == "'s" else ""), self.english_name.split()[-1])

    def german(self, form: str) -> str:
        """``""``, ``akk``, ``dat``, ``voc``, and ``'s.CASE.GENDER`` or ``sein.CASE.GENDER`` (of what is possessed)."""
        gender = "f" if self.female else "m"
        first, *features = form.split(".")
        if first == "sein" or (first == "'s" and (self.writer or self.pronominal)):
            return german.inflected("mein" if self.writer else german.possessor(gender), *features)
        if first == "'s":
            return f"{self.german_name}s"
        if self.writer:
            return {"": "ich", "akk": "mich", "dat": "mir"}[first]
        if self.pronominal and first != "voc":
            return german.personal(first or "nom", gender)
        return self.german_object if first in ("akk", "dat") else self.german_name


@dataclass(frozen=True)
class Activity:
    """Something that people do, as an intransitive verb; all German forms are third (or first) person singular."""

    english_past: str
    english_gerund: str
    german_past: str
    german_gerund: str

    @property
    def identity(self) -> str:
        """Name of the activity; it is not an entity, so that nothing refers back to it."""
        return f"activity {self.english_past}"

    def english(self, form: str) -> Phrase:
        """``past`` or ``ing``."""
        return Phrase(self.english_past if form == "past" else self.english_gerund, None)

    def german(self, form: str) -> str:
        """``past``, or ``ing`` for the nominalised infinitive."""
        return self.german_past if form == "past" else self.german_gerund


Entity = Noun | Person | Activity


@dataclass(frozen=True)
class Choice:
    """One of the two readings of an ambiguous word.

    ``entity`` is the referent of the ambiguous word. ``clue`` is the entity that a misleading sentence mentions (for an
    ambiguous noun the thing that goes with the sense, otherwise the entity itself). ``keys`` are the English words that
    reveal the reading.
    """

    entity: Entity
    clue: Entity
    keys: tuple[str, ...]
