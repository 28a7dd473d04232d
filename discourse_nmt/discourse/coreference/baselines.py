"""Simple rules that a trained resolver must beat: the nearest agreeing antecedent of a pronoun, and equal nouns."""

from collections.abc import Sequence

import numpy as np

from discourse_nmt.discourse.coreference.agreement import consistent
from discourse_nmt.discourse.coreference.attributes import DEMONSTRATIVE, SPEAKER, Attributes, attributes_of
from discourse_nmt.discourse.coreference.lexicons.word_lists import UNKNOWN, ReferringWords
from discourse_nmt.discourse.structures.mentions import Chain, Mention, Span
from discourse_nmt.discourse.structures.syntax import Syntax


def rule_chains(document: Sequence[Syntax], lexicon: ReferringWords, pronouns: bool, nouns: bool) -> tuple[Chain, ...]:
    """Chains by rules, over the longest candidate of each head.

    ``pronouns``: a pronoun joins the nearest earlier mention, of this sentence or the three before, that agrees with it
    in number, gender and possible referents; pronouns of speaker and addressee join the nearest one of their group.
    ``nouns``: a noun or name joins the nearest earlier one with the same content words.
    """
    every = attributes_of(document, lexicon)
    mentions = every.chosen(np.flatnonzero(every["variant"] == 0))
    entities = list(range(len(mentions)))
    for index in range(len(mentions)):
        pronoun = mentions["kind"][index] <= DEMONSTRATIVE
        if pronouns and pronoun:
            fits = _agrees
        elif nouns and not pronoun:
            fits = _same_words
        else:
            continue
        for earlier in range(index - 1, -1, -1):
            if pronoun and mentions["sentence"][index] - mentions["sentence"][earlier] > 3:
                break
            if fits(mentions, index, earlier):
                entities[index] = entities[earlier]
                break
    chains: dict[int, list[Mention]] = {}
    for entity, (sentence, one) in zip(entities, mentions.candidates):
        mention = Mention(Span(sentence, one.start, one.end), Span(sentence, one.head, one.head + 1))
        chains.setdefault(entity, []).append(mention)
    return tuple(Chain(tuple(sorted(found))) for found in chains.values() if len(found) > 1)


def _agrees(mentions: Attributes, index: int, earlier: int) -> bool:
    if mentions["start"][earlier] <= mentions["start"][index] < mentions["end"][earlier]:
        return False  # a pronoun does not refer to the phrase that holds it
    if SPEAKER in (mentions["kind"][index], mentions["kind"][earlier]):
        return bool(mentions["group"][index] == mentions["group"][earlier])
    for name in ("number", "gender"):
        values = {int(mentions[name][index]), int(mentions[name][earlier])} - {UNKNOWN}
        if len(values) > 1:
            return False
    return bool(consistent(mentions["agreement"][index] & mentions["agreement"][earlier]))


def _same_words(mentions: Attributes, index: int, earlier: int) -> bool:
    content = mentions["content"][index]
    return bool(content != 0 and content == mentions["content"][earlier] and mentions["kind"][earlier] > DEMONSTRATIVE)
