"""Candidate mentions: spans from the dependencies of a sentence.

A mention is a nominal word with its dependents, except those that only link it to its clause (prepositions,
conjunctions, punctuation; subject and copula of a predicate nominal). Its end is less certain: modifiers, appositions
and conjuncts on the right may or may not belong to it. Every head therefore has several spans, one for each dependent
on its right where the span may end, and a network chooses among them. Subject clauses are candidates, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from discourse_nmt.discourse.coreference.lexicons.word_lists import ReferringWords
from discourse_nmt.discourse.structures.syntax import Syntax

NOMINAL = frozenset(("NOUN", "PROPN", "PRON", "NUM"))
OTHER = frozenset(("ADJ", "DET", "SYM", "X", "INTJ", "ADV"))  # mentions in the position of a nominal
NOMINAL_RELATIONS = frozenset(
    ("nsubj", "obj", "iobj", "obl", "nmod", "appos", "root", "conj", "dislocated", "vocative")
)
# Dependents before the head that are not part of the mention, nor is any word before them.
OUTSIDE = frozenset(
    (
        *("case", "cc", "mark", "nsubj", "csubj", "cop", "aux", "expl", "discourse", "reparandum", "vocative"),
        *("parataxis", "advcl", "dislocated", "obl", "orphan", "obj", "ccomp"),
    )
)
OPTIONAL = frozenset(("advmod", "cc:preconj", "det:predet"))  # dependents before the head that may be part of it
SUFFIX = "PART"  # the tag of suffixes that are words: Chinese 科学 | 家
NAME_DOTS = frozenset("·‧・•-－")  # divide the parts of a name in a text without spaces
NAMING = frozenset(("NOUN", "PROPN", "PRON", "X", SUFFIX))
EARLIER = 4  # words before the head with which a mention may begin against the parse
WITHIN_NAMES = frozenset(("flat", "fixed", "goeswith"))  # parts of one name or expression
OPENING, CLOSING = "([{“‘", ")]}”’"
PAIRS = dict(zip(CLOSING, OPENING))
LONGEST = 80  # words; longer spans are not candidates
ENDS = 8  # most ends per head, the nearest ones


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words ``[start, end)`` of a sentence around ``head``.

    ``inside`` is the last dependent on the right of the head inside the span, ``outside`` the first one outside, -1 for
    none. ``variant`` is the index of the span among those of this head, the longest first.
    """

    start: int
    end: int
    head: int
    inside: int
    outside: int
    variant: int


def candidates_of(sentence: Syntax, lexicon: ReferringWords) -> list[Candidate]:
    """Candidates of a sentence in text order, longer ones first; none without dependencies."""
    count = len(sentence.forms)
    heads = sentence.heads
    if not any(head >= 0 for head in heads) and set(sentence.deprels) <= {"_"}:
        return []
    first, last = extents(heads)
    dependents: list[list[int]] = [[] for _ in range(count)]
    for word, head in enumerate(heads):
        if head >= 0:
            dependents[head].append(word)
    candidates: dict[tuple[int, int], Candidate] = {}
    for head in range(count):
        if sentence.deprels[head].startswith("csubj"):  # what "it" in "it is good to sleep" stands for
            start, end = first[head], _trimmed(sentence, head, last[head] + 1)
            while start < head and sentence.upos[start] == "PUNCT":
                start += 1
            if end - start <= LONGEST:
                candidates[start, end] = Candidate(start, end, head, -1, -1, 0)
        if not _may_head(sentence, head, lexicon):
            continue
        variant = 0
        left = [word for word in dependents[head] if word < head]
        right = [word for word in dependents[head] if word > head]
        starts = _starts(sentence, head, left, first, last)
        spans = [
            (start, end, inside, outside)
            for inside, outside, end in _ends(sentence, head, right, first, last)
            for start in starts
        ]
        if lexicon.unspaced:  # Chinese nouns end their phrases, whatever the parse attaches to them
            outside = right[0] if right else -1
            spans = [span for span in spans if span[1] == head + 1 or sentence.deprels[span[1] - 1] != "case"]
            spans += [(start, head + 1, -1, outside) for start in (*starts, *_earlier(sentence, head, lexicon))]
        for start, end, inside, outside in spans:
            if start <= head < end and end - start <= LONGEST and (start, end) not in candidates:
                candidates[start, end] = Candidate(start, end, head, inside, outside, variant)
                variant += 1
    return sorted(candidates.values(), key=lambda candidate: (candidate.start, -candidate.end))


def extents(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """First and last word of every word's subtree."""
    first, last = list(range(len(heads))), list(range(len(heads)))
    for word, above in enumerate(heads):
        while above >= 0 and (word < first[above] or word > last[above]):
            first[above] = min(word, first[above])
            last[above] = max(word, last[above])
            above = heads[above]
    return first, last


def _may_head(sentence: Syntax, word: int, lexicon: ReferringWords) -> bool:
    upos, relation = sentence.upos[word], sentence.deprels[word].partition(":")[0]
    if relation in WITHIN_NAMES:
        return False
    if upos in NOMINAL:
        return True
    if upos == lexicon.possessive[0] and lexicon.shows_possessor(sentence.forms[word].lower(), sentence.deprels[word]):
        return True
    if upos == "ADV":
        return sentence.lemmas[word].lower() in lexicon.adverbs
    return (upos in OTHER or (upos == SUFFIX and lexicon.unspaced)) and relation in NOMINAL_RELATIONS


def _starts(sentence: Syntax, head: int, left: list[int], first: list[int], last: list[int]) -> list[int]:
    """Possible first words of a mention with this head: with and without dependents that may be part of it."""
    start = min(first[head], head)
    inside: list[int] = []
    for word in left:
        relation = sentence.deprels[word]
        if relation not in OPTIONAL and relation.partition(":")[0] in OUTSIDE:
            start = max(start, min(last[word], head - 1) + 1)
            inside = []
        else:
            inside.append(word)
    starts = []
    for word in [*inside, head]:
        start = max(start, min(first[word], word))
        while start < head and sentence.upos[start] == "PUNCT" and sentence.forms[start] not in OPENING:
            start += 1
        if start < head and sentence.forms[start] in OPENING and sentence.deprels[start] == "punct":
            start += 1
        starts.append(start)
        if word == head or (sentence.deprels[word] not in OPTIONAL and sentence.upos[word] != "PUNCT"):
            break
        start = min(last[word], head - 1) + 1
    return list(dict.fromkeys(starts))


def _earlier(sentence: Syntax, head: int, lexicon: ReferringWords) -> list[int]:
    """The head and the words just before it as first words of mentions, whatever the parse attaches to the head: the
    parts of names, or a title and its name, are often divided wrongly in a language without spaces."""
    starts = [head]
    naming = sentence.upos[head] in NAMING and not sentence.deprels[head].startswith("clf")
    if not naming or sentence.forms[head] in lexicon.pronouns:
        return starts
    for word in range(head - 1, max(-1, head - 1 - EARLIER), -1):
        form = sentence.forms[word]
        if form in NAME_DOTS or sentence.deprels[word] == "clf":
            continue
        if sentence.upos[word] == "PUNCT" or (form in lexicon.empty and form not in lexicon.determiners):
            break
        starts.append(word)
    return starts


def _ends(
    sentence: Syntax, head: int, right: list[int], first: list[int], last: list[int]
) -> list[tuple[int, int, int]]:
    """Possible ends of mentions with this head, the farthest first: (last dependent inside, first outside, end)."""
    ends = []
    possible = [word for word in right if sentence.upos[word] not in ("PUNCT", "CCONJ")][:ENDS]
    inside = -1
    for word in possible:
        if sentence.deprels[word].partition(":")[0] not in WITHIN_NAMES:
            ends.append((inside, word, _trimmed(sentence, head, max(head + 1, first[word]))))
        inside = word
    if len(possible) < ENDS:
        ends.append((inside, -1, _trimmed(sentence, head, last[head] + 1)))
    last_reading = {end: (inside, outside, end) for inside, outside, end in ends}
    return sorted(last_reading.values(), key=lambda reading: -reading[2])


def _trimmed(sentence: Syntax, head: int, end: int) -> int:
    """``end`` before closing punctuation and conjunctions, but after a bracket or quote that opens inside."""
    while end > head + 1:
        form = sentence.forms[end - 1]
        if sentence.upos[end - 1] == "PUNCT":
            opening = PAIRS.get(form, form if form in "\"'" else "")
            if opening and opening in sentence.forms[head + 1 : end - 1]:
                break
        elif sentence.deprels[end - 1] != "cc":
            break
        end -= 1
    return end
