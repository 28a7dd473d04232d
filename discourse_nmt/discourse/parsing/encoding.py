"""Encoding of documents for the network."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Integers
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.parsing.examples import Node
from discourse_nmt.discourse.parsing.features import features_of
from discourse_nmt.discourse.parsing.layout import UnitLayout
from discourse_nmt.discourse.parsing.network import Children, ParserUnits, SpanTable
from discourse_nmt.discourse.parsing.pairs import pairs_of, symbols_of
from discourse_nmt.discourse.structures.mentions import head_of_span


@dataclass(frozen=True)
class Encoded:
    """One encoded document: feature ids of each EDU, pooled states [EDUs, POOLED, state size], layout, and symbols for
    pairs of EDUs (:func:`.symbols_of`)."""

    features: list[list[int]]
    states: Tensor
    layout: UnitLayout
    symbols: Integers


def frequent_features(documents: Sequence[ParserInput], least: int) -> tuple[str, ...]:
    """The features that occur in at least ``least`` documents, sorted."""
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update({feature for features in features_of(document) for feature in features})
    return tuple(sorted(feature for feature, count in counts.items() if count >= least))


def frequent_pairs(documents: Sequence[tuple[ParserInput, Sequence[Node]]], least: int) -> tuple[int, ...]:
    """The pairs that occur at inner nodes of at least ``least`` documents, sorted."""
    counts: Counter[int] = Counter()
    for document, nodes in documents:
        pairs = pairs_of(symbols_of(document), UnitLayout.of(document), np.array(nodes))
        counts.update(np.unique(pairs).tolist())
    return tuple(sorted(pair for pair, count in counts.items() if count >= least))


def encode(document: ParserInput, feature_ids: Mapping[str, int]) -> Encoded:
    """An encoded document; features without an id are left out."""
    features = [[feature_ids[name] for name in names if name in feature_ids] for names in features_of(document)]
    pooled = []
    for edu in document.edus:
        states = document.states[edu.sentence]
        head = head_of_span(edu, document.sentences[edu.sentence].heads).start
        inside = states[edu.start : edu.end]
        pooled.append(np.stack([inside[0], inside[-1], states[head], inside.mean(0)]))
    return Encoded(features, torch.from_numpy(np.stack(pooled)), UnitLayout.of(document), symbols_of(document))


def batch(documents: Sequence[Encoded]) -> ParserUnits:
    """A batch of documents."""
    bags = [bag for document in documents for bag in document.features]
    return ParserUnits(
        torch.tensor([feature for bag in bags for feature in bag], dtype=torch.long),
        torch.tensor([0, *map(len, bags[:-1])]).cumsum(0),
        torch.cat([document.states for document in documents]),
        [len(document.features) for document in documents],
    )


def table(layout: UnitLayout, start: Integers, end: Integers) -> SpanTable:
    """The spans ``[start, end)`` with their classes."""
    columns = (
        start,
        end,
        layout.first_tops(start, end),
        layout.last_tops(start, end),
        layout.lengths(start, end),
        layout.sentence_classes(start, end),
        layout.arc_classes(start, end),
        layout.governor_classes(start, end),
        layout.paragraph_classes(start, end),
    )
    return SpanTable(torch.from_numpy(np.stack(columns, axis=1)))


def children(document: Encoded, nodes: Integers, known: Integers) -> Children:
    """The children of inner nodes [N, 3] (first EDU, first EDU of the right child, end); ``known`` are the pairs with
    weights, sorted."""
    layout = document.layout
    start, division, end = nodes.T
    links = layout.links(start, division, end)
    pairs = pairs_of(document.symbols, layout, nodes)
    positions = np.searchsorted(known, pairs)
    has_weights = known[np.minimum(positions, len(known) - 1)] == pairs if len(known) else np.zeros(pairs.shape, bool)
    pair_ids = np.where(has_weights, positions + 1, 0)
    return Children(
        table(layout, start, division),
        table(layout, division, end),
        torch.from_numpy(links),
        torch.from_numpy(pair_ids),
    )
