"""Parsing: documents in, binary trees out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import eq

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Integers
from discourse_nmt.discourse.parsing.chart import Floats, best_tree, probabilities, spans_of
from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.parsing.encoding import Encoded, batch, children, encode, table
from discourse_nmt.discourse.parsing.examples import Node, tree_of_nodes
from discourse_nmt.discourse.parsing.network import ParserNetwork, Rates
from discourse_nmt.discourse.structures.trees import RstTree

BLOCK = 300  # most units (EDUs of a sentence, sentences of a document) that are parsed in one chart
BATCH_UNITS = 2000  # EDUs that are encoded together


@dataclass(frozen=True)
class ParserInventory:
    """Features with an embedding (ids from 1), labels of inner nodes, such as ``elaboration ns``, and pairs with
    weights, sorted (ids from 1)."""

    features: tuple[str, ...]
    labels: tuple[str, ...]
    pairs: tuple[int, ...]


class RstParser:
    """One or more trained networks with a common inventory; their scores are averaged."""

    def __init__(self, networks: Sequence[ParserNetwork], inventory: ParserInventory) -> None:
        self.networks = [network.eval() for network in networks]
        self.inventory = inventory
        self.known_pairs = np.array(inventory.pairs, np.int64)
        self.agreements = _agreements(inventory.labels)
        self._numbers = {feature: number for number, feature in enumerate(inventory.features, 1)}

    @property
    def state_size(self) -> int:
        """Required width of the documents' states."""
        return self.networks[0].settings.state_size

    def parse(self, documents: Sequence[ParserInput]) -> list[RstTree]:
        """The tree of every document: binary, without texts; one leaf for a document of one EDU.

        Time and memory grow with the length of a document; a document of more than :data:`BLOCK` EDUs is parsed in
        blocks that end where the fewest spans are expected to cross.
        """
        trees: dict[int, RstTree] = {}
        order = sorted(range(len(documents)), key=lambda index: len(documents[index].edus))
        for group in _groups(order, [len(document.edus) for document in documents]):
            encoded = [encode(documents[index], self._numbers) for index in group]
            trees.update(zip(group, self._parse(encoded)))
        return [trees[index] for index in range(len(documents))]

    @torch.inference_mode()
    def _parse(self, documents: Sequence[Encoded]) -> Iterator[RstTree]:
        units = batch(documents)
        encodings = zip(*(network.encode(units, Rates()) for network in self.networks))
        for document, vectors in zip(documents, encodings):
            yield _DocumentParser(self, list(vectors), document).tree()


class _DocumentParser:
    """Parsing of one document, whose EDUs have the ``vectors`` [edus, entry] of each network."""

    def __init__(self, parser: RstParser, vectors: list[Tensor], document: Encoded) -> None:
        self.parser = parser
        self.pairs = list(zip(parser.networks, vectors))
        self.terms = [network.span(vectors_of_edus) for network, vectors_of_edus in self.pairs]
        self.document, self.layout = document, document.layout
        self.edus = len(self.layout.sentences)

    def tree(self) -> RstTree:
        """The whole tree."""
        parts = [part for bounds in self.layout.parts() for part in self._divided(bounds)]
        nodes: list[Node] = [(int(part[0]), int(part[1]), int(part[2])) for part in parts if len(part) == 3]
        parts = [part for part in parts if len(part) > 3]
        for part, span_probabilities in zip(parts, self._probabilities(parts)):
            # A span has the same count as left and as right child.
            both = span_probabilities.sum(1, keepdims=True).repeat(2, 1)
            nodes += [
                (int(part[start]), int(part[division]), int(part[end])) for start, division, end in best_tree(both)
            ]
        nodes.sort(key=lambda node: (node[0], -node[2]))
        return tree_of_nodes(self.edus, nodes, self._labels(nodes))

    def _divided(self, bounds: Integers) -> list[Integers]:
        """The units between ``bounds`` as parts of at most :data:`BLOCK` units: blocks, divided where the fewest spans
        cross, and then a part with the blocks as units."""
        if len(bounds) <= BLOCK + 1:
            return [bounds]
        ends = [0]
        start, end = spans_of(BLOCK)
        while len(bounds) - 1 - ends[-1] > BLOCK:
            [span_probabilities] = self._probabilities([bounds[ends[-1] : ends[-1] + BLOCK + 1]])
            crossing = np.zeros(BLOCK + 1)  # a span [i, j) is counted at i + 1 to j - 1
            np.add.at(crossing, start + 1, span_probabilities.sum(1))
            np.subtract.at(crossing, end, span_probabilities.sum(1))
            ends.append(ends[-1] + BLOCK // 2 + int(crossing.cumsum()[BLOCK // 2 : BLOCK].argmin()))
        ends.append(len(bounds) - 1)
        return [*self._divided(bounds[ends]), *(bounds[first : last + 1] for first, last in pairwise(ends))]

    def _probabilities(self, parts: Sequence[Integers]) -> list[Floats]:
        """Probabilities [spans, 2] of the spans of each part, from the mean of the networks' scores."""
        if not parts:
            return []
        spans_of_parts = [spans_of(len(bounds) - 1) for bounds in parts]
        start = np.concatenate([bounds[first] for bounds, (first, _) in zip(parts, spans_of_parts)])
        end = np.concatenate([bounds[last] for bounds, (_, last) in zip(parts, spans_of_parts)])
        spans = table(self.layout, start, end)
        scores = [network.span_scores(terms, spans, Rates()) for (network, _), terms in zip(self.pairs, self.terms)]
        mean = torch.stack(scores).mean(0).double().numpy()
        sizes = np.cumsum([len(first) for first, _ in spans_of_parts])[:-1]
        return [probabilities(part_scores)[1] for part_scores in np.split(mean, sizes.tolist())]

    def _labels(self, nodes: Sequence[Node]) -> list[str]:
        """The label of each node that maximises the expected number of right labels, nuclearities and relations."""
        if not nodes:
            return []
        node_children = children(self.document, np.array(nodes), self.parser.known_pairs)
        scores = [
            network.label_scores(vectors, node_children, Rates()).log_softmax(-1) for network, vectors in self.pairs
        ]
        shares = torch.stack(scores).mean(0).softmax(-1)
        best = (shares @ self.parser.agreements).argmax(-1).tolist()
        return [self.parser.inventory.labels[label] for label in best]


def _agreements(labels: Sequence[str]) -> Tensor:
    """Number of equal fields among label, nuclearity and relation, for each two labels [labels, labels]."""
    fields = [(label, *label.split()) for label in labels]
    return torch.tensor([[float(sum(map(eq, row, column))) for column in fields] for row in fields])


def _groups(order: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    """Groups of consecutive items of ``order`` with at most :data:`BATCH_UNITS` units, including padding."""
    group: list[int] = []
    for index in order:
        if group and (len(group) + 1) * sizes[index] > BATCH_UNITS:
            yield group
            group = []
        group.append(index)
    if group:
        yield group
