"""Who may attend to whom in a batch of instances; training and decoding both read it from here.

A relation holds between units of text. The units of the relation ``tree`` are discourse units in the source, and
sentences in the target and from the target to the source. Units of the other relations are sentences or whole
instances. Training needs the relation of tokens, a neighbourhood; decoding needs that of sentences, a matrix.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.models.attention.block_mask import relation_table
from discourse_nmt.models.attention.neighbourhood import Neighbourhood, neighbourhood
from discourse_nmt.models.packed.instances import AnyInstance
from discourse_nmt.models.packed.windows import Window

Relation = Literal["sentence", "tree", "instance"] | Window
TargetTree = Literal["merged", "none"]


@dataclass(frozen=True)
class UnitRelation:
    """The related units of a batch; units are numbered over the batch."""

    unit_of: Integers
    """[n]: the unit of each source token, or of each sentence."""
    pairs: Integers
    """[P, 2]: which units (first) attend to which (second)."""

    def plan(self, queries: Integers, keys: Integers, causal: bool = False) -> Neighbourhood:
        """Which tokens attend to which; ``queries`` [Q] and ``keys`` [K] are their indices in :attr:`unit_of`."""
        return neighbourhood(self.unit_of[queries][None], self.unit_of[keys][None], [self.pairs], causal)

    @property
    def matrix(self) -> Booleans:
        """Which entry of :attr:`unit_of` attends to which: [n, n] bool."""
        table = relation_table(self.pairs, int(self.unit_of.max()) + 1)
        return table[self.unit_of[:, None], self.unit_of]


def edu_relation(instances: Sequence[AnyInstance], marks: int = 2) -> UnitRelation:
    """The relation ``tree`` of source tokens: of the same, the head and the dependent units (spec 01, equation 7).

    The ``marks`` of a sentence, the last one or both, belong to its first and its last unit, those of an empty
    sentence to a unit of their own. An instance without a tree is one unit.
    """
    parts: list[tuple[Integers, Integers]] = []
    for instance in instances:
        if not instance.tree:
            parts.append(_one_unit(sum(len(ids) + marks for ids in instance.source)))
            continue
        unit_count = len(instance.heads)
        edu_of_token: list[Integers] = []
        for edus in instance.edus:
            if len(edus):
                edu_of_token += [edus[: marks - 1], edus, edus[-1:]]
            else:
                edu_of_token.append(np.full(marks, unit_count))
                unit_count += 1
        parts.append((np.concatenate(edu_of_token), _neighbours(_arcs(instance.heads), unit_count)))
    return _joined(parts)


def sentence_relation(instances: Sequence[AnyInstance], relation: Relation, target_tree: TargetTree) -> UnitRelation:
    """The ``relation`` of sentences.

    ``sentence``, and a window: a sentence to itself (spec 01, equation 5). ``instance``: to all of its instance.
    ``tree``: to itself and its neighbours in the merged tree, or as ``instance`` where there is no tree or
    ``target_tree`` is none.
    """
    parts: list[tuple[Integers, Integers]] = []
    for instance in instances:
        sentence_count = len(instance.source)
        if relation == "instance" or (relation == "tree" and not (instance.tree and target_tree == "merged")):
            parts.append(_one_unit(sentence_count))
        else:
            sentences = np.arange(sentence_count)
            itself = np.stack([sentences, sentences], axis=1)
            pairs = sentence_pairs(instance.edus, instance.heads) if relation == "tree" else itself
            parts.append((sentences, pairs))
    return _joined(parts)


def sentence_pairs(edus: Sequence[Integers], heads: Integers) -> Integers:
    """Neighbours in the merged tree of an instance (overview 5.2), each sentence with itself included: pairs [P, 2].

    A unit without subwords is in no sentence, and its arcs join none.
    """
    sentence_of_edu = np.full(len(heads), -1, np.int64)
    for sentence, units in enumerate(edus):
        sentence_of_edu[units] = sentence
    arcs = sentence_of_edu[_arcs(heads)]
    return _neighbours(arcs[(arcs >= 0).all(axis=1)], len(edus))


def _arcs(heads: Integers) -> Integers:
    """The arcs (head, dependent) [A, 2] of a dependency tree; -1 is the head of a root."""
    dependents = np.flatnonzero(heads >= 0)
    return np.stack([heads[dependents], dependents], axis=1)


def _neighbours(arcs: Integers, count: int) -> Integers:
    """The pairs [P, 2] of ``count`` units: of each unit and itself, and of the ends of each arc, either way; sorted."""
    heads, dependents = arcs[:, 0], arcs[:, 1]
    keys = np.concatenate([heads * count + dependents, dependents * count + heads, np.arange(count) * (count + 1)])
    return np.stack(np.divmod(np.unique(keys), max(1, count)), axis=1)


def _one_unit(count: int) -> tuple[Integers, Integers]:
    """The unit of each of ``count`` entries, and the pairs, where all entries are one unit."""
    return np.zeros(count, np.int64), np.zeros((1, 2), np.int64)


def _joined(parts: Sequence[tuple[Integers, Integers]]) -> UnitRelation:
    """The relation of a batch, from the unit of each entry and the pairs of each instance."""
    unit_counts = np.array([int(pairs.max(initial=-1)) + 1 for _, pairs in parts])
    firsts = np.cumsum(unit_counts) - unit_counts
    return UnitRelation(
        np.concatenate([units + first for (units, _), first in zip(parts, firsts)]),
        np.concatenate([pairs + first for (_, pairs), first in zip(parts, firsts)]),
    )
