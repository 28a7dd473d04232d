"""Numeric attributes of candidate mentions, computed before pairs are compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import TypedDict
from zlib import crc32

import numpy as np
import numpy.typing as npt

from discourse_nmt.discourse.coreference.agreement import bits_of
from discourse_nmt.discourse.coreference.candidates import Candidate, candidates_of
from discourse_nmt.discourse.coreference.inflection import PRONOMINAL, gender_of, number_of, pronoun_of
from discourse_nmt.discourse.coreference.lexicons.word_lists import (
    FEMININE,
    MASCULINE,
    PERSON,
    PERSONAL,
    PLURAL,
    SPEAKERS,
    ReferringWords,
)
from discourse_nmt.discourse.coreference.speech.quotations import quotations_of
from discourse_nmt.discourse.structures.syntax import Syntax

Codes = npt.NDArray[np.uint64]

# Kinds of mentions, by their heads.
SPEAKER, THIRD_PERSON, DEMONSTRATIVE, NAME, NOMINAL, OTHER = range(6)


class Place(TypedDict):
    """Where a mention stands; ``start``, ``end``, ``head`` and ``governor`` count the words of the document."""

    sentence: int
    start: int
    end: int
    head: int
    governor: int
    """The word on which the head depends, the number of words of the document for none."""
    variant: int
    variants: int
    position: int


class Description(TypedDict):
    """A mention by itself; strings are codes."""

    # what it is
    kind: int
    group: int
    number: int
    gender: int
    definite: int
    reflexive: int
    length: int
    # its words
    lemma: int
    form: int
    upos: int
    xpos: int
    relation: int
    full_relation: int
    governor_lemma: int
    governor_upos: int
    first: int
    last: int
    before: int
    after: int
    before_tag: int
    after_tag: int
    last_tag: int
    inside: int
    outside: int
    text: int
    content: int
    words: int
    """A set of content words (of characters in a language without spaces), one bit each (lemmas may share a bit)."""
    initials: int
    modifier: int
    governor_relation: int
    agreement: int


PLACE, DESCRIPTION = tuple(Place.__annotations__), tuple(Description.__annotations__)
COLUMNS = PLACE + DESCRIPTION


@dataclass(frozen=True)
class Attributes:
    """Attributes of the mentions of a document, in text order: arrays [mentions] (uint64) by :data:`COLUMNS`."""

    columns: Mapping[str, Codes]
    candidates: tuple[tuple[int, Candidate], ...]
    """Index of the sentence and the candidate, for each mention."""

    def __len__(self) -> int:
        return len(self.candidates)

    def __getitem__(self, name: str) -> Codes:
        return self.columns[name]

    def chosen(self, kept: npt.NDArray[np.int64]) -> "Attributes":
        """The mentions with the indices ``kept``."""
        columns = {name: column[kept] for name, column in self.columns.items()}
        return Attributes(columns, tuple(self.candidates[index] for index in kept.tolist()))


def attributes_of(document: Sequence[Syntax], lexicon: ReferringWords) -> Attributes:
    """Candidates of a document with their attributes, by the words of its language."""
    rows: list[tuple[int, ...]] = []
    values_of_place, values_of_description = itemgetter(*PLACE), itemgetter(*DESCRIPTION)
    candidates: list[tuple[int, Candidate]] = []
    words = sum(len(sentence.forms) for sentence in document)
    offset = 0
    for number, (sentence, quoted) in enumerate(zip(document, quotations_of(document, lexicon).quoted)):
        sentence_candidates = candidates_of(sentence, lexicon)
        if sentence_candidates:
            variants: dict[int, int] = {}
            for candidate in sentence_candidates:
                variants[candidate.head] = variants.get(candidate.head, 0) + 1
            tags = [code(tag) for tag in sentence.upos]
            lower = [form.lower() for form in sentence.forms]
            forms = [code(form) for form in lower]
            bits = [_bits(lemma, form, lexicon) for lemma, form in zip(sentence.lemmas, lower)]
            for candidate in sentence_candidates:
                candidates.append((number, candidate))
                governor = sentence.heads[candidate.head]
                place: Place = {
                    "sentence": number,
                    "start": offset + candidate.start,
                    "end": offset + candidate.end,
                    "head": offset + candidate.head,
                    "governor": offset + governor if governor >= 0 else words,
                    "variant": candidate.variant,
                    "variants": variants[candidate.head],
                    "position": min(number, 2),
                }
                description = _description(
                    sentence, candidate, lower, forms, tags, bits, quoted[candidate.head], lexicon
                )
                rows.append(values_of_place(place) + values_of_description(description))
        offset += len(sentence.forms)
    table = np.array(rows, np.uint64).reshape(-1, len(COLUMNS))
    return Attributes(dict(zip(COLUMNS, np.ascontiguousarray(table.T))), tuple(candidates))


def _description(
    sentence: Syntax,
    candidate: Candidate,
    lower: list[str],
    forms: list[int],
    tags: list[int],
    bits: list[int],
    quoted: bool,
    lexicon: ReferringWords,
) -> Description:
    """The attributes that do not depend on the sentence's place in the document."""
    head, start, end = candidate.head, candidate.start, candidate.end
    governor = sentence.heads[head]
    kind, group, number, gender = _nature(sentence, candidate, lower, lexicon)
    determiner = lexicon.determiners.get(lower[start], "") if end - start > 1 else ""
    if not determiner and any(map(lexicon.shows_possessor, lower[start:head], sentence.deprels[start:head])):
        determiner = "possessive"
    covered = 0
    for word in range(start, end):
        covered |= bits[word]
    words = lower[start:end]
    if lexicon.unspaced:
        text = "".join(words)
        content = "".join([character for character in text if character not in lexicon.empty])
    else:
        text = " ".join(words)
        content = " ".join([word for word in words if word not in lexicon.empty])
    initials = _initials(sentence.forms[start:end])
    return {
        "kind": kind,
        "group": code(group or determiner or sentence.upos[head]),
        "number": number,
        "gender": gender,
        "definite": code(determiner),
        "reflexive": int(lower[head] in lexicon.reflexive),
        "length": min(end - start, 6 if end - start < 10 else 7),
        "lemma": code(sentence.lemmas[head].lower()),
        "form": forms[head],
        "upos": tags[head],
        "xpos": code(sentence.xpos[head]),
        "relation": code(sentence.deprels[head].partition(":")[0]),
        "full_relation": code(sentence.deprels[head]),
        "governor_lemma": code(sentence.lemmas[governor]) if governor >= 0 else 0,
        "governor_upos": tags[governor] if governor >= 0 else 0,
        "first": forms[start],
        "last": forms[end - 1],
        "before": forms[start - 1] if start else 0,
        "after": forms[end] if end < len(forms) else 0,
        "before_tag": tags[start - 1] if start else 0,
        "after_tag": tags[end] if end < len(forms) else 0,
        "last_tag": tags[end - 1],
        "inside": code(sentence.deprels[candidate.inside]) if candidate.inside >= 0 else 0,
        "outside": code(sentence.deprels[candidate.outside]) if candidate.outside >= 0 else 0,
        "text": code(text),
        "content": code(content),
        "words": covered,
        "initials": code(initials),
        "modifier": forms[head - 1] if head > start else 0,
        "governor_relation": code(sentence.deprels[governor]) if governor >= 0 else 0,
        "agreement": bits_of(sentence, candidate, group, quoted, lexicon),
    }


def _initials(forms: Sequence[str]) -> str:
    """The first letters of capitalised words, or an abbreviation without its dots; empty for a single other word."""
    if len(forms) == 1:
        return forms[0].replace(".", "") if forms[0].isupper() else ""
    initials = "".join([form[0] for form in forms if form[:1].isupper()])
    return initials if len(initials) > 1 else ""


def _nature(
    sentence: Syntax, candidate: Candidate, lower: list[str], lexicon: ReferringWords
) -> tuple[int, str, int, int]:
    """Kind, class of a pronoun, number and gender."""
    head = candidate.head
    upos = sentence.upos[head]
    pronoun = pronoun_of(sentence, head, lexicon)
    if pronoun and (upos in PRONOMINAL or (candidate.end - candidate.start == 1 and upos == "NUM")):
        kind = SPEAKER if pronoun.lemma in SPEAKERS else THIRD_PERSON if pronoun.lemma in PERSONAL else DEMONSTRATIVE
        return kind, pronoun.lemma, pronoun.number, pronoun.gender
    kind = NAME if upos == "PROPN" else NOMINAL if upos == "NOUN" else OTHER
    number = number_of(sentence, head, lexicon)
    gender = gender_of(sentence, head, lexicon)
    last = candidate.end if kind == NAME else head + 1
    for word in range(candidate.start, last):
        form = lower[word]
        if kind == NAME or word == head:
            if form in lexicon.masculine or (kind == NAME and form in lexicon.masculine_names):
                gender = MASCULINE
            elif form in lexicon.feminine or (kind == NAME and form in lexicon.feminine_names):
                gender = FEMININE
            elif sentence.lemmas[word].lower() in lexicon.persons:
                gender = gender or PERSON
            else:
                continue
            break
    joined = any(
        sentence.deprels[word] == "conj" and sentence.heads[word] == head for word in range(head + 1, candidate.end)
    )
    return kind, "", PLURAL if joined else number, gender


def _bits(lemma: str, form: str, lexicon: ReferringWords) -> int:
    """The bit of a word, or the bits of its characters in a language without spaces; 0 for words without content."""
    if not lexicon.unspaced:
        return 0 if form in lexicon.empty else 1 << code(lemma.lower()) % 64
    bits = 0
    for character in form:
        if character not in lexicon.empty:
            bits |= 1 << code(character) % 64
    return bits


@lru_cache(1 << 17)
def code(text: str) -> int:
    """A stable code of a string; 0 for the empty string."""
    return crc32(text.encode(errors="surrogatepass")) if text else 0
