"""The form of a lexicon: the resolver's knowledge of the words of any language."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

UNKNOWN, SINGULAR, PLURAL = 0, 1, 2
MASCULINE, FEMININE, NEUTER, PERSON = 1, 2, 3, 4  # PERSON: a human being of either gender

# Possible referents of a mention, as a set of bits; agreement.py tells how they restrict chains.
MAN, WOMAN, SOMEONE, THING, BODY, SEVERAL = (1 << bit for bit in range(6))  # SOMEONE is called "they", BODY "it" too
SPEAKING, TOLD = 1 << 6, 1 << 7  # someone who says "I" or hears "you"; someone spoken of
ANYONE = MAN | WOMAN | SOMEONE

# Groups of pronouns have English names in every language.
SPEAKERS = ("i", "we", "you")
PERSONAL = ("he", "she", "it", "they", "their")


class Pronoun(NamedTuple):
    """Group, number and gender of a pronoun."""

    lemma: str
    number: int
    gender: int


Words = frozenset[str]
NOTHING: Words = frozenset()


def words(text: str) -> Words:
    """The words of a text."""
    return frozenset(text.split())


def pronouns(rows: Iterable[tuple[str, int, int, str]]) -> dict[str, Pronoun]:
    """Pronouns by form, from rows of group, number, gender and forms."""
    return {form: Pronoun(group, number, gender) for group, number, gender, forms in rows for form in forms.split()}


@dataclass(frozen=True, eq=False)
class ReferringWords:
    """The words of one language that show number, gender and person. All are in lower case but ``capitalised``.

    A language needs its ``pronouns`` and their ``referents``; every list may be empty.
    """

    language: str
    """ISO 639-1 code."""
    pronouns: Mapping[str, Pronoun]
    """Pronouns by form."""
    referents: Mapping[str, int]
    """Possible referents of each group of pronouns, as bits; a group that is not here may refer to anything."""
    by_number: Mapping[str, Mapping[int, Pronoun]] = field(default_factory=dict)
    """Forms of two pronouns that their number tells apart, for example German *sie*: each number's pronoun."""
    capitalised: Mapping[str, Pronoun] = field(default_factory=dict)
    """Pronouns by capitalised form inside a sentence, for example German *Sie*."""
    reflexive: Words = NOTHING
    speaking: Words = NOTHING
    """Pronouns of speaker and addressee: a noun beside them is said of these."""
    adverbs: Words = NOTHING
    """Lemmas of adverbs that refer: *here*, *then*."""
    possessive: tuple[str, str] = ("PRON", "nmod:poss")
    """Tag and relation of possessive pronouns."""
    possessives_listed: bool = False
    """Whether only those of ``determiners`` are possessive, as the relation is that of all determiners (French)."""
    genders: bool = False
    """Whether nouns have grammatical gender, which pronouns repeat (then ``Gender`` counts)."""
    plural_endings: tuple[str, ...] = ()
    """Endings, or words after the noun, that make a plural (Chinese)."""
    plural_shows: bool = True
    """Whether a noun whose form is its lemma is unmarked for number, so that it may be one thing (*series*)."""
    determiners: Mapping[str, str] = field(default_factory=dict)
    """Determiners by form: definite, indefinite, demonstrative, possessive or quantified."""
    unspaced: bool = False
    """Whether words are written without spaces (Chinese), so that their borders are less certain: mentions may begin
    before the words that the parse gives them, a suffix that is a word may be a head, and texts are compared by their
    characters."""
    repeats_names: bool = False
    """Whether texts repeat a name where English has a pronoun."""
    saying: Words = NOTHING
    """Lemmas of verbs whose subject speaks the quotation beside them."""
    addressing: Words = NOTHING
    """Prepositions before the addressee of such a verb."""
    masculine: Words = NOTHING
    """Titles, kinship and roles of men."""
    masculine_endings: tuple[str, ...] = ()
    masculine_names: Words = NOTHING
    """Given names of men."""
    feminine: Words = NOTHING
    feminine_endings: tuple[str, ...] = ()
    feminine_names: Words = NOTHING
    ambiguous_names: Words = NOTHING
    """Given names that are equally common as other words."""
    persons: Words = NOTHING
    """Lemmas of nouns for persons."""
    groups: Words = NOTHING
    """Lemmas of nouns for bodies and groups of people."""
    animals: Words = NOTHING
    """Lemmas of nouns that are called *it*, *he* or *she*."""
    places: Words = NOTHING
    times: Words = NOTHING
    thing_names: Words = NOTHING
    """Last words of names of places, bodies and works."""
    place_beginnings: Words = NOTHING
    place_cases: Words = NOTHING
    """Prepositions: a name after one of these is a place."""
    moving_cases: Words = NOTHING
    """And after one of these, if it depends on a lemma of ``moving``."""
    moving: Words = NOTHING
    empty: Words = NOTHING
    """Words that are no content."""

    def shows_possessor(self, form: str, relation: str) -> bool:
        """Whether a word with this relation, and this form in lower case, tells whose something is."""
        listed = not self.possessives_listed or self.determiners.get(form) == "possessive"
        return relation == self.possessive[1] and listed
