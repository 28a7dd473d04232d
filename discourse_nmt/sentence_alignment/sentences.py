"""Groups of sentences of two texts that translate each other, in order: 1-1, 1-2, 2-1, 2-2, 1-3, 3-1, 1-0, 0-1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from discourse_nmt.base.arrays import Integers, Reals
from discourse_nmt.sentence_alignment.evidence import Evidence
from discourse_nmt.sentence_alignment.lexicon import Lexicon
from discourse_nmt.sentence_alignment.words import forms_of

Shapes = Mapping[tuple[int, int], float]
"""Numbers of source and of target sentences of a bead, with its log-probability."""
SHAPES: Shapes = {
    (1, 1): 0.0,
    (1, 2): -3.0,
    (2, 1): -3.0,
    (2, 2): -5.0,
    (1, 3): -5.0,
    (3, 1): -5.0,
    (1, 0): -5.0,
    (0, 1): -5.0,
}
LARGEST = 3  # sentences of one side of a bead
SPREAD = 0.3  # standard deviation of the logarithm of the ratio of lengths

SAFE = 8  # safe places that lie between a sentence and the ends of the stretch in which its translation is looked for
MARGIN = 20  # sentences beyond them
WIDEST = 2_000  # sentences of a stretch


@dataclass(frozen=True)
class Bead:
    """Sentences of both sides that translate each other; one side may be empty."""

    source: range
    target: range
    score: float
    """Logarithm of how much more probable the pair is than two unrelated texts, for each word of the target."""


def align_sentences(
    source: Sequence[str], target: Sequence[str], lexicon: Lexicon | None = None, shapes: Shapes = SHAPES
) -> list[Bead]:
    """The most probable beads, in order; every sentence of both sides is in one."""
    search = _Search(source, target, lexicon, shapes)
    for sentence in range(len(source) + 1):
        search.advance(sentence)
    return search.beads()


class _Search:
    """Dynamic programming over the sentences of the source; of a long target only a stretch is tried for each."""

    def __init__(self, source: Sequence[str], target: Sequence[str], lexicon: Lexicon | None, shapes: Shapes) -> None:
        self.shapes = shapes
        forms = [forms_of(sentence) for sentence in target]
        self.borders = np.cumsum([0, *map(len, forms)])
        """[target sentences + 1] the first word of each, and the number of all."""
        self.evidence = Evidence(source, [word for words in forms for word in words], lexicon)
        self.lengths = self.evidence.source_lengths
        known = lexicon.ratio if lexicon is not None else None
        self.ratio = known or float(self.borders[-1] / max(1, self.lengths.sum()))
        self.starts, self.ends = self._stretches(len(source), len(target))
        self.best: list[Reals] = []
        """By number of source sentences, the best score of each number of target sentences in its stretch."""
        self.shape: list[Integers] = []
        """The last bead's shape, by its place in ``shapes``."""
        self.score: list[Reals] = []

    def _stretches(self, count: int, size: int) -> tuple[list[int], list[int]]:
        """For each number of source sentences the least and the largest number of target sentences with them."""
        sentences, words = self.evidence.safe_places()
        places = np.searchsorted(self.borders, words, side="right") - 1
        starts, ends = [0], [0]
        for number in range(count + 1):
            before = int(np.searchsorted(sentences, number)) - SAFE
            after = int(np.searchsorted(sentences, number, side="right")) + SAFE - 1
            start = max(0, int(places[before]) - MARGIN) if before >= 0 else 0
            end = min(size, int(places[after]) + MARGIN) if after < len(places) else size
            middle = size * number // max(1, count)
            if end - start > WIDEST:
                start, end = max(start, middle - WIDEST // 2), min(end, middle + WIDEST // 2)
            starts.append(max(starts[-1], min(start, end)))
            ends.append(max(ends[-1], end, starts[-1]))
        return [0, *starts[2:]], [*ends[1:-1], size]

    def advance(self, number: int) -> None:
        """Find the best beads that end after ``number`` source sentences."""
        start, end = self.starts[number], self.ends[number]
        size = end - start + 1
        best = np.full(size, -np.inf)
        shape, score = np.zeros(size, np.int64), np.zeros(size)
        if not number:
            best[0] = 0.0
        sums = {n: self._sums(number - n, number) for n in range(1, min(LARGEST, number) + 1)}
        for index, ((n, m), prior) in enumerate(self.shapes.items()):
            if n == 0 or n > number:
                continue
            low = self.starts[number - n]
            lasts = np.arange(max(start, low + m), min(end, self.ends[number - n] + m) + 1)  # target sentences so far
            if not len(lasts):
                continue
            own = np.zeros(len(lasts))
            if m:
                first, total = sums[n]
                words = self.borders[lasts] - self.borders[lasts - m]
                own = total[self.borders[lasts] - first] - total[self.borders[lasts - m] - first]
                expected = self.ratio * self.lengths[number - n : number].sum()
                own = own - 0.5 * (np.log((words + 1) / (expected + 1)) / SPREAD) ** 2
            found = self.best[number - n][lasts - m - low] + prior + own
            places = (lasts - start)[found > best[lasts - start]]
            chosen = places + start - lasts[0]
            best[places], shape[places], score[places] = found[chosen], index, own[chosen]
        alone = list(self.shapes).index((0, 1))
        for place in range(1, size):
            if best[place - 1] + self.shapes[0, 1] > best[place]:
                best[place], shape[place], score[place] = best[place - 1] + self.shapes[0, 1], alone, 0.0
        self.best.append(best)
        self.shape.append(shape)
        self.score.append(score)

    def _sums(self, first: int, stop: int) -> tuple[int, Reals]:
        """The first word of the sentences' stretch, and the sums of the evidence of the words before each place."""
        start, end = (int(self.borders[side]) for side in (self.starts[first], self.ends[stop]))
        ratios = self.evidence.ratios(first, stop, start, end)[0]
        weights = np.maximum(self.lengths[first:stop], 1)
        mixed = (ratios * weights[:, None]).sum(axis=0) / weights.sum()
        return start, np.concatenate([[0.0], np.cumsum(np.log(mixed))])

    def beads(self) -> list[Bead]:
        """The beads of the best alignment of the whole."""
        shapes, found = list(self.shapes), []
        source, target = len(self.starts) - 1, self.ends[-1]
        while source or target:
            place = target - self.starts[source]
            n, m = shapes[self.shape[source][place]]
            words = self.borders[target] - self.borders[target - m]
            score = float(self.score[source][place] / max(1, words))
            found.append(Bead(range(source - n, source), range(target - m, target), score))
            source, target = source - n, target - m
        return found[::-1]
