"""Random documents with discourse trees.

The tree over sentences is made top down. A span is split between two sentences until spans are single sentences. Of
two neighbouring spans the first is the nucleus with probability 0.7; the head of a span is that of its nucleus. The
units of a sentence are related in the same way, and their root stands for the sentence.
"""

import numpy as np

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.vocabulary import SPECIALS
from discourse_nmt.models.packed.instances import Instance

NUCLEUS_FIRST = 0.7


def document(lengths: Integers, unit: int, size: int, rng: np.random.Generator) -> Instance:
    """A document whose sentences have ``lengths`` subwords of a vocabulary of ``size``, in units of about ``unit``.

    A target sentence is at most 2 subwords longer or shorter than its source.
    """
    units = np.maximum(np.rint(lengths / unit).astype(np.int64), 1)
    firsts = np.cumsum(units) - units
    heads = np.full(units.sum(), -1)
    tops = np.array([join(first, first + count - 1, heads, rng) for first, count in zip(firsts, units)])
    heads_of_sentences = np.full(len(units), -1)
    join(0, len(units) - 1, heads_of_sentences, rng)
    dependent = heads_of_sentences >= 0
    heads[tops[dependent]] = tops[heads_of_sentences[dependent]]
    return Instance(
        source=[rng.integers(len(SPECIALS), size, count) for count in lengths],
        target=[rng.integers(len(SPECIALS), size, count) for count in lengths + rng.integers(-2, 3, len(lengths))],
        edus=[first + np.arange(length) * count // length for first, count, length in zip(firsts, units, lengths)],
        heads=heads,
    )


def join(first: int, last: int, heads: Integers, rng: np.random.Generator) -> int:
    """Fill in the heads of the units ``first … last`` of a random tree; return its root, whose head is unchanged."""
    if first == last:
        return first
    middle = int(rng.integers(first, last))
    left, right = join(first, middle, heads, rng), join(middle + 1, last, heads, rng)
    nucleus, satellite = (left, right) if rng.random() < NUCLEUS_FIRST else (right, left)
    heads[satellite] = nucleus
    return nucleus
