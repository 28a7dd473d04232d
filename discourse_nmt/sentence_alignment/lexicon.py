"""Translation probabilities of words: learnt from parallel lines, or taken from a table of word alignment."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from discourse_nmt.base.arrays import Integers, Reals
from discourse_nmt.base.spans import ranges
from discourse_nmt.sentence_alignment.words import Numbering, forms_of
from discourse_nmt.word_alignment.model import learn

LEAST = 0.002  # translations that are less probable are left out


@dataclass(frozen=True)
class Lexicon:
    """Source word ``s`` has the translations ``targets[offsets[s] : offsets[s + 1]]`` with their ``probabilities``."""

    sources: Numbering
    targets: Numbering
    offsets: Integers
    translations: Integers
    probabilities: Reals
    ratio: float | None = None
    """Target words for each source word; None where it is not known."""

    @classmethod
    def of_table(cls, table: pd.DataFrame, ratio: float | None = None) -> "Lexicon":
        """The lexicon of a table ``word_translations``; words are cut as :mod:`.words` cuts them."""
        linked = table.dropna(subset=["source", "target"])
        linked = linked[linked["forward"] >= LEAST]
        sources, targets = Numbering(), Numbering()
        cut = {word: forms_of(word) for word in {*linked["source"], *linked["target"]}}
        rows = [
            (source, target, probability / len(cut[whole]))
            for first, whole, probability in zip(linked["source"], linked["target"], linked["forward"].tolist())
            for source in cut[first]
            for target in cut[whole]
        ]
        source = sources.add(row[0] for row in rows)
        target = targets.add(row[1] for row in rows)
        order = np.argsort(source, kind="stable")
        offsets = np.searchsorted(source[order], np.arange(len(sources.number_of) + 1))
        return cls(sources, targets, offsets, target[order], np.array([row[2] for row in rows])[order], ratio)

    def entries(self, words: Integers) -> tuple[Integers, Integers, Reals]:
        """Translations of the words of these numbers (-1 for unknown): index of the word, translation, probability."""
        known = np.flatnonzero(words >= 0)
        starts, stops = self.offsets[words[known]], self.offsets[words[known] + 1]
        places = ranges(starts, stops)
        return np.repeat(known, stops - starts), self.translations[places], self.probabilities[places]


def learn_lexicon(pairs: Iterable[tuple[str, str]]) -> Lexicon | None:
    """The lexicon of parallel texts, such as sentences and their translations; None without a word on both sides."""
    cut = [(forms_of(source), forms_of(target)) for source, target in pairs]
    cut = [(source, target) for source, target in cut if source and target]
    if not cut:
        return None
    sources, targets = ([pair[side] for pair in cut] for side in (0, 1))
    ratio = sum(map(len, targets)) / sum(map(len, sources))
    return Lexicon.of_table(learn(sources, targets), ratio)
