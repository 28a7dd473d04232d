"""Projection: the mentions of one side of parallel text, carried over word alignments to the other side.

A mention becomes the candidate (``candidates.py``) of the other side's parse that has the aligned head word and shares
most words with the aligned ones. So a projected mention is a contiguous span that a resolver of that language can find.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Literal

from discourse_nmt.discourse.coreference.candidates import Candidate, candidates_of
from discourse_nmt.discourse.coreference.lexicons.word_lists import ReferringWords
from discourse_nmt.discourse.coreference.resolver import ResolvedMention
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, EntityMention
from discourse_nmt.discourse.structures.parallel import ParallelDocument
from discourse_nmt.discourse.structures.syntax import Syntax

LEAST_SHARED = 0.5  # least Dice coefficient of candidate and aligned words where the head has no candidate

Outcome = Literal["projected", "unaligned", "no candidate", "place taken"]


@dataclass(frozen=True)
class Projection:
    """The projected mentions over the words of the other side, and how many mentions had which outcome.

    Keys of ``outcomes`` are an outcome and ``chain`` or ``alone`` for the mention's number of fellows.
    """

    document: CoreferenceDocument
    outcomes: Counter[tuple[Outcome, str]]


def project(document: ParallelDocument, mentions: Sequence[ResolvedMention], lexicon: ReferringWords) -> Projection:
    """Carry ``mentions`` of the first side to the other side, whose language ``lexicon`` knows.

    Left out are mentions without an aligned word (*unaligned*), mentions whose aligned words no candidate covers
    (*no candidate*), and mentions whose span is that of an earlier mention (*place taken*). Mentions of chains come
    first, then single ones; each in text order. Where the language repeats names, phrases written like several
    mentions of an entity join it (:func:`with_repeated_texts`).
    """
    target_words = document.linked_words()
    candidates = [candidates_of(sentence, lexicon) for sentence in document.to_sentences]
    free_words: list[set[int]] = []
    if lexicon.unspaced:
        linked: list[set[int]] = [set() for _ in document.to_sentences]
        for number, word in (word for words in target_words for word in words if word is not None):
            linked[number].add(word)
        free_words = [_free_words(*pair) for pair in zip(document.to_sentences, linked)]
    starts = [0, *accumulate(len(sentence.forms) for sentence in document.to_sentences)]
    sizes = Counter(mention.entity for mention in mentions)
    outcomes: Counter[tuple[Outcome, str]] = Counter()
    entities: dict[tuple[int, int], EntityMention] = {}
    for mention in sorted(mentions, key=lambda mention: sizes[mention.entity] == 1):
        found = _place(mention, target_words, candidates, free_words)
        outcome: Outcome
        if isinstance(found, str):
            outcome = found
        else:
            sentence, candidate = found
            place = starts[sentence] + candidate.start, starts[sentence] + candidate.end
            entity = str(mention.entity + 1)
            outcome = "place taken" if place in entities or _crosses(place, entity, entities) else "projected"
            if outcome == "projected":
                entities[place] = EntityMention(*place, entity, mention.type)
        outcomes[outcome, "chain" if sizes[mention.entity] > 1 else "alone"] += 1
    forms = tuple(sentence.forms for sentence in document.to_sentences)
    projected = CoreferenceDocument(document.name, forms, tuple(sorted(entities.values())))
    if lexicon.repeats_names:
        projected = with_repeated_texts(projected, document.to_sentences, lexicon)
    return Projection(projected, outcomes)


def with_repeated_texts(
    document: CoreferenceDocument, sentences: Sequence[Syntax], lexicon: ReferringWords
) -> CoreferenceDocument:
    """The document with more mentions: phrases written like two mentions or more of one entity, and of no other.

    Such a name is not aligned where English has a pronoun, or no word. Pronouns are left out, since they refer to many.
    """
    words = [word.lower() for sentence in sentences for word in sentence.forms]
    joiner = "" if lexicon.unspaced else " "
    entities = {(one.start, one.end): one for one in document.mentions}
    written: dict[str, list[EntityMention]] = {}
    for one in document.mentions:
        written.setdefault(joiner.join(words[one.start : one.end]), []).append(one)
    known = {
        text: found[0]
        for text, found in written.items()
        if len(found) > 1 and len({one.entity for one in found}) == 1 and text not in lexicon.pronouns
    }
    first = 0
    for sentence in sentences:
        for candidate in candidates_of(sentence, lexicon):
            place = first + candidate.start, first + candidate.end
            model = known.get(joiner.join(words[slice(*place)]))
            if model is not None and place not in entities and not _crosses(place, model.entity, entities):
                entities[place] = EntityMention(*place, model.entity, model.type)
        first += len(sentence.forms)
    return replace(document, mentions=tuple(sorted(entities.values())))


def chains_only(document: CoreferenceDocument) -> CoreferenceDocument:
    """The document without chains of one mention."""
    sizes = Counter(mention.entity for mention in document.mentions)
    several = tuple(mention for mention in document.mentions if sizes[mention.entity] > 1)
    return CoreferenceDocument(document.name, document.sentences, several, document.part)


def _place(
    mention: ResolvedMention,
    target_words: Sequence[Sequence[tuple[int, int] | None]],
    candidates: Sequence[Sequence[Candidate]],
    free_words: Sequence[set[int]],
) -> tuple[int, Candidate] | Outcome:
    """Sentence and candidate of a mention on the other side, or why there is none.

    ``free_words`` are those of each sentence that need no link; empty for a language with spaces. Without spaces, the
    parts of a name are often no dependents of each other: any candidate around the aligned head counts, the longer the
    better.
    """
    span, head = mention.mention.span, mention.mention.head
    linked = [word for word in target_words[span.sentence][span.start : span.end] if word is not None]
    if not linked:
        return "unaligned"
    head_word = target_words[head.sentence][head.start]
    sentence = head_word[0] if head_word else Counter(number for number, _ in linked).most_common(1)[0][0]
    words = {word for number, word in linked if number == sentence}
    free = free_words[sentence] if free_words else set()
    at = head_word[1] if head_word else -1

    def likeness(one: Candidate) -> tuple[float, bool, int]:
        length = one.end - one.start
        return _dice(one, words, free), one.head == at, length if free_words else -length

    headed = [one for one in candidates[sentence] if one.head == at or (free_words and one.start <= at < one.end)]
    best = max(headed or candidates[sentence], key=likeness, default=None)
    if best is None or (not headed and (span.end - span.start == 1 or _dice(best, words, free) < LEAST_SHARED)):
        return "no candidate"
    return sentence, best


def _free_words(sentence: Syntax, linked: set[int]) -> set[int]:
    """Words of a mention that need no link: determiners, numbers, measure words, particles and dots, for which English
    has often no word, and parts of names that are not ``linked``, since an English word is linked with one of them."""
    return {
        word
        for word, (upos, relation) in enumerate(zip(sentence.upos, sentence.deprels))
        if upos in ("DET", "NUM", "PART", "PUNCT")
        or relation == "clf"
        or (upos in ("PROPN", "X") and word not in linked)
    }


def _dice(candidate: Candidate, words: set[int], free: set[int]) -> float:
    """Dice coefficient of a candidate's words and the aligned ``words``; ``free`` words that are not aligned do not
    count."""
    own = [word for word in range(candidate.start, candidate.end) if word in words or word not in free]
    return 2 * sum(word in words for word in own) / (len(own) + len(words))


def _crosses(place: tuple[int, int], entity: str, entities: dict[tuple[int, int], EntityMention]) -> bool:
    """Whether a span overlaps one of its own entity without one inside the other, which files cannot hold."""
    start, end = place
    return any(
        other.entity == entity and (start < other.start < end < other.end or other.start < start < other.end < end)
        for other in entities.values()
    )
