"""Word graphs of documents: their edges, the neighbourhood of nodes, and several graphs joined to one (spec 03).

After L layers of graph convolutions a state depends on nodes at most L edges away, in either direction. So the part of
a graph within L edges of some nodes gives these nodes the same states as the whole graph, if each edge keeps its
weight. For that, degrees are those of the whole graph, also in a part of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.base.relations import RELATIONS, Relation
from discourse_nmt.base.spans import ranges


@dataclass(frozen=True, eq=False)
class WordGraph:
    """A directed graph over the words of a document, or of several.

    Edge ``e`` leads from node ``sources[e]`` to ``targets[e]`` and is of kind ``kinds[e]``, int64 ``[E]``. Kinds are
    relations, or all 0 if relations are merged. ``arriving`` and ``leaving`` (int64 ``[L, K]``) count each node's edges
    of each kind in the whole graph that this one is, or is a part of.
    """

    sources: Integers
    targets: Integers
    kinds: Integers
    arriving: Integers
    leaving: Integers

    def __len__(self) -> int:
        return len(self.arriving)

    def reached(self, members: Booleans, hops: int) -> Booleans:
        """The nodes at most ``hops`` edges, in either direction, from each of several sets: bool ``[sets, L]``.

        ``members`` [sets, L] says which nodes are in which set. Time and memory are E x sets / 8 bytes.
        """
        reached = np.packbits(members, axis=0).T.copy()  # [L, sets / 8]
        neighbours, starts, counts = self._around
        first_neighbours, linked = starts[counts > 0], np.flatnonzero(counts)
        for _ in range(hops if len(linked) else 0):
            reached[linked] |= np.bitwise_or.reduceat(reached[neighbours], first_neighbours, axis=0)
        return np.unpackbits(reached.T, axis=0, count=len(members)).astype(bool)

    def part(self, kept: Booleans) -> "WordGraph":
        """The nodes that are ``kept`` (bool ``[L]``), numbered anew, with the edges between them."""
        new_index = np.cumsum(kept) - 1
        inside = kept[self.sources] & kept[self.targets]
        sources, targets = (new_index[ends[inside]] for ends in (self.sources, self.targets))
        return WordGraph(sources, targets, self.kinds[inside], self.arriving[kept], self.leaving[kept])

    def related(self, nodes: Integers) -> Integers:
        """The pairs (index in ``nodes``, neighbour of that node in either direction or itself), sorted: ``[P, 2]``."""
        neighbours, starts, counts = self._around
        indices = np.arange(len(nodes))
        firsts = np.concatenate([indices, np.repeat(indices, counts[nodes])])
        seconds = np.concatenate([nodes, neighbours[ranges(starts[nodes], (starts + counts)[nodes])]])
        keys = np.sort(firsts * len(self) + seconds)
        return np.stack(np.divmod(keys[np.diff(keys, prepend=-1) > 0], max(1, len(self))), axis=1)

    @cached_property
    def _around(self) -> tuple[Integers, Integers, Integers]:
        """Neighbours in either direction, node after node; the first neighbour of each node, and their number."""
        ends = np.concatenate([self.sources, self.targets])
        counts = np.bincount(ends, minlength=len(self))
        others = np.concatenate([self.targets, self.sources])[np.argsort(ends, kind="stable")]
        return others, np.cumsum(counts) - counts, counts


def word_graph(
    size: int, sources: Integers, targets: Integers, *, kinds: Integers | None = None, count: int = 1
) -> WordGraph:
    """The graph of ``size`` nodes with these edges of ``count`` kinds; repeated edges of a kind count once.

    Without ``kinds`` all are of one kind, so that relations are merged.
    """
    kinds = np.zeros(len(sources), np.int64) if kinds is None else kinds
    keys = np.sort((sources.astype(np.int64) * size + targets) * count + kinds)
    pairs, kinds = np.divmod(keys[np.diff(keys, prepend=-1) > 0], count)
    sources, targets = np.divmod(pairs, max(1, size))
    arriving, leaving = (
        np.bincount(ends * count + kinds, minlength=size * count).reshape(size, count) for ends in (targets, sources)
    )
    return WordGraph(sources, targets, kinds, arriving, leaving)


def side_by_side(graphs: Sequence[WordGraph]) -> WordGraph:
    """Several graphs joined to one, with the nodes of each after those of the graph before it."""
    sizes = np.array([len(graph) for graph in graphs], np.int64)
    shifts = np.repeat(np.cumsum(sizes) - sizes, [len(graph.sources) for graph in graphs])
    empty = np.empty(0, np.int64)
    nothing = word_graph(0, empty, empty, count=graphs[0].arriving.shape[1] if graphs else 1)
    sources, targets, kinds, arriving, leaving = (
        np.concatenate([getattr(graph, column.name) for graph in (nothing, *graphs)]) for column in fields(WordGraph)
    )
    return WordGraph(sources + shifts, targets + shifts, kinds, arriving, leaving)


@dataclass(frozen=True, eq=False)
class GraphWords:
    """The words of a document, or some of them, in text order.

    ``sentences`` [L] is the sentence of each word, from 0 in its document. Word i has the ``subwords`` [S] from
    ``starts[i]`` on.
    """

    sentences: Integers
    subwords: Integers
    starts: Integers

    def __len__(self) -> int:
        return len(self.sentences)

    def part(self, kept: Booleans) -> "GraphWords":
        """The words that are ``kept``, bool ``[L]``."""
        stops = np.append(self.starts, len(self.subwords))[1:][kept]
        counts = stops - self.starts[kept]
        subwords = self.subwords[ranges(self.starts[kept], stops)]
        return GraphWords(self.sentences[kept], subwords, np.cumsum(counts) - counts)


@dataclass(frozen=True, eq=False)
class LinkedWords:
    """The words of a document and the edges between them, each with its relation (an index of ``RELATIONS``)."""

    words: GraphWords
    sources: Integers
    targets: Integers
    relations: Integers

    def graph(self, relations: Sequence[Relation], apart: bool = False) -> WordGraph:
        """The graph of the whole document with some of its relations, merged or, with ``apart``, a kind each."""
        chosen = np.isin(self.relations, [RELATIONS.index(relation) for relation in relations])
        sources, targets = self.sources[chosen], self.targets[chosen]
        if apart:
            kinds = self.relations[chosen]
            return word_graph(len(self.words), sources, targets, kinds=kinds, count=len(RELATIONS))
        return word_graph(len(self.words), sources, targets)

    def part(self, kept: Booleans) -> "LinkedWords":
        """The words that are ``kept``, bool ``[L]``, and the edges between them."""
        new_index = np.cumsum(kept) - 1
        inside = kept[self.sources] & kept[self.targets]
        sources, targets = (new_index[ends[inside]] for ends in (self.sources, self.targets))
        return LinkedWords(self.words.part(kept), sources, targets, self.relations[inside])

    def before(self, sentence: int) -> "LinkedWords":
        """The words of the sentences before ``sentence``, and the edges between them."""
        return self.part(self.words.sentences < sentence)

    def near(self, sentence: int, distance: int) -> "LinkedWords":
        """The same of the sentences at most ``distance`` from ``sentence``, on either side."""
        return self.part(abs(self.words.sentences - sentence) <= distance)


@dataclass(frozen=True, eq=False)
class ParagraphGraphs:
    """A paragraph with the graphs of its document.

    ``document`` is the document's number, ``first`` the paragraph's first sentence in it and ``count`` the number of
    its sentences; ``sides`` has the words of the whole document, ``source`` and maybe ``target``, the draft.
    """

    document: int
    first: int
    count: int
    sides: Mapping[str, LinkedWords]
