"""Word alignment: the word of a translation that each source word is linked with.

IBM model 2 with a prior for the diagonal (Dyer, Chahuneau and Smith 2013) in both directions, trained by agreement
(Liang, Taskar and Klein 2006): the count of a link is the product of its posterior probabilities in both directions. A
word without a link has the probability of its frequency. Words are compared in lower case.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.progress import progress
from discourse_nmt.word_alignment.sentence_pairs import PairSide, SentencePairs, Words, lowercase, side_of

Reals = np.ndarray

ITERATIONS = 5
TENSION = 4.0  # strength of the preference for links near the diagonal
ALONE = 0.08  # prior probability of a word without a link
UNSEEN = 1e-9  # probability of words and translations that are not in the training data
KEPT = 1e-4  # the table lacks translations that are less probable than this in both directions
LINKED = 0.03  # least product of the posterior probabilities of a link
SIGNATURE = f"align:model2[agreement,tension={TENSION:g},iterations={ITERATIONS},link={LINKED:g}]"


@dataclass(frozen=True)
class Probabilities:
    """Probabilities of the words of some pairs under a model.

    ``forward`` holds for each cell the probability of its target word given its source word, ``backward`` that of the
    source word given the target word. ``sources`` and ``targets`` hold the probability of each word without a link.
    """

    forward: Reals
    backward: Reals
    sources: Reals
    targets: Reals


def agreement(pairs: SentencePairs, model: Probabilities) -> Reals:
    """The probability of a link for each cell: the product of the posteriors in both directions."""
    source, target = pairs.cells()
    near = np.exp(-TENSION * np.abs(pairs.source.relative_positions[source] - pairs.target.relative_positions[target]))

    def posterior(drawn: Integers, probability: Reals, alone: Reals) -> Reals:
        prior = near / np.bincount(drawn, near, len(alone))[drawn]
        joint = (1 - ALONE) * prior * probability
        return joint / (np.bincount(drawn, joint, len(alone)) + ALONE * alone)[drawn]

    return posterior(target, model.forward, model.targets) * posterior(source, model.backward, model.sources)


def learn(sources: Words, targets: Words) -> pd.DataFrame:
    """The table ``word_translations`` of sentence pairs; ``targets`` has as many sentences as ``sources``."""
    of_sources, of_targets = (lowercase(sentences).value_counts(normalize=True) for sentences in (sources, targets))
    pairs = SentencePairs(side_of(sources, of_sources.index), side_of(targets, of_targets.index))
    linked = learn_ids(pairs, of_sources.to_numpy(), of_targets.to_numpy())
    linked = linked[linked[["forward", "backward"]].max(axis=1) >= KEPT]
    names = {"source": of_sources.index[linked["source"]], "target": of_targets.index[linked["target"]]}
    alone = [
        pd.DataFrame({"source": of_sources.index, "backward": of_sources.to_numpy()}),
        pd.DataFrame({"target": of_targets.index, "forward": of_targets.to_numpy()}),
    ]
    return pd.concat([linked.assign(**names), *alone], ignore_index=True)


def learn_ids(pairs: SentencePairs, of_sources: Reals, of_targets: Reals) -> pd.DataFrame:
    """Columns source, target, forward and backward, in order: all ids that occur together in ``pairs``.

    ``of_sources`` and ``of_targets`` hold the share of each id among the words of its side.
    """
    chunks, size = list(pairs.chunks()), len(of_targets)
    keys = np.empty(0, np.int64)
    for chunk in chunks:
        keys = _distinct(np.concatenate([keys, _distinct(_keys(chunk, size))]))
    key_of_cell = [np.searchsorted(keys, _keys(chunk, size)).astype(np.int32) for chunk in chunks]
    source, target = np.divmod(keys, max(1, size))
    forward = backward = np.ones(len(keys))
    for _ in progress(range(ITERATIONS), "word alignment", "passes"):
        links = np.zeros(len(keys))
        for chunk, cells in zip(chunks, key_of_cell):
            shares = _of(chunk.source, of_sources), _of(chunk.target, of_targets)
            model = Probabilities(forward[cells], backward[cells], *shares)
            links += np.bincount(cells, agreement(chunk, model), len(keys))
        links = np.maximum(links, np.finfo(float).tiny)
        forward, backward = (links / np.bincount(words, links)[words] for words in (source, target))
    return pd.DataFrame({"source": source, "target": target, "forward": forward, "backward": backward})


class Aligner:
    """Aligns words by a table ``word_translations``."""

    def __init__(self, translations: pd.DataFrame) -> None:
        self._sources = translations[translations["target"].isna()].set_index("source")["backward"]
        self._targets = translations[translations["source"].isna()].set_index("target")["forward"]
        linked = translations.dropna(subset=["source", "target"])
        source, target = (
            words.index.get_indexer(pd.Index(linked[side]))
            for side, words in (("source", self._sources), ("target", self._targets))
        )
        keys = source * len(self._targets) + target
        order = np.argsort(keys)
        self._keys = keys[order]
        self._forward, self._backward = (
            np.append(np.maximum(linked[column].to_numpy()[order], UNSEEN), UNSEEN)
            for column in ("forward", "backward")
        )

    def align(self, sources: Words, targets: Words) -> list[Integers]:
        """For each sentence the index of the target word that each source word is linked with; -1 for none.

        It is the most probable word, the first of equally probable ones, if its probability is at least :data:`LINKED`.
        """
        pairs = SentencePairs(side_of(sources, self._sources.index), side_of(targets, self._targets.index))
        return [links for chunk in pairs.chunks() for links in self._links(chunk)]

    def _links(self, pairs: SentencePairs) -> list[Integers]:
        source, target = pairs.cells()
        seen = (pairs.source.words[source] >= 0) & (pairs.target.words[target] >= 0)
        keys = np.where(seen, _keys(pairs, len(self._targets)), -1)
        indices = np.searchsorted(self._keys, keys)
        indices[np.append(self._keys, -2)[indices] != keys] = -1  # UNSEEN stands last
        alone = _of(pairs.source, self._sources.to_numpy()), _of(pairs.target, self._targets.to_numpy())
        probability = agreement(pairs, Probabilities(self._forward[indices], self._backward[indices], *alone))
        order = np.lexsort((target, -probability, source))
        best = order[np.diff(source[order], prepend=-1) > 0]
        best = best[probability[best] >= LINKED]
        links = np.full(len(pairs.source.words), -1, np.int64)
        links[source[best]] = target[best] - pairs.target.offsets[pairs.target.pair_of_word[target[best]]]
        return np.split(links, pairs.source.offsets[1:-1])


def _of(side: PairSide, shares: Reals) -> Reals:
    """The share of each word of a side; ``shares`` has those of the side's vocabulary, in its order."""
    share_of_word: Reals = np.append(shares, UNSEEN)[side.words]
    return share_of_word


def _keys(pairs: SentencePairs, size: int) -> Integers:
    """One number for the two words of each cell; ``size`` is that of the target vocabulary."""
    source, target = pairs.cells()
    keys: Integers = pairs.source.words[source] * size + pairs.target.words[target]
    return keys


def _distinct(keys: Integers) -> Integers:
    ordered = np.sort(keys)  # np.unique hashes, which takes ten times as long
    return ordered[np.diff(ordered, prepend=-1) > 0]
