"""Batches of instances, laid out flat.

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

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.models.attention.neighbourhood import Neighbourhood
from discourse_nmt.models.packed.instances import AnyInstance, Instance
from discourse_nmt.models.packed.relations import Relation, TargetTree, edu_relation, sentence_relation
from discourse_nmt.models.packed.windows import Window, window_plan

TargetPositions = Literal["source", "running"]


@dataclass(frozen=True)
class Plans:
    """For each relation who attends to whom: within the source, within the target (causal), target to source.

    ``sentence``: the tokens of the same sentence (spec 01, equation 5). ``tree``: those of the same or a neighbouring
    unit of the dependency tree (spec 01, equation 7), in the target and across of the same or a neighbouring sentence
    of the merged tree. ``instance``: all. A window is of the source, see :class:`.Window`.
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
    """Instances laid out flat; ``target_output`` [1, tokens] holds the token that follows each token of ``target``."""

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
class PackedLayout:
    """The sentence and the position of each token of a side; sentences are numbered over the batch."""

    sentences: Integers
    """[tokens]."""
    positions: Integers
    """[tokens], counted from 0 over the instance."""
    firsts: Integers
    """[sentences] position of each sentence's first token."""


def layout(lengths: Sequence[Sequence[int]], position_reset: bool, firsts: Integers | None = None) -> PackedLayout:
    """The layout of instances whose sentences have ``lengths`` tokens.

    Positions run over the instance, begin anew with each sentence, or begin in each at the position ``firsts``.
    """
    counts = np.concatenate([np.array(instance, np.int64) for instance in lengths])
    begins = np.cumsum(counts) - counts
    if firsts is None:
        sentences = np.array([len(instance) for instance in lengths])
        instance_begins = np.repeat(begins[np.cumsum(sentences) - sentences], sentences)
        firsts = np.zeros_like(begins) if position_reset else begins - instance_begins
    return PackedLayout(
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
    source_marks: int = 2,
) -> PackedBatch:
    """The batch of ``instances`` with plans for the ``relations`` that the network uses.

    ``target_tree`` none relates all sentences of the target to each other (spec 01, section 9). Source positions run
    over the whole instance, or begin anew with each sentence. ``target_positions`` running counts likewise over the
    target; source gives the first token of each target sentence the position of its source sentence's first token, so
    that positions do not depend on the lengths of earlier translations. With one of the ``source_marks`` a source
    sentence is ``ids </s>``.
    """
    source = source_layout(instances, position_reset, source_marks)
    target = target_layout(instances, source, position_reset, target_positions)
    translations = [ids for instance in instances for ids in instance.target]
    return PackedBatch(
        source=source_text(instances, source, source_marks),
        target=PackedText(_flat(translations, [BEGIN], []), torch.from_numpy(target.positions)[None]),
        target_output=_flat(translations, [], [END]),
        plans=plans(instances, source, target, relations, target_tree, source_marks),
    )


def source_layout(instances: Sequence[AnyInstance], position_reset: bool, marks: int = 2) -> PackedLayout:
    """The layout of the source side."""
    return layout([[len(ids) + marks for ids in instance.source] for instance in instances], position_reset)


def target_layout(
    instances: Sequence[Instance], source: PackedLayout, position_reset: bool, target_positions: TargetPositions
) -> PackedLayout:
    """The layout of the target side, given that of the source."""
    lengths = [[len(ids) + 1 for ids in instance.target] for instance in instances]
    return layout(lengths, position_reset, source.firsts if target_positions == "source" else None)


def source_text(instances: Sequence[AnyInstance], source: PackedLayout, marks: int = 2) -> PackedText:
    """The source side with this layout."""
    sentences = [ids for instance in instances for ids in instance.source]
    return PackedText(_flat(sentences, [BEGIN][: marks - 1], [END]), torch.from_numpy(source.positions)[None])


def plans(
    instances: Sequence[Instance],
    source: PackedLayout,
    target: PackedLayout,
    relations: Collection[Relation],
    target_tree: TargetTree,
    source_marks: int = 2,
) -> Plans:
    """Who attends to whom in a batch of ``instances`` with these layouts."""
    result = Plans(source_plans(instances, source, relations, source_marks), {}, {})
    for relation in relations:
        related = sentence_relation(instances, relation, target_tree)
        result.target[relation] = related.plan(target.sentences, target.sentences, causal=True)
        result.across[relation] = related.plan(target.sentences, source.sentences)
    return result


def source_plans(
    instances: Sequence[AnyInstance], source: PackedLayout, relations: Collection[Relation], marks: int = 2
) -> dict[Relation, Neighbourhood]:
    """Who attends to whom within the source of a batch with this layout."""
    result: dict[Relation, Neighbourhood] = {}
    for relation in relations:
        if isinstance(relation, Window):
            lengths = [[len(ids) + marks for ids in instance.source] for instance in instances]
            result[relation] = window_plan(relation, lengths)
        elif relation == "tree":
            tokens = np.arange(len(source.sentences))
            result[relation] = edu_relation(instances, marks).plan(tokens, tokens)
        else:
            related = sentence_relation(instances, relation, "merged")
            result[relation] = related.plan(source.sentences, source.sentences)
    return result


def _flat(sentences: Iterable[Integers], begin: Sequence[int], end: Sequence[int]) -> Tensor:
    """All sentences one after the other, each between the marks ``begin`` and ``end``: [1, tokens]."""
    marks = np.array(begin, np.int64), np.array(end, np.int64)
    arrays = [array for ids in sentences for array in (marks[0], ids, marks[1])]
    return torch.from_numpy(np.concatenate(arrays).astype(np.int64, copy=False))[None]
