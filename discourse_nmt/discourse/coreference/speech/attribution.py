"""Attribution: the verb of saying beside a quotation, and the words that name who says it and to whom."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from discourse_nmt.discourse.coreference.inflection import pronoun_of
from discourse_nmt.discourse.coreference.lexicons.word_lists import PERSONAL, SPEAKERS, ReferringWords
from discourse_nmt.discourse.coreference.speech.quotations import Quotations
from discourse_nmt.discourse.structures.syntax import Syntax

Word = tuple[int, int]
"""A sentence and a word in it."""
NEAR = 8  # words between a quotation and the verb of saying in its sentence
FIRST = 4  # words of the next sentence with the verb among them
BEFORE = (":", "：", ",", "，")  # the sentence before ends with one of these, if it has the verb
ADDRESSEES = frozenset((*SPEAKERS, *PERSONAL)) - {"it"}


class Attribution(NamedTuple):
    """The verb of saying, and the head words of its subject and of the person spoken to, None if it names none."""

    verb: Word
    speaker: Word
    addressee: Word | None


def attribution_of(
    number: int,
    words: Sequence[Word],
    quotations: Quotations,
    document: Sequence[Syntax],
    lexicon: ReferringWords,
) -> Attribution | None:
    """The attribution of the quotation of this ``number``, which has these ``words``, or None.

    The nearest verb of saying with a subject counts, if both are outside: in a sentence of the quotation, in the next
    one if the quotation ends with its sentence, or in the one before a colon or comma.
    """
    outside = quotations.around[number]
    for sentence, word in _beside(words, document, lexicon):
        syntax = document[sentence]
        if syntax.lemmas[word].lower() not in lexicon.saying or syntax.upos[word] not in ("VERB", "AUX"):
            continue
        levels = quotations.innermost[sentence]
        speaker = _subject(syntax, word)
        if speaker is None or {levels[word], levels[speaker]} != {outside}:
            continue
        told = _told(syntax, word, lexicon)
        addressee = (sentence, told) if told is not None and levels[told] == outside else None
        return Attribution((sentence, word), (sentence, speaker), addressee)
    return None


def _beside(words: Sequence[Word], document: Sequence[Syntax], lexicon: ReferringWords) -> Iterator[Word]:
    """The words beside a quotation: in its own sentences, the nearest first, in the next one, in the one before."""
    (first_sentence, first), (last_sentence, last) = words[0], words[-1]
    before = [(first - word, (first_sentence, word)) for word in range(max(0, first - NEAR), first)]
    inside = set(words)  # a dash or an inner quotation divides it
    end = min(last + NEAR + 1, len(document[last_sentence].forms))
    after = [(word - last, (last_sentence, word)) for word in range(last + 1, end)]
    between = [
        (0, (first_sentence, word))
        for word in range(first + 1, last if first_sentence == last_sentence else first)
        if (first_sentence, word) not in inside
    ]
    yield from (word for _, word in sorted((*before, *between, *after)))
    following, earlier = last_sentence + 1, first_sentence - 1
    if following < len(document) and last + 2 >= len(document[last_sentence].forms):
        forms = document[following].forms
        if forms and (lexicon.unspaced or forms[0][:1].islower()):
            yield from ((following, word) for word in range(min(FIRST, len(forms))))
    if earlier >= 0 and first == 0 and document[earlier].forms[-1:] and document[earlier].forms[-1] in BEFORE:
        yield from ((earlier, word) for word in reversed(range(len(document[earlier].forms))))


def _subject(sentence: Syntax, verb: int) -> int | None:
    """The subject of a verb, of the verb that it is joined to, or of a clause before it: Chinese does not repeat it."""
    subject_of = {
        head: word
        for word, head in reversed(list(enumerate(sentence.heads)))
        if sentence.deprels[word].startswith("nsubj")
    }
    joined = verb
    for _ in sentence.forms:  # a parse that is no tree must not hold us here
        if joined in subject_of or sentence.deprels[joined] not in ("conj", "parataxis"):
            break
        joined = sentence.heads[joined]
    if joined in subject_of:
        return subject_of[joined]
    clauses = [word for word in range(verb) if sentence.heads[word] == verb and sentence.deprels[word] == "advcl"]
    return next((subject_of[clause] for clause in clauses if clause in subject_of), None)


def _told(sentence: Syntax, verb: int, lexicon: ReferringWords) -> int | None:
    """The person that a complement of a verb of saying names."""
    for word, head in enumerate(sentence.heads):
        relation = sentence.deprels[word].partition(":")[0]
        if head != verb or relation not in ("obj", "iobj", "obl"):
            continue
        cases = {
            sentence.lemmas[case].lower()
            for case, above in enumerate(sentence.heads)
            if above == word and sentence.deprels[case] == "case"
        }
        if relation == "obl" and not cases & lexicon.addressing:
            continue
        pronoun = pronoun_of(sentence, word, lexicon)
        if pronoun is not None and pronoun.lemma in ADDRESSEES:
            return word
        if sentence.forms[word].lower() in lexicon.reflexive or sentence.upos[word] == "PROPN":
            return word
        if sentence.lemmas[word].lower() in lexicon.persons | lexicon.masculine | lexicon.feminine:
            return word
    return None
