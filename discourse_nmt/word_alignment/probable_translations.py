"""The most probable translations of each subword, for shortlists of the target vocabulary."""

import numpy as np

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.vocabulary import END
from discourse_nmt.word_alignment.model import learn_ids
from discourse_nmt.word_alignment.sentence_pairs import PairSide, SentencePairs


def probable_translations(pairs: SentencePairs, sizes: tuple[int, int], count: int) -> Integers:
    """[source symbols, ``count``] target ids by falling probability, then by id; :data:`.END` where there is none.

    ``pairs`` hold ids of vocabularies of ``sizes`` symbols. Probabilities are those of the word alignment.
    """
    linked = learn_ids(pairs, *(_shares(side, size) for side, size in zip((pairs.source, pairs.target), sizes)))
    order = np.lexsort((linked["target"], -linked["forward"], linked["source"]))
    source, target = (linked[side].to_numpy()[order] for side in ("source", "target"))
    rank = np.arange(len(source)) - np.searchsorted(source, source)
    found = np.full((sizes[0], count), END, np.int64)
    listed = rank < count
    found[source[listed], rank[listed]] = target[listed]
    return found


def _shares(side: PairSide, size: int) -> np.ndarray:
    """The share of each id among the words of a side."""
    shares: np.ndarray = np.bincount(side.words, minlength=size) / max(1, len(side.words))
    return shares
