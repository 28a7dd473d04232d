"""Sentences as tensors: form ids for the network, label ids for its training."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.discourse.analysers.examples import Example
from discourse_nmt.discourse.analysers.inventory import Inventory
from discourse_nmt.discourse.analysers.lemmas import lemma_rule
from discourse_nmt.discourse.analysers.network import SentenceBatch
from discourse_nmt.discourse.analysers.words import WordFeatures

IGNORED = -100  # a label without loss, as in torch's cross entropy


class SentenceLabels(NamedTuple):
    """Gold ids [B, T], :data:`IGNORED` where unannotated or padding; head 0 is the root, head t + 1 is word t."""

    heads: Tensor
    deprels: Tensor
    upos: Tensor
    xpos: Tensor
    features: Tensor
    lemmas: Tensor
    units: Tensor


def make_batch(sentences: Sequence[Sequence[str]], treebanks: Sequence[int], features: WordFeatures) -> SentenceBatch:
    """A batch of tokenised sentences, none of which is empty."""
    places: dict[str, int] = {}
    index = np.zeros((len(sentences), max(map(len, sentences))), np.int64)
    for row, forms in enumerate(sentences):
        index[row, : len(forms)] = [places.setdefault(form, len(places)) for form in forms]
    return SentenceBatch(
        torch.from_numpy(features.of(list(places))),
        torch.from_numpy(index),
        torch.tensor([len(forms) for forms in sentences]),
        torch.tensor(treebanks),
    )


class Labeller:
    """Turns examples into label ids."""

    def __init__(self, inventory: Inventory) -> None:
        self.treebanks = {name: number for number, name in enumerate(inventory.treebanks)}
        self._upos = {label: number for number, label in enumerate(inventory.upos)}
        self._xpos = {label: number for number, label in enumerate(inventory.xpos)}
        self._features = {label: number for number, label in enumerate(inventory.features)}
        self._rules = {label: number for number, label in enumerate(inventory.lemma_rules)}
        self._deprels = {label: number for number, label in enumerate(inventory.deprels)}

    def of(self, example: Example) -> list[list[int]]:
        """Seven lists of ids, in the order of :class:`SentenceLabels`."""
        size = len(example.forms)
        unknown = [IGNORED] * size
        rules = map(lemma_rule, example.forms, example.lemmas)
        return [
            [head + 1 for head in example.heads],
            [self._deprels.get(label, IGNORED) for label in example.deprels],
            [self._upos.get(label, IGNORED) for label in example.upos],
            unknown if example.xpos is None else [self._xpos.get(label, IGNORED) for label in example.xpos],
            unknown if example.features is None else [self._features.get(label, IGNORED) for label in example.features],
            [self._rules.get(rule, IGNORED) for rule in rules],
            unknown if example.edu_starts is None else [IGNORED, *map(int, example.edu_starts[1:])],
        ]


def units_alone(row: list[list[int]]) -> list[list[int]]:
    """The label lists of a sentence without all but those of discourse units."""
    return [[IGNORED] * len(labels) for labels in row[:-1]] + row[-1:]


def pad_labels(rows: Sequence[list[list[int]]]) -> SentenceLabels:
    """Stack the label lists of a batch's sentences."""
    length = max(len(row[0]) for row in rows)
    stacked = np.full((len(SentenceLabels._fields), len(rows), length), IGNORED, np.int64)
    for number, row in enumerate(rows):
        stacked[:, number, : len(row[0])] = row
    return SentenceLabels(*torch.from_numpy(stacked))


def grouped(
    lengths: Sequence[int], words: int, randomness: np.random.Generator | None, kinds: Sequence[bool] = ()
) -> Iterator[list[int]]:
    """Groups of sentence indices, of similar length, with about ``words`` words each (including padding).

    With ``randomness``, groups and their order are random; otherwise the longest sentences come first. Sentences of
    different ``kinds`` are never in one group.
    """
    keys = np.asarray(lengths, float)
    if randomness is not None:
        keys = keys * randomness.uniform(0.85, 1.15, len(keys))
    order = np.lexsort((-keys, np.asarray(kinds, int))) if kinds else np.argsort(-keys, kind="stable")
    groups: list[list[int]] = [[]]
    longest = 0
    for number in order.tolist():
        longest = max(longest, lengths[number])
        other = bool(kinds and groups[-1] and kinds[groups[-1][0]] != kinds[number])
        if groups[-1] and (other or longest * (len(groups[-1]) + 1) > words):
            groups.append([])
            longest = lengths[number]
        groups[-1].append(number)
    if randomness is not None:
        groups = [groups[place] for place in randomness.permutation(len(groups))]
    yield from (group for group in groups if group)
