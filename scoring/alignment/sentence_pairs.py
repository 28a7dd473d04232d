"""Sentence pairs as numbered words, and their cells: every source word of a pair beside every target word of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd

from discourse_nmt.corpus.spans import Integers, ranges

Words = Sequence[Sequence[str]]  # the words of each sentence

CELLS = 4_000_000  # cells of one chunk: 32 MB for each array of numbers that a chunk takes


@dataclass(frozen=True)
class Side:
    """One side of sentence pairs: pair ``p`` has the words ``offsets[p] … offsets[p + 1] - 1``."""

    words: Integers
    """The number of each word in a vocabulary, -1 for one that is not there."""
    offsets: Integers

    @property
    def lengths(self) -> Integers:
        """Words of each pair."""
        return np.diff(self.offsets)

    @property
    def pairs(self) -> Integers:
        """The pair of each word."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @property
    def places(self) -> np.ndarray:
        """Where each word stands in its sentence: above 0, and 1 for the last one."""
        places: np.ndarray = (np.arange(len(self.words)) - self.offsets[self.pairs] + 1) / self.lengths[self.pairs]
        return places

    def part(self, first: int, stop: int) -> "Side":
        """The side of some pairs only."""
        offsets = self.offsets[first : stop + 1]
        return Side(self.words[offsets[0] : offsets[-1]], offsets - offsets[0])


@dataclass(frozen=True)
class SentencePairs:
    """Both sides, with as many pairs."""

    source: Side
    target: Side

    def chunks(self) -> Iterator["SentencePairs"]:
        """The pairs in their order, as many at a time as have :data:`CELLS` cells, at least one."""
        counts = np.cumsum(self.source.lengths * self.target.lengths)
        first = 0
        while first < len(counts):
            bound = CELLS + (counts[first - 1] if first else 0)
            stop = max(first + 1, int(np.searchsorted(counts, bound, side="right")))
            yield SentencePairs(self.source.part(first, stop), self.target.part(first, stop))
            first = stop

    def cells(self) -> tuple[Integers, Integers]:
        """The source word and the target word of each cell; a pair without words on one side has none."""
        pairs = self.target.pairs
        starts, stops = self.source.offsets[pairs], self.source.offsets[pairs + 1]
        return ranges(starts, stops), np.repeat(np.arange(len(pairs)), stops - starts)


def lowercase(sentences: Words) -> pd.Index:
    """All words of sentences, in lower case."""
    return pd.Index([word.lower() for word in chain.from_iterable(sentences)], dtype="str")


def side_of(sentences: Words, vocabulary: pd.Index) -> Side:
    """Sentences as numbers of their lowercase words in ``vocabulary``."""
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    words = vocabulary.get_indexer(lowercase(sentences)).astype(np.int64)
    return Side(words, np.concatenate([[0], np.cumsum(lengths)]))
