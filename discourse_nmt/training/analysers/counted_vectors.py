"""Vectors of words, counted in raw text: what stands one and two words before and after a word.

Positive pointwise mutual information of words and neighbours by position, smoothed as by Levy, Goldberg and Dagan
(2015), in fewer dimensions by a singular value decomposition.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

WINDOW = 2  # words on each side
NEIGHBOURS = 2000  # most frequent words that count as neighbours
SMOOTHING = 0.75  # exponent of the counts of neighbours


def counted_vectors(
    sentences: Sequence[Sequence[str]], words: int, width: int, seed: int = 1
) -> tuple[list[str], npt.NDArray[np.float32]]:
    """The most frequent words, at most ``words``, that occur at least three times, and their vectors [words, width].

    The beginning and the end of a sentence are neighbours, too. The width is smaller if there are few words.
    """
    counts = Counter(word for sentence in sentences for word in sentence)
    known = [word for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count > 2][:words]
    pairs, columns = _pairs(sentences, known)
    places, seen = np.unique(pairs, return_counts=True)
    rows, neighbours = places // columns, places % columns
    of_word = np.bincount(rows, seen, len(known))
    of_neighbour = np.bincount(neighbours, seen, columns) ** SMOOTHING
    expected = of_word[rows] * of_neighbour[neighbours] / max(of_neighbour.sum(), 1)
    information = np.log(seen / expected)
    positive = information > 0
    matrix = torch.sparse_coo_tensor(
        torch.from_numpy(np.stack([rows, neighbours])[:, positive]),
        torch.from_numpy(information[positive].astype(np.float32)),
        (len(known), columns),
        check_invariants=True,
    ).coalesce()
    torch.manual_seed(seed)
    width = min(width, len(known), columns)
    left, values, _ = torch.svd_lowrank(matrix, q=min(width + 16, len(known), columns), niter=3)
    return known, (left[:, :width] * values[:width].sqrt()).numpy()


def _pairs(sentences: Sequence[Sequence[str]], known: Sequence[str]) -> tuple[npt.NDArray[np.int64], int]:
    """Every pair of a known word and a neighbour as ``row * columns + column``, and the number of columns.

    Each of the ``2 * WINDOW`` positions has a column for each neighbour and one for the edge of the sentence.
    """
    number = {word: place for place, word in enumerate(known)}
    common = min(NEIGHBOURS, len(known))
    columns = 2 * WINDOW * (common + 1)
    edge = np.full(WINDOW, common)
    found = [np.zeros(0, np.int64)]
    for sentence in sentences:
        ids = np.array([number.get(word, -1) for word in sentence], np.int64)
        line = np.concatenate([edge, np.where(ids < common, ids, -1), edge])
        for position in range(2 * WINDOW):
            first = position + (position >= WINDOW)  # the word itself is no neighbour
            neighbours = line[first : first + len(ids)]
            kept = (ids >= 0) & (neighbours >= 0)
            found.append(ids[kept] * columns + position * (common + 1) + neighbours[kept])
    return np.concatenate(found), columns
