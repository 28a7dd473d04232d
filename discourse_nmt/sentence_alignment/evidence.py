"""How much more probable each word of a translation is beside a sentence than elsewhere in the text.

A word of the translation comes from the sentence that it translates, or from anywhere in the text. It comes from a
sentence as a translation of one of its words (:class:`.Lexicon`), as a word that is identical or begins alike (numbers,
names), or, where there is a reference, as a word of the sentence's reference.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discourse_nmt.base.arrays import Booleans, Integers, Reals
from discourse_nmt.sentence_alignment.lexicon import Lexicon
from discourse_nmt.sentence_alignment.words import Numbering, forms_of, stems

SHORT = 300  # words of a text whose own shares of words are too large
EDGE = 3  # words at the beginning and at the end of a sentence


@dataclass(frozen=True)
class Weights:
    """Probabilities of the origins of a word; that of no origin here is what is left of 1."""

    lexicon: float = 0.28
    identical: float = 0.04
    alike: float = 0.02
    reference: float = 0.2
    reference_alike: float = 0.1
    edge: float = 0.7
    """Probability that the first word of a translation comes from the first words, the last from the last ones."""


WEIGHTS = Weights()


class _Side:
    """The words of sentences, one after the other."""

    def __init__(self, texts: Sequence[str]) -> None:
        cut = [forms_of(text) for text in texts]
        self.words = [word for words in cut for word in words]
        self.lengths = np.array([len(words) for words in cut], np.int64)
        self.sentences = np.repeat(np.arange(len(cut)), self.lengths)
        firsts = np.cumsum(self.lengths) - self.lengths
        self.places = np.arange(len(self.words)) - firsts[self.sentences]
        """The place of each word in its sentence, from 0."""


class _Expected:
    """Words of the text that are expected beside sentences, in the order of the sentences."""

    def __init__(self, numbers: Integers, count: int) -> None:
        self.numbers = numbers
        """[words of the text] the number of each."""
        self.shares = np.bincount(numbers) / max(SHORT, len(numbers))
        """The share of each number in the text, as if a short text were longer."""
        self._count = count
        self._parts: list[tuple[Integers, Integers, Reals]] = []

    def add(self, side: _Side, origins: Integers, words: Integers, probabilities: Reals | float) -> None:
        """``words`` (-1 for one that the text lacks) come from the words of these indices of a side."""
        kept = words >= 0
        origins, words = origins[kept], words[kept]
        sentences, places = side.sentences[origins], side.places[origins]
        lengths = side.lengths[sentences]
        ratio = (probabilities[kept] if isinstance(probabilities, np.ndarray) else probabilities) / self.shares[words]
        edge = ratio / np.minimum(lengths, EDGE)
        kinds = np.stack([ratio / lengths, edge * (places < EDGE), edge * (places >= lengths - EDGE)])
        self._parts.append((sentences, words, kinds))

    def order(self) -> None:
        """Put everything that was added into the order of the sentences."""
        sentences, words, ratios = (np.concatenate(parts, axis=-1) for parts in zip(*self._parts))
        order = np.argsort(sentences, kind="stable")
        self._sentences, self._words, self._ratios = sentences[order], words[order], ratios[:, order]
        self._offsets = np.searchsorted(self._sentences, np.arange(self._count + 1))

    def sums(self, first: int, stop: int, start: int, end: int) -> Reals:
        """[3, stop - first, end - start] the sum of the ratios of each word of the text beside each sentence."""
        entries = slice(self._offsets[first], self._offsets[stop])
        size = len(self.shares)
        places = (self._sentences[entries] - first) * size + self._words[entries]
        within = self.numbers[start:end]
        cells = (stop - first) * size
        return np.stack(
            [
                np.bincount(places, ratios, cells).reshape(stop - first, size)[:, within]
                for ratios in self._ratios[:, entries]
            ]
        )

    def pairs(self) -> tuple[Integers, Integers, Reals]:
        """Sentence, number and ratio of everything expected."""
        return self._sentences, self._words, self._ratios[0]


class Evidence:
    """The evidence of the words of one text for each of the sentences that it translates."""

    def __init__(
        self,
        sentences: Sequence[str],
        forms: Sequence[str],
        lexicon: Lexicon | None,
        references: Sequence[str] | None = None,
    ) -> None:
        count, weights = len(sentences), WEIGHTS
        source = _Side(sentences)
        reference = None if references is None else _Side(references)
        self.source_lengths = source.lengths
        self.reference_lengths = None if reference is None else reference.lengths
        vocabulary, beginnings = Numbering(), Numbering()
        self._by_word = _Expected(vocabulary.add(forms), count)
        self._by_stem = _Expected(beginnings.add(stems(forms)), count)
        self._anywhere = np.ones(count)
        sides = [(source, weights.identical, weights.alike)]
        if reference is not None:
            sides.append((reference, weights.reference, weights.reference_alike))
        for side, same, alike in sides:
            origins = np.arange(len(side.words))
            self._by_word.add(side, origins, vocabulary.find(side.words), same)
            self._by_stem.add(side, origins, beginnings.find(stems(side.words)), alike)
            self._anywhere -= same + alike
        if lexicon is not None:
            origins, translations, probabilities = lexicon.entries(lexicon.sources.find(source.words))
            probabilities = weights.lexicon * probabilities
            self._by_word.add(source, origins, lexicon.targets.translated(vocabulary)[translations], probabilities)
            masses = np.bincount(source.sentences[origins], probabilities, count)
            self._anywhere -= masses / np.maximum(source.lengths, 1)
        self._by_word.order()
        self._by_stem.order()
        self.phrases = self._phrases(vocabulary, reference)
        """[words + 1] whether the words on both sides of a gap stand together elsewhere, too."""

    @property
    def numbers(self) -> Integers:
        """[words] a number for each word of the text, the same for the same word."""
        return self._by_word.numbers

    def _phrases(self, vocabulary: Numbering, reference: _Side | None) -> Booleans:
        size = len(vocabulary.number_of)
        pairs = self.numbers[:-1] * size + self.numbers[1:]
        _, inverse, times = np.unique(pairs, return_inverse=True, return_counts=True)
        together = times[inverse] > 1
        if reference is not None:
            numbers = vocabulary.find(reference.words)
            inner = (numbers[:-1] >= 0) & (numbers[1:] >= 0) & (reference.places[1:] > 0)
            together |= np.isin(pairs, (numbers[:-1] * size + numbers[1:])[inner])
        return np.concatenate([[False], together, [False]])[: len(self.numbers) + 1]

    def ratios(self, first: int, stop: int, start: int, end: int) -> Reals:
        """[3, stop - first, end - start] how many times more probable each word is beside each sentence than by chance.

        Of words ``start … end - 1`` and sentences ``first … stop - 1``: as any word of the sentence's translation, as
        its first word, as its last word.
        """
        sums = self._by_word.sums(first, stop, start, end) + self._by_stem.sums(first, stop, start, end)
        ratios: Reals = sums + self._anywhere[first:stop, None]
        return ratios

    def safe_places(self) -> tuple[Integers, Integers]:
        """Sentences, and the words of the text that are safely beside them: both rise.

        Safe are words that stand once in the text and are expected beside one sentence alone; of these the longest
        series that rises on both sides.
        """
        sentences, words, ratios = self._by_word.pairs()
        once = np.bincount(self.numbers) == 1
        strong = once[words] & (ratios > 1)
        keys = np.unique(words[strong] * len(self._anywhere) + sentences[strong])
        words, sentences = np.divmod(keys, max(1, len(self._anywhere)))
        alone = np.bincount(words, minlength=len(once)) == 1
        words, sentences = words[alone[words]], sentences[alone[words]]
        place = np.zeros(len(once), np.int64)
        place[self.numbers] = np.arange(len(self.numbers))
        order = np.argsort(place[words])
        sentences, places = sentences[order], place[words][order]
        series = rising(sentences)
        return sentences[series], places[series]


def rising(values: Integers) -> Integers:
    """Indices of the longest series of ``values`` that does not fall; of equally long ones that which ends lowest."""
    lasts: list[int] = []  # the least last value of a series of each length
    ends: list[int] = []
    before = np.full(len(values), -1, np.int64)
    for index, value in enumerate(values.tolist()):
        length = bisect_right(lasts, value)
        before[index] = ends[length - 1] if length else -1
        lasts[length : length + 1] = [value]
        ends[length : length + 1] = [index]
    series = []
    index = ends[-1] if ends else -1
    while index >= 0:
        series.append(index)
        index = int(before[index])
    return np.array(series[::-1], np.int64)
