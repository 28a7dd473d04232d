"""An aligner that learns the translations of words from texts whose sentences are not aligned yet."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from discourse_nmt.sentence_alignment.lexicon import Lexicon, learn_lexicon
from discourse_nmt.sentence_alignment.sentences import SHAPES, Bead, Shapes, align_sentences
from discourse_nmt.sentence_alignment.words import forms_of

ROUNDS = 2  # lexica learnt, each from the alignment by the one before; the first from an alignment by lengths
UNITS = {(1, 1): 0.0, (1, 2): -7.0, (2, 1): -7.0, (1, 0): -3.0, (0, 1): -3.0}
"""As :data:`.SHAPES`, for lines, paragraphs and blocks, which are left out more often than divided."""
PROBABLE = 0.02  # translations that count as counterparts


class LearningAligner:
    """Aligns the sentences of texts by their lengths, and by the lexicon that it has learnt.

    Where both sides have sentences without a partner at one place, these are free translations rather than gaps: there
    lengths alone decide.
    """

    def __init__(self) -> None:
        self._lexicon: Lexicon | None = None
        self._targets: list[str] = []
        self._counts = Counter[str]()
        self._words = 0

    def learn(self, documents: Iterable[tuple[Sequence[str], Sequence[str]]]) -> None:
        """Learn the lexicon from the texts of both sides of each document, in order."""
        texts = list(documents)
        self._lexicon = None
        self._counts = Counter(word for sides in texts for side in sides for text in side for word in forms_of(text))
        for _ in range(ROUNDS):
            self._lexicon = learn_lexicon(
                (_joined(source, bead.source), _joined(target, bead.target))
                for source, target in texts
                for bead in self.align_units(source, target)
            )
        self._targets = [] if self._lexicon is None else list(self._lexicon.targets.number_of)
        self._words = self._counts.total()

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """The most probable beads of sentences, in order; see :func:`.align_sentences`."""
        return self._aligned(source, target, SHAPES)

    def align_units(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """The same for larger texts, such as paragraphs."""
        return self._aligned(source, target, UNITS)

    def quality(self, source: str, target: str) -> float:
        """The share of the words of both texts with a counterpart in the other: a translation, or the same word.

        From 0 to 1; words are weighted by their rarity, the logarithm of their inverse frequency. A word that the texts
        have once tells nothing: its translation was learnt from this pair.
        """
        sides = forms_of(source), forms_of(target)
        translations = self._translations(sides[0])
        of_any = set().union(*translations, sides[0])
        targets = set(sides[1])
        known = [word in targets or not targets.isdisjoint(own) for word, own in zip(sides[0], translations)]
        known += [word in of_any for word in sides[1]]
        weights = [self._rarity(word) for side in sides for word in side]
        return sum(weight for weight, found in zip(weights, known) if found) / max(sum(weights), 1e-9)

    def _translations(self, words: Sequence[str]) -> list[set[str]]:
        """The translations of each word that are not improbable."""
        found: list[set[str]] = [set() for _ in words]
        if self._lexicon is not None:
            for index, number, probability in zip(*self._lexicon.entries(self._lexicon.sources.find(words))):
                if probability >= PROBABLE:
                    found[index].add(self._targets[number])
        return found

    def _rarity(self, word: str) -> float:
        count = self._counts[word] if word.isalnum() else 0
        return math.log(self._words / count) if count > 1 else 0

    def _aligned(self, source: Sequence[str], target: Sequence[str], shapes: Shapes) -> list[Bead]:
        beads = align_sentences(source, target, self._lexicon, shapes)
        return beads if self._lexicon is None else list(_without_free_translations(beads, source, target))


def _without_free_translations(beads: Sequence[Bead], source: Sequence[str], target: Sequence[str]) -> Iterator[Bead]:
    """The beads, with those of neighbouring sentences of one side alone aligned by lengths."""
    for paired, run in groupby(beads, key=lambda bead: bool(bead.source and bead.target)):
        group = list(run)
        sources = [index for bead in group for index in bead.source]
        targets = [index for bead in group for index in bead.target]
        if paired or not sources or not targets:
            yield from group
            continue
        own, other = range(sources[0], sources[-1] + 1), range(targets[0], targets[-1] + 1)
        by_length = align_sentences([source[i] for i in own], [target[j] for j in other])
        for bead in by_length:
            yield Bead(
                own[bead.source.start : bead.source.stop], other[bead.target.start : bead.target.stop], bead.score
            )


def _joined(texts: Sequence[str], some: range) -> str:
    return " ".join(texts[some.start : some.stop])
