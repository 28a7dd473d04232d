"""Agreement: possible kinds of referents of a mention (man, woman, thing, several, speaker ...), as a set of bits.

Two mentions agree if they have a bit in common; a chain is consistent if all of its mentions have a bit in common. A
chain with *she* thus never contains *he*, *it* or *Paris*, whatever the scores of pairs.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discourse_nmt.discourse.coreference.candidates import Candidate
from discourse_nmt.discourse.coreference.inflection import number_of
from discourse_nmt.discourse.coreference.lexicons.word_lists import (
    ANYONE,
    BODY,
    MAN,
    PLURAL,
    SEVERAL,
    SPEAKING,
    THING,
    TOLD,
    WOMAN,
    ReferringWords,
)
from discourse_nmt.discourse.structures.syntax import Syntax

Codes = npt.NDArray[np.uint64]

ANY = ANYONE | THING | BODY | SEVERAL
ROLES = SPEAKING | TOLD
KIND = 1 << 10  # of this kind, one or more: shared by nouns only (*this work*, *the works*)
SORTS = ANY | KIND
LIKELY_PERSON, LIKELY_BODY = 1 << 8, 1 << 9  # a common noun that is a person, or a body, if a detector finds it one


def bits_of(sentence: Syntax, one: Candidate, pronoun: str, quoted: bool, lexicon: ReferringWords) -> int:
    """Possible referents of a candidate; ``pronoun`` is the group of a pronoun, empty for other words."""
    if pronoun:
        bits = lexicon.referents.get(pronoun, SORTS | ROLES)
        return bits | ROLES if quoted and bits & ROLES else bits
    head = one.head
    upos, relation = sentence.upos[head], sentence.deprels[head].partition(":")[0]
    roles = ROLES if quoted or relation in ("vocative", "appos") or _speaks(sentence, one, lexicon) else TOLD
    if upos not in ("NOUN", "PROPN"):
        return SORTS | roles
    if any(sentence.deprels[word] == "conj" and sentence.heads[word] == head for word in range(head + 1, one.end)):
        return SEVERAL | BODY | KIND | roles
    if upos == "NOUN":
        form, lemma = sentence.forms[head].lower(), sentence.lemmas[head].lower()
        return _of_noun(form, lemma, number_of(sentence, head, lexicon) == PLURAL, lexicon) | roles
    return _of_name(sentence, one, lexicon) | roles


def consistent(common: Codes) -> npt.NDArray[np.bool_]:
    """Whether mentions with these bits in common may corefer."""
    both: npt.NDArray[np.bool_] = ((common & np.uint64(SORTS)) != 0) & ((common & np.uint64(ROLES)) != 0)
    return both


def with_types(bits: Codes, types: npt.NDArray[np.int64], names: Sequence[str]) -> Codes:
    """Bits [mentions] after the detected entity types [mentions] (indices of ``names``) have decided on common nouns
    that are in no list."""
    decided = bits.copy()
    for likely, kinds, more in (
        (LIKELY_PERSON, ("person",), ANYONE),
        (LIKELY_PERSON, ("animal",), MAN | WOMAN),
        (LIKELY_BODY, ("organization", "place"), BODY),
    ):
        numbers = [number for number, name in enumerate(names) if name in kinds]
        decided[((bits & np.uint64(likely)) != 0) & np.isin(types, numbers)] |= np.uint64(more)
    return decided


def _speaks(sentence: Syntax, one: Candidate, lexicon: ReferringWords) -> bool:
    """Whether a noun is said of a speaker: *I am the king*, *we the people*, *you fool*."""
    above = sentence.heads[one.head]
    if above >= 0 and sentence.forms[above].lower() in lexicon.speaking:
        return True
    return any(
        sentence.heads[word] == one.head
        and sentence.forms[word].lower() in lexicon.speaking
        and sentence.deprels[word].partition(":")[0] in ("nsubj", "appos", "det")
        for word in range(max(0, one.head - 12), min(len(sentence.forms), one.head + 4))
    )


@lru_cache(1 << 15)
def _of_noun(form: str, lemma: str, plural: bool, lexicon: ReferringWords) -> int:
    """Possible referents of a common noun, by the lists and its number."""
    if plural:
        bits = SEVERAL | KIND
        if lemma in lexicon.groups:
            bits |= BODY
        if lexicon.plural_shows and form == lemma and lemma not in lexicon.persons:  # "a series", "this species"
            bits |= THING
        return bits
    if form in lexicon.masculine or form.endswith(lexicon.masculine_endings):
        return MAN
    if form in lexicon.feminine or form.endswith(lexicon.feminine_endings):
        return WOMAN
    bits = KIND
    if lemma in lexicon.persons:
        bits |= ANYONE
    if lemma in lexicon.animals:
        bits |= MAN | WOMAN | THING
    if lemma in lexicon.groups:
        bits |= BODY | SEVERAL
    if bits == KIND:
        bits |= THING | LIKELY_PERSON | LIKELY_BODY
    return bits


def _of_name(sentence: Syntax, one: Candidate, lexicon: ReferringWords) -> int:
    """Possible referents of a name, by its titles and given names, its last word, and the preposition before it."""
    head = one.head
    words = [
        word
        for word in range(max(one.start, head - 6), min(one.end, head + 7))
        if word == head
        or (
            sentence.heads[word] == head
            and sentence.upos[word] in ("PROPN", "NOUN")
            and sentence.deprels[word].partition(":")[0] in ("flat", "compound")
        )
    ]
    lower = tuple(sentence.forms[word].lower() for word in words)
    definite = lexicon.determiners.get(sentence.forms[one.start].lower()) == "definite"
    bits = _of_words(lower, definite, number_of(sentence, head, lexicon) == PLURAL, lexicon)
    return THING | BODY | KIND if bits == SORTS and _is_place(sentence, head, lexicon) else bits


@lru_cache(1 << 15)
def _of_words(words: tuple[str, ...], definite: bool, plural: bool, lexicon: ReferringWords) -> int:
    """Possible referents of a name with these words; ``definite``: it has an article, unlike names of persons."""
    last = words[-1]
    alone = len(words) == 1
    if last in lexicon.thing_names or last in lexicon.times or (alone and last in lexicon.places):
        return THING | BODY | SEVERAL | KIND
    if (alone and last in lexicon.ambiguous_names) or words[0] in lexicon.place_beginnings:
        return SORTS
    for word in words:
        if word in lexicon.masculine or (word in lexicon.masculine_names and not definite):
            return MAN
        if word in lexicon.feminine or (word in lexicon.feminine_names and not definite):
            return WOMAN
        if word in lexicon.persons:
            return ANYONE | KIND
    return THING | BODY | SEVERAL | KIND if plural else SORTS


def _is_place(sentence: Syntax, head: int, lexicon: ReferringWords) -> bool:
    """Whether a name is in the context of a place: *in Leeds*, *moved to Leeds*."""
    if sentence.deprels[head].partition(":")[0] not in ("obl", "nmod"):
        return False
    above = sentence.heads[head]
    for word in range(head - 1, max(-1, head - 5), -1):
        if sentence.heads[word] == head and sentence.deprels[word] == "case":
            case = sentence.forms[word].lower()
            moving = above >= 0 and sentence.lemmas[above].lower() in lexicon.moving
            return case in lexicon.place_cases or (moving and case in lexicon.moving_cases)
    return False
