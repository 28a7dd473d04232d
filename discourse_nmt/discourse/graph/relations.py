"""The relations between words that are the edges of document graphs (spec 03, section 4).

Each function gives directed edges between word indices as two arrays, sources and targets; there are no loops. The time
is linear in the number of words and edges, but for sorting.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.spans import ranges

Edges = tuple[Integers, Integers]


def adjacency(sentences: Integers) -> Edges:
    """Adjacent words of a sentence, in both directions; ``sentences`` is the sentence of each word, ascending."""
    left = np.flatnonzero(sentences[1:] == sentences[:-1])
    return np.concatenate([left, left + 1]), np.concatenate([left + 1, left])


def dependency(nodes: Integers, heads: Integers) -> Edges:
    """From each head to its dependents.

    ``nodes`` is the node of each analyser word, -1 for none; ``heads`` is its head among these words, -1 for none.
    """
    dependents = np.flatnonzero(heads >= 0)
    sources, targets = nodes[heads[dependents]], nodes[dependents]
    linked = (sources >= 0) & (targets >= 0) & (sources != targets)
    return sources[linked], targets[linked]


def repetition(
    documents: Integers, forms: Sequence[str], lemmas: Sequence[str], linked: np.ndarray, most_frequent: int | None
) -> Edges:
    """From each word to every later one of its document with the same form or lemma, ignoring case.

    ``documents`` is the document of each word, ascending. Only words that are ``linked`` have edges. Words whose form
    or lemma occurs more than ``most_frequent`` times in the document have none, which bounds the edges of a word.
    """
    chosen = np.flatnonzero(linked)
    of_forms, of_lemmas = (
        _groups(documents[chosen], [names[word] for word in chosen.tolist()]) for names in (forms, lemmas)
    )
    if most_frequent is not None:
        rare = np.maximum(*(np.bincount(groups)[groups] for groups in (of_forms, of_lemmas))) <= most_frequent
        chosen, of_forms, of_lemmas = chosen[rare], of_forms[rare], of_lemmas[rare]
    earlier, later = pairs(of_forms)
    unlike = of_lemmas[earlier] != of_lemmas[later]
    sources, targets = (np.concatenate(both) for both in zip(pairs(of_lemmas), (earlier[unlike], later[unlike])))
    return chosen[sources], chosen[targets]


def coreference(chains: Integers, heads: Integers, all_pairs: bool) -> Edges:
    """From each mention of a chain to the next one, or with ``all_pairs`` to every later one.

    ``chains`` and ``heads`` are the chain and the head word (-1 for none) of each mention, in any order. Mentions of
    one chain with the same head word count once.
    """
    mentions = np.unique(np.stack([chains, heads], axis=1)[heads >= 0], axis=0)
    if all_pairs:
        earlier, later = pairs(mentions[:, 0])
    else:
        earlier = np.flatnonzero(mentions[1:, 0] == mentions[:-1, 0])
        later = earlier + 1
    return mentions[earlier, 1], mentions[later, 1]


def pairs(groups: Integers) -> Edges:
    """All pairs of indices with equal ``groups``, the smaller index first."""
    order = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[order], groups[order], side="right")
    after = np.arange(1, len(order) + 1)
    return np.repeat(order, ends - after), order[ranges(after, ends)]


def _groups(documents: Integers, names: Sequence[str]) -> Integers:
    """A group id for each word, equal for equal names in one document."""
    codes, different = pd.factorize(np.array([name.casefold() for name in names], object))
    groups: Integers = np.unique(documents * len(different) + codes, return_inverse=True)[1]
    return groups
