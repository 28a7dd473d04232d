"""The words in a cache of source words before each sentence of a document (spec 05, section 4).

The theme-rheme cache takes the words of a document one after the other, each with a score:

    while there is room         it is stored
    score below the lowest      it is left out
    its type is stored          it replaces this entry, even with a lower score
    otherwise                   it replaces the entry with the lowest score

Of several entries of its type the one with the lowest score is replaced, of several with the lowest score the first.
The words of a sentence enter after it, so that the cache is empty before a document's first sentence.

Words that age are ranked by score times recency, 2^(-age / half-life) for an age in sentences. While a word is stored
that rank falls as fast as that of every other word, so that log2 score + sentence / half-life ranks them once for all
(:func:`aged`), and the rules stay the same.

The entries follow from types and scores alone, so that they are known for all sentences of a document before any of
them is translated. Documents are processed in parallel.
"""

import numpy as np

from discourse_nmt.base.arrays import Integers, Reals

EMPTY = -1  # a slot of the cache that holds no word


def scored_trace(types: Integers, scores: Reals, lengths: Integers, size: int, dedup: bool) -> Integers:
    """The cache of P documents after each of their words: [T + 1, P, C], words by their index in the document.

    ``types`` and ``scores`` [T, P] are those of the words that may be stored, in text order; document p has
    ``lengths[p]`` of them, at most T. Free slots of the C = ``size`` are :data:`EMPTY`, and the
    last ones. With ``dedup`` a type that is stored is replaced also while there is room. The state after the last word
    of a shorter document is repeated.
    """
    steps, documents = types.shape
    history = np.full((steps + 1, documents, size), EMPTY, np.int64)
    order = np.argsort(-lengths, kind="stable")  # the unfinished documents are always the first ones
    types, scores = types[:, order], scores[:, order]
    going_on = (lengths[:, None] > np.arange(steps)).sum(axis=0).tolist()
    words, kinds = history[0].copy(), history[0].copy()
    values = np.full((documents, size), -np.inf)  # of free slots, which then have the lowest score
    for step, count in enumerate(going_on):
        streams, stored, score, kind = np.arange(count), values[:count], scores[step, :count], types[step, :count]
        lowest = stored.argmin(axis=1)
        least = stored[streams, lowest]
        same = kinds[:count] == kind[:, None]
        lowest_same = np.where(same, stored, np.inf).argmin(axis=1)
        replaces = same.any(axis=1) & (dedup | (least > -np.inf))
        enters = streams[score >= least]
        place = np.where(replaces, lowest_same, lowest)[enters]
        words[enters, place], kinds[enters, place], values[enters, place] = step, kind[enters], score[enters]
        history[step + 1] = words
    back = np.empty_like(order)
    back[order] = np.arange(documents)
    return history[:, back]


def aged(scores: Reals, sentences: Integers, half_life: float) -> Reals:
    """Ranks for :func:`scored_trace` of words with these ``scores`` from 0 to 1, of the ``sentences`` of a document."""
    ranks: Reals = np.log2(np.maximum(scores, np.finfo(np.float64).tiny)) + sentences / half_life
    return ranks


def recent_trace(steps: int, documents: int, size: int) -> Integers:
    """The ``size`` most recent words after each of T = ``steps`` words of P ``documents``, as :func:`scored_trace`."""
    newest = np.arange(steps + 1)[:, None] - 1 - np.arange(size)
    return np.repeat(np.where(newest < 0, EMPTY, newest)[:, None], documents, axis=1)
