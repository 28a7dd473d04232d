"""Sentence pairs as word ids, and their cells: the pairs of a source word and a target word of one sentence pair."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import pandas as pd

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.spans import ranges

Words = Sequence[Sequence[str]]  # the words of each sentence

CELLS = 4_000_000  # cells of one chunk: 32 MB for each of its arrays


@dataclass(frozen=True)
class PairSide:
    """One side of sentence pairs: pair ``p`` has the words ``offsets[p] … offsets[p + 1] - 1``."""

    words: Integers
    """The id of each word in a vocabulary; -1 for unknown words."""
    offsets: Integers
    """Index of the first word of each pair, and the number of all words."""

    @property
    def lengths(self) -> Integers:
        """Number of words of each pair."""
        return np.diff(self.offsets)

    @property
    def pair_of_word(self) -> Integers:
        """Index of the pair of each word."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @property
    def relative_positions(self) -> np.ndarray:
        """Position of each word in its sentence from 1 divided by the length: 1 for the last word."""
        positions = np.arange(len(self.words)) - self.offsets[self.pair_of_word] + 1
        relative: np.ndarray = positions / self.lengths[self.pair_of_word]
        return relative

    def between(self, first: int, stop: int) -> "PairSide":
        """The side of the pairs ``first … stop - 1``."""
        offsets = self.offsets[first : stop + 1]
        return PairSide(self.words[offsets[0] : offsets[-1]], offsets - offsets[0])


@dataclass(frozen=True)
class SentencePairs:
    """Both sides of the same number of pairs."""

    source: PairSide
    target: PairSide

    def chunks(self) -> Iterator["SentencePairs"]:
        """Yield the pairs in order, in chunks of at most :data:`CELLS` cells, or of a single pair."""
        counts = np.cumsum(self.source.lengths * self.target.lengths)
        first = 0
        while first < len(counts):
            bound = CELLS + (counts[first - 1] if first else 0)
            stop = max(first + 1, int(np.searchsorted(counts, bound, side="right")))
            yield SentencePairs(self.source.between(first, stop), self.target.between(first, stop))
            first = stop

    def cells(self) -> tuple[Integers, Integers]:
        """Indices of the source word and of the target word of each cell."""
        pairs = self.target.pair_of_word
        starts, stops = self.source.offsets[pairs], self.source.offsets[pairs + 1]
        return ranges(starts, stops), np.repeat(np.arange(len(pairs)), stops - starts)


def lowercase(sentences: Words) -> pd.Index:
    """All words of sentences, in lower case."""
    return pd.Index([word.lower() for word in chain.from_iterable(sentences)], dtype="str")


def side_of(sentences: Words, vocabulary: pd.Index) -> PairSide:
    """Sentences as ids of their lowercase words in ``vocabulary``."""
    lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
    words = vocabulary.get_indexer(lowercase(sentences)).astype(np.int64)
    return PairSide(words, np.concatenate([[0], np.cumsum(lengths)]))
