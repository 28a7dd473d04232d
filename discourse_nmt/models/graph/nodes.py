"""From the word graphs of a batch of paragraphs to tensors: the encoded nodes, and those of each sentence.

Two paragraphs of a document share its graph. Only the part of a graph is encoded that the states of the wanted words
depend on; these states are the same as with the whole graph.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.models.graph.encoder import GraphTensors, layer_graphs
from discourse_nmt.models.graph.word_graphs import GraphWords, LinkedWords, ParagraphGraphs, WordGraph, side_by_side
from discourse_nmt.models.switches.document_graph import DocumentGraphSettings


@dataclass(frozen=True)
class SideNodes:
    """The graphs of one side, joined to one, and the nodes that each of B sentences attends to."""

    subwords: Tensor
    """[S] the subwords of all nodes."""
    starts: Tensor
    """[L] the first subword of each node."""
    graphs: tuple[GraphTensors, ...]
    """The graph of each layer of the graph encoder; the last one computes the A nodes of all sentences."""
    nodes: Tensor
    """[B, K] the nodes of each sentence, as indices of these A, padded."""
    padding: Tensor
    """[B, K] bool, true at padding."""
    gaps: bool
    """Whether some sentence has no node."""
    related: Tensor | None
    """[B, T, K] bool, the nodes that each position of a sentence attends to; None if all attend to the same."""

    def to(self, device: torch.device) -> "SideNodes":
        """The same on another device."""
        return SideNodes(
            self.subwords.to(device),
            self.starts.to(device),
            tuple(graph.to(device) for graph in self.graphs),
            self.nodes.to(device),
            self.padding.to(device),
            self.gaps,
            None if self.related is None else self.related.to(device),
        )


@dataclass(frozen=True)
class GraphBatch:
    """The graphs of a batch by side; a side is left out if no sentence has a node of it."""

    sides: dict[str, SideNodes]

    def to(self, device: torch.device) -> "GraphBatch":
        """The same on another device."""
        return GraphBatch({side: nodes.to(device) for side, nodes in self.sides.items()})


@dataclass(frozen=True)
class _Piece:
    """A document, or a part of it, and the nodes ``seen`` [n, L] that the batch's ``rows`` [n] attend to."""

    words: GraphWords
    graph: WordGraph
    rows: Integers
    own: Booleans
    """[n, L] the words of the sentence itself."""
    seen: Booleans


def graph_batch(
    settings: DocumentGraphSettings, paragraphs: Sequence[ParagraphGraphs], source_ids: Tensor
) -> GraphBatch:
    """The graphs of ``paragraphs``, whose sentences are the rows of ``source_ids`` [B, S]."""
    sides = ("source",) if settings.target_graph == "none" else ("source", "target")
    by_side: dict[str, SideNodes] = {}
    for side in sides:
        earlier = side == "target" and settings.draft == "earlier"
        pieces = list(_earlier(settings, paragraphs) if earlier else _documents(settings, paragraphs, side))
        if any(piece.seen.any() for piece in pieces):
            shape = (len(source_ids), source_ids.shape[1])
            by_side[side] = _nodes(settings, pieces, shape, settings.scope == "related" and side == "source")
    return GraphBatch(by_side)


def _documents(settings: DocumentGraphSettings, paragraphs: Sequence[ParagraphGraphs], side: str) -> Iterator[_Piece]:
    """Each document of the batch, and the nodes of its sentences according to the scope (spec 03, section 6)."""
    counts = np.array([paragraph.count for paragraph in paragraphs])
    begins = np.cumsum(counts) - counts
    for document in dict.fromkeys(paragraph.document for paragraph in paragraphs):
        chosen = [number for number, paragraph in enumerate(paragraphs) if paragraph.document == document]
        rows = np.concatenate([begins[number] + np.arange(counts[number]) for number in chosen])
        sentences = np.concatenate([paragraphs[number].first + np.arange(counts[number]) for number in chosen])
        linked = paragraphs[chosen[0]].sides[side]
        if settings.context_sentences is not None or _removes(settings):
            yield from map(partial(_sentence, settings, linked), rows.tolist(), sentences.tolist())
            continue
        graph = linked.graph(settings.relations, settings.relation_gates)
        own = linked.words.sentences == sentences[:, None]
        yield _Piece(linked.words, graph, rows, own, _seen(settings, graph, own))


def _removes(settings: DocumentGraphSettings) -> bool:
    """Whether removing words farther than ``prune_hops`` changes a state that a sentence attends to."""
    if settings.pruning == "exact" or settings.prune_hops is None:
        return False
    return settings.scope != "current" or settings.graph_layers > settings.prune_hops


def _seen(settings: DocumentGraphSettings, graph: WordGraph, own: Booleans) -> Booleans:
    """The nodes that sentences attend to, by the scope; ``own`` are their words, both [n, L]."""
    if settings.scope == "current":
        return own
    if settings.scope == "related":
        return graph.reached(own, 1)
    return np.ones_like(own) if settings.prune_hops is None else graph.reached(own, settings.prune_hops)


def _sentence(settings: DocumentGraphSettings, linked: LinkedWords, row: int, sentence: int) -> _Piece:
    """A sentence with a graph of its own: of the sentences around it, or without the words far from it."""
    near = linked if settings.context_sentences is None else linked.near(sentence, settings.context_sentences)
    graph = near.graph(settings.relations, settings.relation_gates)
    own = (near.words.sentences == sentence)[None]
    seen, kept = _seen(settings, graph, own), np.ones(len(graph), bool)
    if settings.prune_hops is not None and _removes(settings):
        kept = graph.reached(own, settings.prune_hops)[0]
    return _Piece(near.words.part(kept), graph.part(kept), np.array([row]), own[:, kept], seen[:, kept])


def _earlier(settings: DocumentGraphSettings, paragraphs: Sequence[ParagraphGraphs]) -> Iterator[_Piece]:
    """For each sentence the draft before it, of which it attends to the last sentences."""
    row = 0
    for paragraph in paragraphs:
        for sentence in range(paragraph.first, paragraph.first + paragraph.count):
            linked: LinkedWords = paragraph.sides["target"].before(sentence)
            graph = linked.graph(settings.relations, settings.relation_gates)
            seen = linked.words.sentences[None] >= sentence - settings.earlier_sentences
            yield _Piece(linked.words, graph, np.array([row]), np.zeros_like(seen), seen)
            row += 1


def _nodes(
    settings: DocumentGraphSettings, pieces: Sequence[_Piece], shape: tuple[int, int], related: bool
) -> SideNodes:
    """The tensors of ``pieces`` for B sentences of up to S positions; ``shape`` is (B, S)."""
    wanted = [np.any(piece.seen, axis=0) for piece in pieces]
    read = [_read(settings, piece.graph, nodes) for piece, nodes in zip(pieces, wanted)]
    words = [piece.words.part(nodes) for piece, nodes in zip(pieces, read)]
    graph = side_by_side([piece.graph.part(nodes) for piece, nodes in zip(pieces, read)])
    ends = np.concatenate([nodes[pruned] for nodes, pruned in zip(wanted, read)])
    sizes = np.array([len(of_piece.subwords) for of_piece in words])
    before = np.cumsum(sizes) - sizes
    node_table, padding = _node_table(pieces, wanted, shape[0])
    mask = None
    if related:
        mask = np.repeat(~padding[:, None], shape[1], axis=1)
        for piece in pieces:
            for number, row in enumerate(piece.rows.tolist()):
                of_words = _related(piece, number)
                mask[row, 1 : 1 + len(of_words), : of_words.shape[1]] = of_words
    return SideNodes(
        subwords=torch.from_numpy(np.concatenate([of_piece.subwords for of_piece in words])),
        starts=torch.from_numpy(np.concatenate([of_piece.starts + first for of_piece, first in zip(words, before)])),
        graphs=layer_graphs(graph, settings.graph_norm, ends, settings.graph_layers),
        nodes=torch.from_numpy(node_table),
        padding=torch.from_numpy(padding),
        gaps=bool(padding.all(axis=1).any()),
        related=None if mask is None else torch.from_numpy(mask),
    )


def _read(settings: DocumentGraphSettings, graph: WordGraph, wanted: Booleans) -> Booleans:
    """The nodes that the graph encoder reads for the states of the ``wanted``, bool ``[L]`` each."""
    if settings.prune_hops is None:
        return np.ones_like(wanted)
    read: Booleans = graph.reached(wanted[None], settings.graph_layers)[0]
    return read


def _node_table(pieces: Sequence[_Piece], wanted: Sequence[Booleans], rows: int) -> tuple[Integers, Booleans]:
    """The nodes of each row, as indices of the ``wanted`` of all pieces, and the padding: [B, K] each."""
    nodes_of_row: list[Integers] = [np.empty(0, np.int64)] * rows
    first = 0
    for piece, nodes in zip(pieces, wanted):
        index_of_node = first + np.cumsum(nodes) - 1
        for row, seen in zip(piece.rows.tolist(), piece.seen):
            nodes_of_row[row] = index_of_node[seen]
        first += int(nodes.sum())
    counts = np.array([len(nodes) for nodes in nodes_of_row])
    padding = np.arange(counts.max()) >= counts[:, None]
    table = np.zeros(padding.shape, np.int64)
    table[~padding] = np.concatenate(nodes_of_row)
    return table, padding


def _related(piece: _Piece, number: int) -> Booleans:
    """For each subword of a sentence, which nodes of the sentence are its word or neighbours of it."""
    own, seen = np.flatnonzero(piece.own[number]), piece.seen[number]
    pairs = piece.graph.related(own)
    linked = np.zeros((len(own), int(seen.sum())), bool)
    linked[pairs[:, 0], (np.cumsum(seen) - 1)[pairs[:, 1]]] = True
    words = piece.words
    return np.repeat(linked, np.diff(words.starts, append=len(words.subwords))[own], axis=0)
