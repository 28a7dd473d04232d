"""Number, gender and pronouns as the forms of a sentence show them, in the way of each language."""

from functools import lru_cache

from discourse_nmt.discourse.coreference.lexicons.word_lists import (
    FEMININE,
    MASCULINE,
    NEUTER,
    PLURAL,
    SINGULAR,
    UNKNOWN,
    Pronoun,
    ReferringWords,
)
from discourse_nmt.discourse.structures.syntax import Syntax

NUMBERS = {"Number=Sing": SINGULAR, "Number=Plur": PLURAL}
GENDERS = {"Gender=Masc": MASCULINE, "Gender=Fem": FEMININE, "Gender=Neut": NEUTER}
PRONOMINAL = ("PRON", "DET", "ADV")
ARTICLES_BEFORE = 8  # words before a noun among which its determiner is looked for
VERB_GROUP = ("aux", "cop")


def pronoun_of(sentence: Syntax, word: int, lexicon: ReferringWords) -> Pronoun | None:
    """The pronoun that a word is by its form; None for other words. Its tag does not count.

    A form of two pronouns (German *sie*) is told by the number of the verb whose subject it is, or else by its own.
    Number and gender that the form leaves open are those of its features in languages with grammatical gender.
    """
    form = sentence.forms[word]
    if form in lexicon.capitalised and word and sentence.upos[word - 1] != "PUNCT":
        return lexicon.capitalised[form]
    lower = form.lower()
    pronoun = lexicon.pronouns.get(lower)
    if pronoun is None or not lexicon.genders:
        return pronoun
    if lower in lexicon.by_number:
        number = _number_of_verb(sentence, word) or number_in(sentence.features[word])
        return lexicon.by_number[lower].get(number, pronoun)
    if sentence.upos[word] != "PRON":  # the features of a possessive determiner are those of its noun
        return pronoun
    features = sentence.features[word]
    return Pronoun(
        pronoun.lemma, pronoun.number or number_in(features), pronoun.gender or _among(GENDERS, features) or UNKNOWN
    )


def number_of(sentence: Syntax, word: int, lexicon: ReferringWords) -> int:
    """Number of a noun: by its determiner where nouns have gender, by its plural ending, or by its features."""
    if lexicon.genders:
        number = number_in(_determiner(sentence, word))
        if number or sentence.upos[word] == "PROPN":
            return number
    if lexicon.plural_endings:
        after = word + 1 < len(sentence.forms) and sentence.heads[word + 1] == word
        marked = after and sentence.forms[word + 1] in lexicon.plural_endings
        return PLURAL if marked or sentence.forms[word].endswith(lexicon.plural_endings) else UNKNOWN
    return number_in(sentence.features[word])


def gender_of(sentence: Syntax, word: int, lexicon: ReferringWords) -> int:
    """Grammatical gender of a common noun, by its determiner or else by its features; UNKNOWN without genders."""
    if not lexicon.genders or sentence.upos[word] == "PROPN":
        return UNKNOWN
    return _among(GENDERS, _determiner(sentence, word)) or _among(GENDERS, sentence.features[word])


@lru_cache(1 << 12)
def number_in(features: str) -> int:
    """The number in a FEATS string; UNKNOWN without one."""
    return _among(NUMBERS, features)


def _among(values: dict[str, int], features: str) -> int:
    fields = features.split("|")
    return next((value for name, value in values.items() if name in fields), UNKNOWN)


def _determiner(sentence: Syntax, word: int) -> str:
    """Features of the determiner of a noun, whose form shows more than the noun's; ``_`` without one."""
    for before in range(word - 1, max(-1, word - 1 - ARTICLES_BEFORE), -1):
        if sentence.heads[before] == word and sentence.upos[before] == "DET":
            return sentence.features[before]
    return "_"


def _number_of_verb(sentence: Syntax, word: int) -> int:
    """Number of the finite verb of which a word is the subject; UNKNOWN for other words."""
    verb = sentence.heads[word]
    if verb < 0 or not sentence.deprels[word].startswith("nsubj"):
        return UNKNOWN
    group = [
        helper
        for helper, head in enumerate(sentence.heads)
        if head == verb and sentence.deprels[helper].partition(":")[0] in VERB_GROUP
    ]
    for helper in (*group, verb):
        if "VerbForm=Fin" in sentence.features[helper].split("|"):
            return number_in(sentence.features[helper])
    return UNKNOWN
