"""The relations between the words of a document that make its graph (spec 03, section 4).

Each function gives directed edges between numbered words as two arrays, sources and targets; no word is its own
neighbour. All take time in the number of words and edges.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from discourse_nmt.corpus.spans import Integers, ranges

Edges = tuple[Integers, Integers]
Bound = int | None


def adjacency(sentences: Integers) -> Edges:
    """Neighbours in a sentence, in both directions; ``sentences`` is that of each word, ascending."""
    left = np.flatnonzero(sentences[1:] == sentences[:-1])
    return np.concatenate([left, left + 1]), np.concatenate([left + 1, left])


def dependency(nodes: Integers, heads: Integers) -> Edges:
    """From the head to its dependent.

    ``nodes`` is the node of each of an analyser's words, -1 for none; ``heads`` its head among them, -1 for none.
    """
    dependents = np.flatnonzero(heads >= 0)
    sources, targets = nodes[heads[dependents]], nodes[dependents]
    kept = (sources >= 0) & (targets >= 0) & (sources != targets)
    return sources[kept], targets[kept]


def repetition(
    documents: Integers, forms: Sequence[str], lemmas: Sequence[str], kept: np.ndarray, most: Bound
) -> Edges:
    """From each word to every later one of its document with the same form or the same lemma, whatever their case.

    ``documents`` is that of each word, ascending. Words that are not ``kept`` have no edges, nor have those whose form
    or lemma is there more than ``most`` times in the document, which bounds the edges of a word.
    """
    chosen = np.flatnonzero(kept)
    of_forms, of_lemmas = (
        _groups(documents[chosen], [names[word] for word in chosen.tolist()]) for names in (forms, lemmas)
    )
    if most is not None:
        rare = np.maximum(*(np.bincount(groups)[groups] for groups in (of_forms, of_lemmas))) <= most
        chosen, of_forms, of_lemmas = chosen[rare], of_forms[rare], of_lemmas[rare]
    earlier, later = pairs(of_forms)
    unlike = of_lemmas[earlier] != of_lemmas[later]
    sources, targets = (np.concatenate(both) for both in zip(pairs(of_lemmas), (earlier[unlike], later[unlike])))
    return chosen[sources], chosen[targets]


def coreference(chains: Integers, heads: Integers, all_pairs: bool) -> Edges:
    """From each mention of a chain to the next one, or with ``all_pairs`` to every later one.

    ``chains`` and ``heads`` are the chain and the head word (-1 for none) of each mention, in any order. Mentions of
    one chain with one head count once.
    """
    found = np.unique(np.stack([chains, heads], axis=1)[heads >= 0], axis=0)
    if all_pairs:
        earlier, later = pairs(found[:, 0])
    else:
        earlier = np.flatnonzero(found[1:, 0] == found[:-1, 0])
        later = earlier + 1
    return found[earlier, 1], found[later, 1]


def pairs(groups: Integers) -> Edges:
    """Every two places with the same number in ``groups``, the earlier one first."""
    order = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[order], groups[order], side="right")
    after = np.arange(1, len(order) + 1)
    return np.repeat(order, ends - after), order[ranges(after, ends)]


def _groups(documents: Integers, names: Sequence[str]) -> Integers:
    """A number for each word, the same for the same name in the same document."""
    codes, different = pd.factorize(np.array([name.casefold() for name in names], object))
    numbers: Integers = np.unique(documents * len(different) + codes, return_inverse=True)[1]
    return numbers
