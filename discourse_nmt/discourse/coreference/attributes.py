"""Numeric attributes of candidate mentions, computed before pairs are compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np
import numpy.typing as npt

from discourse_nmt.discourse.coreference.agreement import bits_of, quoted_words
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
from discourse_nmt.discourse.structures.syntax import Syntax

Codes = npt.NDArray[np.uint64]

# Kinds of mentions, by their heads.
SPEAKER, THIRD_PERSON, DEMONSTRATIVE, NAME, NOMINAL, OTHER = range(6)
COLUMNS = (
    # where it stands
    *("sentence", "start", "end", "head", "governor", "variant", "variants", "position"),
    # what it is
    *("kind", "group", "number", "gender", "definite", "reflexive", "length"),
    # its words
    *("lemma", "form", "upos", "xpos", "relation", "full_relation", "governor_lemma", "governor_upos"),
    *("first", "last", "before", "after", "before_tag", "after_tag", "last_tag", "inside", "outside"),
    *("text", "content", "words", "initials", "modifier", "governor_relation", "agreement"),
)


@dataclass(frozen=True)
class Attributes:
    """Attributes of the mentions of a document, in text order: arrays [mentions] (uint64) by the names of
    :data:`COLUMNS`.

    ``start``, ``end`` and ``head`` count the words of the document; ``governor`` is the word on which the head
    depends, the number of words of the document for none. Strings are codes; ``words`` is a set of content words (of
    characters in a language without spaces), one bit each (lemmas may share a bit).
    """

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
    candidates: list[tuple[int, Candidate]] = []
    words = sum(len(sentence.forms) for sentence in document)
    offset = 0
    for number, (sentence, quoted) in enumerate(zip(document, quoted_words(document, lexicon))):
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
                row = _row(sentence, candidate, lower, forms, tags, bits, quoted[candidate.head], lexicon)
                candidates.append((number, candidate))
                head = sentence.heads[candidate.head]
                word_columns = (
                    offset + candidate.start,
                    offset + candidate.end,
                    offset + candidate.head,
                    offset + head if head >= 0 else words,
                )
                rows.append((number, *word_columns, candidate.variant, variants[candidate.head], min(number, 2), *row))
        offset += len(sentence.forms)
    table = np.array(rows, np.uint64).reshape(-1, len(COLUMNS))
    return Attributes(dict(zip(COLUMNS, np.ascontiguousarray(table.T))), tuple(candidates))


def _row(
    sentence: Syntax,
    candidate: Candidate,
    lower: list[str],
    forms: list[int],
    tags: list[int],
    bits: list[int],
    quoted: bool,
    lexicon: ReferringWords,
) -> tuple[int, ...]:
    """Attributes that do not depend on the sentence's place in the document."""
    head, start, end = candidate.head, candidate.start, candidate.end
    governor = sentence.heads[head]
    kind, group, number, gender = _nature(sentence, candidate, lower, lexicon)
    determiner = lexicon.determiners.get(lower[start], "") if end - start > 1 else ""
    if not determiner and any(sentence.deprels[word] == lexicon.possessive[1] for word in range(start, head)):
        determiner = "possessive"
    covered = 0
    for word in range(start, end):
        covered |= bits[word]
    words = lower[start:end]
    if lexicon.unspaced:
        text = "".join(words)
        content = "".join(character for character in text if character not in lexicon.empty)
    else:
        text = " ".join(words)
        content = " ".join(word for word in words if word not in lexicon.empty)
    initials = "".join(form[0] for form in sentence.forms[start:end] if form[:1].isupper())
    single = end - start == 1 and sentence.forms[start].isupper()
    return (
        kind,
        code(group or determiner or sentence.upos[head]),
        number,
        gender,
        code(determiner),
        int(lower[head] in lexicon.reflexive),
        min(end - start, 6 if end - start < 10 else 7),
        code(sentence.lemmas[head].lower()),
        forms[head],
        tags[head],
        code(sentence.xpos[head]),
        code(sentence.deprels[head].partition(":")[0]),
        code(sentence.deprels[head]),
        code(sentence.lemmas[governor]) if governor >= 0 else 0,
        tags[governor] if governor >= 0 else 0,
        forms[start],
        forms[end - 1],
        forms[start - 1] if start else 0,
        forms[end] if end < len(forms) else 0,
        tags[start - 1] if start else 0,
        tags[end] if end < len(forms) else 0,
        tags[end - 1],
        code(sentence.deprels[candidate.inside]) if candidate.inside >= 0 else 0,
        code(sentence.deprels[candidate.outside]) if candidate.outside >= 0 else 0,
        code(text),
        code(content),
        covered,
        code(sentence.forms[start].replace(".", "") if single else initials) if single or len(initials) > 1 else 0,
        forms[head - 1] if head > start else 0,
        code(sentence.deprels[governor]) if governor >= 0 else 0,
        bits_of(sentence, candidate, group, quoted, lexicon),
    )


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
