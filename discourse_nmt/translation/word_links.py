"""Links between the words of a sentence and those of its translation."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

Reals = np.ndarray
Span = tuple[int, int]

WORD = re.compile(r"\w+|[^\w\s]")
SLOPE = 8.0
"""How fast links by place alone fall with the distance, for the length of a line."""


@dataclass(frozen=True)
class WordLinks:
    """How much each word of a translation renders each word of its source.

    ``weights`` [target words, source words]; rows sum to 1. ``source`` and ``target`` hold the characters of the words.
    """

    source: tuple[Span, ...]
    target: tuple[Span, ...]
    weights: Reals

    @classmethod
    def of_places(cls, source: str, target: str) -> "WordLinks":
        """Links of two lines by the places of their words alone."""
        first, second = ([match.span() for match in WORD.finditer(line)] for line in (source, target))
        places = [(np.arange(len(words)) + 0.5) / max(1, len(words)) for words in (first, second)]
        near = np.exp(-SLOPE * np.abs(places[1][:, None] - places[0][None, :]))
        return cls(tuple(first), tuple(second), near / near.sum(1, keepdims=True))

    @classmethod
    def of_subwords(
        cls,
        weights: Reals,
        source: Sequence[Span],
        target: Sequence[Span],
        word_of_source: Sequence[int],
        word_of_target: Sequence[int],
    ) -> "WordLinks":
        """Links by those of subwords, [target subwords, source subwords]; spans are the characters of the words."""
        summed = np.zeros((len(weights), len(source)))
        np.add.at(summed.T, np.asarray(word_of_source), weights.T)
        words = np.zeros((len(target), len(source)))
        np.add.at(words, np.asarray(word_of_target), summed)
        totals = words.sum(1, keepdims=True)
        shares = np.divide(words, totals, out=np.full_like(words, 1 / len(source)), where=totals > 0)
        return cls(tuple(source), tuple(target), shares)

    def with_same_words(self, source: str, target: str) -> "WordLinks":
        """The links, certain for words that stand once in each line, such as names and numbers."""
        words = [
            [line[slice(*span)] for span in spans] for line, spans in ((source, self.source), (target, self.target))
        ]
        weights = self.weights.copy()
        for row, word in enumerate(words[1]):
            if words[0].count(word) == 1 == words[1].count(word) and (len(word) > 1 or not word.isalpha()):
                weights[row] = 0
                weights[row, words[0].index(word)] = 1
        return WordLinks(self.source, self.target, weights)

    def cut_at(self, edges: Collection[int]) -> "WordLinks":
        """The links, with words of the translation that reach over one of these characters as several words."""
        parts = [
            (row, part)
            for row, (start, end) in enumerate(self.target)
            for part in pairwise([start, *sorted(edge for edge in edges if start < edge < end), end])
        ]
        return WordLinks(self.source, tuple(part for _, part in parts), self.weights[[row for row, _ in parts]])


def joined(parts: Sequence[tuple[int, int, WordLinks]]) -> WordLinks:
    """The links of a sentence that was translated in parts, which begin at these characters of source and target."""
    sizes = [links.weights.shape for _, _, links in parts]
    weights = np.zeros((sum(rows for rows, _ in sizes), sum(columns for _, columns in sizes)))
    source: list[Span] = []
    target: list[Span] = []
    for first, second, links in parts:
        weights[len(target) : len(target) + len(links.target), len(source) : len(source) + len(links.source)] = (
            links.weights
        )
        source += [(first + start, first + end) for start, end in links.source]
        target += [(second + start, second + end) for start, end in links.target]
    return WordLinks(tuple(source), tuple(target), weights)
