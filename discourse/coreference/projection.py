"""Projection: the mentions of one side of parallel text, carried over word alignments to the other side.

A mention becomes the candidate (``candidates.py``) of the other side's parse that has the aligned head word and shares
most words with the aligned ones. So a projected mention is a contiguous span that a resolver of that language can find.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from discourse_nmt.discourse.coreference.candidates import Candidate, candidates_of
from discourse_nmt.discourse.coreference.lexicons.word_lists import ReferringWords
from discourse_nmt.discourse.coreference.resolver import ResolvedMention
from discourse_nmt.discourse.formats.coreference import CoreferenceDocument, EntityMention
from discourse_nmt.discourse.structures.parallel import ParallelDocument

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
    first, then single ones; each in text order.
    """
    target_words = document.linked_words()
    candidates = [candidates_of(sentence, lexicon) for sentence in document.to_sentences]
    starts = [0, *accumulate(len(sentence.forms) for sentence in document.to_sentences)]
    sizes = Counter(mention.entity for mention in mentions)
    outcomes: Counter[tuple[Outcome, str]] = Counter()
    entities: dict[tuple[int, int], EntityMention] = {}
    for mention in sorted(mentions, key=lambda mention: sizes[mention.entity] == 1):
        found = _place(mention, target_words, candidates)
        outcome: Outcome
        if isinstance(found, str):
            outcome = found
        else:
            sentence, candidate = found
            place = starts[sentence] + candidate.start, starts[sentence] + candidate.end
            outcome = "place taken" if place in entities or _crosses(place, mention.entity, entities) else "projected"
            if outcome == "projected":
                entities[place] = EntityMention(*place, str(mention.entity + 1), mention.type)
        outcomes[outcome, "chain" if sizes[mention.entity] > 1 else "alone"] += 1
    forms = tuple(sentence.forms for sentence in document.to_sentences)
    return Projection(CoreferenceDocument(document.name, forms, tuple(sorted(entities.values()))), outcomes)


def chains_only(document: CoreferenceDocument) -> CoreferenceDocument:
    """The document without chains of one mention."""
    sizes = Counter(mention.entity for mention in document.mentions)
    several = tuple(mention for mention in document.mentions if sizes[mention.entity] > 1)
    return CoreferenceDocument(document.name, document.sentences, several, document.part)


def _place(
    mention: ResolvedMention,
    target_words: Sequence[Sequence[tuple[int, int] | None]],
    candidates: Sequence[Sequence[Candidate]],
) -> tuple[int, Candidate] | Outcome:
    """Sentence and candidate of a mention on the other side, or why there is none."""
    span, head = mention.mention.span, mention.mention.head
    linked = [word for word in target_words[span.sentence][span.start : span.end] if word is not None]
    if not linked:
        return "unaligned"
    head_word = target_words[head.sentence][head.start]
    sentence = head_word[0] if head_word else Counter(number for number, _ in linked).most_common(1)[0][0]
    words = {word for number, word in linked if number == sentence}
    headed = [one for one in candidates[sentence] if head_word and one.head == head_word[1]]
    best = max(headed or candidates[sentence], key=lambda one: (_dice(one, words), one.start - one.end), default=None)
    if best is None or (not headed and (span.end - span.start == 1 or _dice(best, words) < LEAST_SHARED)):
        return "no candidate"
    return sentence, best


def _dice(candidate: Candidate, words: set[int]) -> float:
    shared = sum(candidate.start <= word < candidate.end for word in words)
    return 2 * shared / (candidate.end - candidate.start + len(words))


def _crosses(place: tuple[int, int], entity: int, entities: dict[tuple[int, int], EntityMention]) -> bool:
    """Whether a span overlaps one of its own entity without one inside the other, which files cannot hold."""
    start, end = place
    return any(
        other.entity == str(entity + 1)
        and (start < other.start < end < other.end or other.start < start < other.end < end)
        for other in entities.values()
    )
