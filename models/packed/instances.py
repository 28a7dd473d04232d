"""Instances of several sentences laid out flat, and who may attend to whom in them.

A batch holds the tokens of its instances one after the other, without padding: ``[1, tokens]`` on either side. Each
sentence is ``<s> ids </s>`` in the source and ``<s> ids`` to ``ids </s>`` in the target, so that a target sentence
begins and ends by itself and there are always as many as source sentences.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.corpus.vocabulary import BEGIN, END
from discourse_nmt.models.attention.neighbourhood import Integers, Neighbourhood, neighbourhood
from discourse_nmt.models.packed.windows import Window, window_plan

Relation = Literal["sentence", "tree", "instance"] | Window
TargetTree = Literal["merged", "none"]
TargetPositions = Literal["source", "running"]


@dataclass(frozen=True)
class SourceInstance:
    """Consecutive sentences of one document and their discourse dependencies, to be translated.

    ``source`` holds the subword ids of each sentence without marks. ``edus`` holds the discourse unit of each source
    subword, counted from 0 over the instance; ``heads`` [M] the head of each unit, -1 for a root. ``tree`` is false
    where the dependencies are not to be used: every unit is then related to every other, and ``edus`` and ``heads`` may
    be empty.
    """

    source: Sequence[Integers]
    edus: Sequence[Integers]
    heads: Integers
    tree: bool = True


@dataclass(frozen=True)
class Instance:
    """A :class:`SourceInstance` with its translation: ``target`` holds the subword ids of each sentence."""

    source: Sequence[Integers]
    target: Sequence[Integers]
    edus: Sequence[Integers]
    heads: Integers
    tree: bool = True


AnyInstance = SourceInstance | Instance


@dataclass(frozen=True)
class Plans:
    """For each relation who sees whom: within the source, within the target (causal), from the target to the source.

    ``sentence``: the tokens of the same sentence (spec 01, equation 5). ``tree``: those of the same or a neighbouring
    unit of the dependency tree (equation 7), in the target and across of the same or an adjacent sentence of the
    merged tree. ``instance``: all. A window is of the source: see :class:`.Window`.
    """

    source: dict[Relation, Neighbourhood]
    target: dict[Relation, Neighbourhood]
    across: dict[Relation, Neighbourhood]

    def to(self, device: torch.device) -> "Plans":
        """The same plans on another device."""
        parts = (self.source, self.target, self.across)
        return Plans(*({relation: plan.to(device) for relation, plan in part.items()} for part in parts))


@dataclass(frozen=True)
class PackedText:
    """One side of a batch: ``ids`` and ``positions``, both int64 [1, tokens]."""

    ids: Tensor
    positions: Tensor

    def to(self, device: torch.device) -> "PackedText":
        """The same text on another device."""
        return PackedText(self.ids.to(device), self.positions.to(device))


@dataclass(frozen=True)
class PackedBatch:
    """Instances as a network reads them; ``target_output`` [1, tokens] is what follows each token of ``target``."""

    source: PackedText
    target: PackedText
    target_output: Tensor
    plans: Plans

    @property
    def target_tokens(self) -> int:
        """Tokens that are predicted: target subwords and ``</s>``."""
        return self.target_output.numel()

    def to(self, device: torch.device) -> "PackedBatch":
        """The same batch on another device."""
        return PackedBatch(
            self.source.to(device), self.target.to(device), self.target_output.to(device), self.plans.to(device)
        )


@dataclass(frozen=True)
class Layout:
    """Numbers over the batch: the sentence and the position of each token of a side, and of each sentence's first."""

    sentences: Integers
    """[tokens]."""
    positions: Integers
    """[tokens], counted from 0 over the instance."""
    firsts: Integers
    """[sentences] position of each sentence's first token."""


def layout(lengths: Sequence[Sequence[int]], position_reset: bool, firsts: Integers | None = None) -> Layout:
    """The layout of instances whose sentences have ``lengths`` tokens.

    Positions run over the instance, begin anew with each sentence, or begin in each at the position ``firsts``.
    """
    counts = np.concatenate([np.array(instance, np.int64) for instance in lengths])
    begins = np.cumsum(counts) - counts
    if firsts is None:
        sentences = np.array([len(instance) for instance in lengths])
        instance_begins = np.repeat(begins[np.cumsum(sentences) - sentences], sentences)
        firsts = np.zeros_like(begins) if position_reset else begins - instance_begins
    return Layout(
        sentences=np.repeat(np.arange(len(counts)), counts),
        positions=np.arange(counts.sum()) - np.repeat(begins - firsts, counts),
        firsts=firsts,
    )


def pack(
    instances: Sequence[Instance],
    relations: Collection[Relation],
    *,
    target_tree: TargetTree = "merged",
    target_positions: TargetPositions = "source",
    position_reset: bool = False,
) -> PackedBatch:
    """The batch of ``instances`` with plans for the ``relations`` that the network uses.

    ``target_tree`` none relates all sentences of the target to each other (spec 01, section 9). Source positions run
    over the whole instance, or begin anew with each sentence. ``target_positions`` running counts likewise over the
    target; source gives the first token of each target sentence the position of its source sentence's first, so that
    where a sentence stands does not depend on how long the translations before it are.
    """
    source = source_layout(instances, position_reset)
    target = layout(
        [[len(ids) + 1 for ids in instance.target] for instance in instances],
        position_reset,
        source.firsts if target_positions == "source" else None,
    )
    translations = [ids for instance in instances for ids in instance.target]
    return PackedBatch(
        source=source_text(instances, source),
        target=PackedText(_flat(translations, [BEGIN], []), torch.from_numpy(target.positions)[None]),
        target_output=_flat(translations, [], [END]),
        plans=plans(instances, source, target, relations, target_tree),
    )


def source_layout(instances: Sequence[AnyInstance], position_reset: bool) -> Layout:
    """The layout of the source side."""
    return layout([[len(ids) + 2 for ids in instance.source] for instance in instances], position_reset)


def source_text(instances: Sequence[AnyInstance], places: Layout) -> PackedText:
    """The source side with this layout."""
    sentences = [ids for instance in instances for ids in instance.source]
    return PackedText(_flat(sentences, [BEGIN], [END]), torch.from_numpy(places.positions)[None])


def plans(
    instances: Sequence[Instance],
    source: Layout,
    target: Layout,
    relations: Collection[Relation],
    target_tree: TargetTree,
) -> Plans:
    """Who sees whom in a batch of ``instances`` with these layouts."""
    result = Plans(source_plans(instances, source, relations), {}, {})
    for relation in relations:
        units, related = sentence_units(instances, relation, target_tree)
        source_units, target_units = units[source.sentences][None], units[target.sentences][None]
        result.target[relation] = neighbourhood(target_units, target_units, [related], causal=True)
        result.across[relation] = neighbourhood(target_units, source_units, [related])
    return result


def source_plans(
    instances: Sequence[AnyInstance], source: Layout, relations: Collection[Relation]
) -> dict[Relation, Neighbourhood]:
    """Who sees whom within the source of a batch with this layout."""
    result: dict[Relation, Neighbourhood] = {}
    for relation in relations:
        if isinstance(relation, Window):
            result[relation] = window_plan(relation, [[len(ids) + 2 for ids in one.source] for one in instances])
            continue
        if relation == "tree":
            units, related = _edus(instances)
        else:
            sentences, related = sentence_units(instances, relation, "merged")
            units = sentences[source.sentences]
        result[relation] = neighbourhood(units[None], units[None], [related])
    return result


def sentence_units(
    instances: Sequence[AnyInstance], relation: Relation, target_tree: TargetTree
) -> tuple[Integers, Integers]:
    """The unit of each sentence over the batch where units are whole sentences or larger: [sentences].

    And the pairs [P, 2] of a unit and another that it sees, in the target and across, where windows are the sentence.
    """
    units: list[Integers] = []
    pairs: list[Integers] = []
    first = 0
    for instance in instances:
        count = len(instance.source)
        if relation != "instance" and (relation != "tree" or (instance.tree and target_tree == "merged")):
            own = np.arange(count)
            units.append(first + own)
            itself = np.stack([own, own], axis=1)
            pairs.append(first + (sentence_pairs(instance.edus, instance.heads) if relation == "tree" else itself))
            first += count
        else:
            units.append(np.full(count, first))
            pairs.append(np.array([[first, first]]))
            first += 1
    return np.concatenate(units), np.concatenate(pairs)


def sentence_pairs(edus: Sequence[Integers], heads: Integers) -> Integers:
    """Adjacent sentences of an instance, each with itself too: pairs [P, 2] of the merged tree (overview 5.2).

    A unit that has no subword is in no sentence, and its arcs join none.
    """
    home = np.full(len(heads), -1, np.int64)
    for sentence, units in enumerate(edus):
        home[units] = sentence
    dependents = np.flatnonzero(heads >= 0)
    arcs = np.stack([home[heads[dependents]], home[dependents]], axis=1)
    arcs = arcs[(arcs >= 0).all(axis=1)]
    itself = np.stack([np.arange(len(edus))] * 2, axis=1)
    return np.unique(np.concatenate([arcs, arcs[:, ::-1], itself]), axis=0)


def _edus(instances: Sequence[AnyInstance]) -> tuple[Integers, Integers]:
    """The unit of each source token over the batch, and the related pairs of units (equation 7).

    The sentence marks belong to the first and the last unit of their sentence, those of an empty one to a unit of
    their own.
    """
    units: list[Integers] = []
    pairs: list[Integers] = []
    first = 0
    for instance in instances:
        if not instance.tree:
            units.append(np.full(sum(len(ids) + 2 for ids in instance.source), first))
            pairs.append(np.array([[first, first]]))
            first += 1
            continue
        count = len(instance.heads)
        for edus in instance.edus:
            if len(edus):
                units += [first + edus[:1], first + edus, first + edus[-1:]]
            else:
                units.append(np.full(2, first + count))
                count += 1
        dependents = np.flatnonzero(instance.heads >= 0)
        arcs = np.stack([instance.heads[dependents], dependents], axis=1)
        itself = np.stack([np.arange(count)] * 2, axis=1)
        pairs.append(first + np.concatenate([arcs, arcs[:, ::-1], itself]))
        first += count
    return np.concatenate(units), np.concatenate(pairs)


def _flat(sentences: Iterable[Integers], begin: Sequence[int], end: Sequence[int]) -> Tensor:
    """All sentences one after the other, each between the marks ``begin`` and ``end``: [1, tokens]."""
    marks = np.array(begin, np.int64), np.array(end, np.int64)
    parts = [part for ids in sentences for part in (marks[0], ids, marks[1])]
    return torch.from_numpy(np.concatenate(parts).astype(np.int64, copy=False))[None]
