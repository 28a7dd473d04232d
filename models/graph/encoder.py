"""Encoder of word graphs: convolutions over incoming edges, outgoing edges and the node itself (spec 03, section 5).

Graphs of several documents are joined to one, and there is one sum over edges per direction for all of them; it takes
memory for nodes and edges, not for a state per edge. A layer computes the nodes that the next one reads, the last one
the nodes that are wanted.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.corpus.arrays import Booleans, Integers
from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.core.dropout import Dropout
from discourse_nmt.models.core.parts import linear
from discourse_nmt.models.graph.word_graphs import WordGraph
from discourse_nmt.models.switches.document_graph import GraphEncoderSettings, GraphNorm


@dataclass(frozen=True)
class Aggregation:
    """The matrix N of one direction by its rows: row i sums ``weights[e]`` times node ``neighbours[e]``.

    ``neighbours`` int64 and ``weights`` float64, both [E], hold those of row i from ``starts[i]`` on; ``starts`` is
    int64 [R]. ``total`` (float64 [R]) is the sum of each row's weights. ``empty`` (bool [R]) is true where a node has
    no such neighbour in the whole graph.
    """

    neighbours: Tensor
    starts: Tensor
    weights: Tensor
    total: Tensor
    empty: Tensor

    def sum(self, states: Tensor) -> Tensor:
        """``N states``, [L, d] to [R, d]; torch's bag of embeddings makes no copy of the states of each edge."""
        weights = self.weights.to(states.dtype)
        return F.embedding_bag(self.neighbours, states, self.starts, mode="sum", per_sample_weights=weights)

    def to(self, device: torch.device) -> "Aggregation":
        """The same on another device."""
        return Aggregation(*(getattr(self, entry.name).to(device, non_blocking=True) for entry in fields(self)))


@dataclass(frozen=True)
class GraphTensors:
    """A graph as a layer reads it: over edges into a node and over those out of it.

    ``rows`` int64 [R] are the nodes that get a state, among the L whose states are read.
    """

    incoming: Aggregation
    outgoing: Aggregation
    rows: Tensor

    def to(self, device: torch.device) -> "GraphTensors":
        """The same on another device."""
        return GraphTensors(self.incoming.to(device), self.outgoing.to(device), self.rows.to(device))


def graph_tensors(graph: WordGraph, norm: GraphNorm, rows: Booleans | None = None) -> GraphTensors:
    """The matrices of both directions, on the CPU; ``rows`` (bool ``[L]``, None for all) get a state."""
    computed = np.ones(len(graph), bool) if rows is None else rows
    incoming = _aggregation(graph.targets, graph.sources, graph.arriving, graph.leaving, norm, computed)
    outgoing = _aggregation(graph.sources, graph.targets, graph.leaving, graph.arriving, norm, computed)
    return GraphTensors(incoming, outgoing, torch.from_numpy(np.flatnonzero(computed)))


def layer_graphs(graph: WordGraph, norm: GraphNorm, wanted: Booleans, layers: int) -> tuple[GraphTensors, ...]:
    """The graph of each of ``layers`` layers; the first one reads all nodes, the last one computes the ``wanted``."""
    from_the_top: list[GraphTensors] = []
    for _ in range(layers):
        inner = graph.reached(wanted[None], 1)[0] if len(from_the_top) < layers - 1 else np.ones(len(graph), bool)
        from_the_top.append(graph_tensors(graph.part(inner), norm, wanted[inner]))
        wanted = inner
    return tuple(reversed(from_the_top))


def _aggregation(
    rows: Integers, columns: Integers, row_sums: Integers, column_sums: Integers, norm: GraphNorm, computed: Booleans
) -> Aggregation:
    order = np.argsort(rows, kind="stable")
    order = order[computed[rows[order]]]
    rows, columns = rows[order], columns[order]
    if norm == "rowcol":
        divisor = np.sqrt(row_sums[rows] * column_sums[columns])
    elif norm == "literal":
        divisor = np.sqrt(np.maximum(1, column_sums[rows]) * np.maximum(1, column_sums[columns]))
    else:
        divisor = row_sums[rows].astype(np.float64)
    nodes = np.flatnonzero(computed)
    total = np.bincount(rows, 1 / divisor, minlength=len(computed))[nodes]
    arrays = (columns, np.searchsorted(rows, nodes), 1 / divisor, total, row_sums[nodes] == 0)
    return Aggregation(*map(torch.from_numpy, arrays))


def word_states(embeddings: Tensor, subwords: Tensor, starts: Tensor, scale: float) -> Tensor:
    """States [L, d] of words: the mean of their subwords' rows of ``embeddings`` [V, d], times ``scale``.

    ``subwords`` [S] int64 holds those of word i from ``starts[i]`` on; a word without one gets zeros.
    """
    return scale * F.embedding_bag(subwords, embeddings, starts, mode="mean")


class GraphConvolution(nn.Module):
    """One layer: a convolution per direction (spec 03, equations 11, 13 and 14), and their weighted sum for each node.

    The weights of the directions are those of spec 03, equations 15 and 16, with ``direction_weights`` dot.
    """

    def __init__(self, width: int, heads: int, settings: GraphEncoderSettings) -> None:
        super().__init__()
        self.settings = settings
        self.projection = linear(width, 3 * width, parts=3)  # for edges in, edges out, the node itself
        if settings.direction_weights == "multi_head":
            self.attention = MultiHeadAttention(width, heads, dropout=0.0)
        elif settings.direction_weights == "gates":
            self.gates = nn.Parameter(torch.empty(3, width))
            self.gate_bias = nn.Parameter(torch.zeros(3))
            nn.init.xavier_uniform_(self.gates)

    def forward(self, states: Tensor, graph: GraphTensors) -> Tensor:
        """``states`` [L, d] to [R, d]."""
        weights, biases = self.projection.weight.chunk(3), self.projection.bias.chunk(3)
        itself = states.index_select(0, graph.rows)
        # N (H W + 1 b) as (N H) W + (N 1) b: only the wanted rows are projected.
        sums = [
            F.linear(aggregation.sum(states), weight) + aggregation.total.to(states.dtype)[:, None] * bias
            for aggregation, weight, bias in zip((graph.incoming, graph.outgoing), weights, biases)
        ]
        sums.append(F.linear(itself, weights[2], biases[2]))
        activation = torch.sigmoid if self.settings.graph_activation == "sigmoid" else F.relu
        directions = activation(torch.stack(sums, dim=1))  # [L, 3, d]
        empty = None
        if self.settings.mask_empty_directions:
            never = torch.zeros_like(graph.incoming.empty)
            empty = torch.stack([graph.incoming.empty, graph.outgoing.empty, never], dim=1)  # [L, 3]
        return self._weigh(itself, directions, empty)

    def _weigh(self, states: Tensor, directions: Tensor, empty: Tensor | None) -> Tensor:
        """The weighted sum of ``directions`` [L, 3, d] for nodes with ``states`` [L, d]: [L, d]."""
        method = self.settings.direction_weights
        if method == "multi_head":
            allowed = None if empty is None else ~empty[:, None, None]
            mixed: Tensor = self.attention.to_memory(states[:, None], directions, allowed)
            return mixed[:, 0]
        if method == "gates":
            weights = torch.sigmoid((directions * self.gates).sum(-1) + self.gate_bias)
            weights = weights if empty is None else weights.masked_fill(empty, 0.0)
        else:
            scores = (directions @ states[:, :, None])[..., 0] / math.sqrt(states.shape[-1])
            scores = scores if empty is None else scores.masked_fill(empty, -math.inf)
            weights = scores.softmax(dim=-1)
        return (weights[:, None] @ directions)[:, 0]


class GraphEncoder(nn.Module):
    """A stack of graph convolutions, without residual connections or normalisation."""

    def __init__(self, width: int, heads: int, settings: GraphEncoderSettings) -> None:
        super().__init__()
        self.dropout = Dropout(settings.graph_dropout)
        self.layers = nn.ModuleList(GraphConvolution(width, heads, settings) for _ in range(settings.graph_layers))

    def forward(self, states: Tensor, graphs: Sequence[GraphTensors]) -> Tensor:
        """``states`` [L, d] of :func:`word_states` to those of the nodes that the last of ``graphs`` wants, [R, d].

        There is one graph for each layer, see :func:`layer_graphs`.
        """
        states = self.dropout(states)
        for layer, graph in zip(self.layers, graphs, strict=True):
            states = layer(states, graph)
        return states
