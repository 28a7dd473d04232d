"""Instances of several sentences laid out flat, and who may attend to whom in them.

A batch holds the tokens of its instances one after the other, without padding: ``[1, tokens]`` on either side. Each
sentence is ``<s> ids </s>`` in the source and ``<s> ids`` to ``ids </s>`` in the target, so that a target sentence
begins and ends by itself and there are always as many as source sentences.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from corpus.vocabulary import BEGIN, END
from models.neighbourhood import Integers, Neighbourhood, neighbourhood

Relation = Literal["sentence", "tree", "instance"]


@dataclass(frozen=True)
class Instance:
    """Consecutive sentences of one document, and their discourse dependencies.

    ``source`` and ``target`` hold the subword ids of each sentence without marks. ``edus`` holds the discourse unit of
    each source subword, counted from 0 over the instance; ``heads`` [M] the head of each unit, -1 for a root. ``tree``
    is false where the dependencies are not to be used: every unit is then related to every other.
    """

    source: Sequence[Integers]
    target: Sequence[Integers]
    edus: Sequence[Integers]
    heads: Integers
    tree: bool = True


@dataclass(frozen=True)
class Plans:
    """For each relation who sees whom: within the source, within the target (causal), from the target to the source.

    ``sentence``: the tokens of the same sentence (spec 01, equation 5). ``tree``: those of the same or a neighbouring
    unit of the dependency tree (equation 7), in the target and across of the same or an adjacent sentence of the
    merged tree. ``instance``: all.
    """

    source: dict[Relation, Neighbourhood]
    target: dict[Relation, Neighbourhood]
    across: dict[Relation, Neighbourhood]


@dataclass(frozen=True)
class PackedText:
    """One side of a batch: ``ids`` and ``positions``, both int64 [1, tokens]."""

    ids: Tensor
    positions: Tensor


@dataclass(frozen=True)
class PackedBatch:
    """Instances as a network reads them; ``target_output`` [1, tokens] is what follows each token of ``target``."""

    source: PackedText
    target: PackedText
    target_output: Tensor
    plans: Plans


@dataclass(frozen=True)
class Layout:
    """Numbers over the batch, one per token of a side: its sentence, its instance, its position."""

    sentences: Integers
    instances: Integers
    positions: Integers


def layout(lengths: Sequence[Sequence[int]], position_reset: bool) -> Layout:
    """The layout of instances whose sentences have ``lengths`` tokens; positions begin anew with each on request."""
    sizes = [np.array(instance, np.int64) for instance in lengths]
    totals = np.array([size.sum() for size in sizes])
    flat = np.concatenate(sizes)
    runs = flat if position_reset else totals
    return Layout(
        sentences=np.repeat(np.arange(len(flat)), flat),
        instances=np.repeat(np.arange(len(totals)), totals),
        positions=np.arange(totals.sum()) - np.repeat(np.cumsum(runs) - runs, runs),
    )


def pack(
    instances: Sequence[Instance],
    relations: Collection[Relation],
    *,
    target_tree: Literal["merged", "none"] = "merged",
    position_reset: bool = False,
) -> PackedBatch:
    """The batch of ``instances`` with plans for the ``relations`` that the network uses.

    ``target_tree`` none relates all sentences of the target to each other (spec 01, section 9). Positions run over
    the whole instance, or begin anew with each sentence.
    """
    source = layout([[len(ids) + 2 for ids in instance.source] for instance in instances], position_reset)
    target = layout([[len(ids) + 1 for ids in instance.target] for instance in instances], position_reset)
    sentences = [ids for instance in instances for ids in instance.source]
    translations = [ids for instance in instances for ids in instance.target]
    return PackedBatch(
        source=_text([[BEGIN, *ids, END] for ids in sentences], source),
        target=_text([[BEGIN, *ids] for ids in translations], target),
        target_output=_flat([[*ids, END] for ids in translations]),
        plans=plans(instances, source, target, relations, target_tree),
    )


def plans(
    instances: Sequence[Instance], source: Layout, target: Layout, relations: Collection[Relation], target_tree: str
) -> Plans:
    """Who sees whom in a batch of ``instances`` with these layouts."""
    result = Plans({}, {}, {})
    for relation in relations:
        if relation == "tree":
            sentence_units, sentence_relation = _sentence_units(instances, target_tree)
            edus, edu_relation = _edus(instances)
            source_units, target_units = sentence_units[source.sentences], sentence_units[target.sentences]
        else:
            source_units, target_units = (
                (source.sentences, target.sentences) if relation == "sentence" else (source.instances, target.instances)
            )
            sentence_relation = edu_relation = np.stack([np.unique(source_units)] * 2, axis=1)
            edus = source_units
        result.source[relation] = neighbourhood(edus[None], edus[None], [edu_relation])
        result.target[relation] = neighbourhood(
            target_units[None], target_units[None], [sentence_relation], causal=True
        )
        result.across[relation] = neighbourhood(target_units[None], source_units[None], [sentence_relation])
    return result


def sentence_pairs(edus: Sequence[Integers], heads: Integers) -> Integers:
    """Adjacent sentences of an instance, each with itself too: pairs [P, 2] of the merged tree (overview 5.2)."""
    home = np.full(len(heads), -1, np.int64)
    for sentence, units in enumerate(edus):
        home[units] = sentence
    dependents = np.flatnonzero(heads >= 0)
    arcs = np.stack([home[heads[dependents]], home[dependents]], axis=1)
    itself = np.stack([np.arange(len(edus))] * 2, axis=1)
    return np.unique(np.concatenate([arcs, arcs[:, ::-1], itself]), axis=0)


def _edus(instances: Sequence[Instance]) -> tuple[Integers, Integers]:
    """The unit of each source token over the batch, and the related pairs of units (equation 7).

    The sentence marks belong to the first and the last unit of their sentence.
    """
    units, pairs, first = [], [], 0
    for instance in instances:
        if instance.tree:
            for edus in instance.edus:
                units.append(first + np.concatenate([edus[:1], edus, edus[-1:]]))
            dependents = np.flatnonzero(instance.heads >= 0)
            arcs = np.stack([instance.heads[dependents], dependents], axis=1)
            itself = np.stack([np.arange(len(instance.heads))] * 2, axis=1)
            pairs.append(first + np.concatenate([arcs, arcs[:, ::-1], itself]))
            first += len(instance.heads)
        else:
            units += [np.full(len(ids) + 2, first) for ids in instance.source]
            pairs.append(np.array([[first, first]]))
            first += 1
    return np.concatenate(units), np.concatenate(pairs)


def _sentence_units(instances: Sequence[Instance], target_tree: str) -> tuple[Integers, Integers]:
    """The unit of each sentence over the batch where sentences are units, and the related pairs of units."""
    units, pairs, first = [], [], 0
    for instance in instances:
        count = len(instance.source)
        if instance.tree and target_tree == "merged":
            units.append(first + np.arange(count))
            pairs.append(first + sentence_pairs(instance.edus, instance.heads))
            first += count
        else:
            units.append(np.full(count, first))
            pairs.append(np.array([[first, first]]))
            first += 1
    return np.concatenate(units), np.concatenate(pairs)


def _text(sentences: list[list[int]], places: Layout) -> PackedText:
    return PackedText(_flat(sentences), torch.from_numpy(places.positions)[None])


def _flat(sentences: list[list[int]]) -> Tensor:
    return torch.tensor([number for sentence in sentences for number in sentence], dtype=torch.int64)[None]
