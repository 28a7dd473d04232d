"""Encoder of word graphs: convolutions over incoming edges, outgoing edges and the node itself (spec 03, section 5).

The printed encoder is the default. Two of its sigmoid layers leave the states of all nodes nearly equal, so there are
the parts of later graph encoders: residual connections, layer normalisation, other activations, and gates of edges.

Graphs of several documents are joined to one, and there is one sum over edges per direction for all of them; it takes
memory for nodes and edges, not for a state per edge. A layer computes the nodes that the next one reads, the last one
the nodes that are wanted.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.base.arrays import Booleans, Integers
from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.graph.word_graphs import WordGraph
from discourse_nmt.models.sublayers.dropout import Dropout
from discourse_nmt.models.sublayers.parts import linear
from discourse_nmt.models.switches.document_graph import GraphEncoderSettings, GraphNorm

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"sigmoid": torch.sigmoid, "relu": F.relu, "gelu": F.gelu}


@dataclass(frozen=True)
class Aggregation:
    """The matrix N of one direction by its rows: row i sums ``weights[e]`` times node ``neighbours[e]``.

    ``neighbours`` and ``kinds`` int64 and ``weights`` float64, all [E], hold those of row i from ``starts[i]`` on;
    ``starts`` is int64 [R]. ``empty`` (bool [R]) is true where a node has no such neighbour in the whole graph.
    """

    neighbours: Tensor
    starts: Tensor
    kinds: Tensor
    weights: Tensor
    empty: Tensor

    def sum(self, states: Tensor, gates: Tensor | None = None) -> Tensor:
        """``N states``, [L, d] to [R, d]; torch's bag of embeddings makes no copy of the states of each edge.

        ``gates`` [L, K] multiply the weight of an edge by that of its neighbour and its kind.
        """
        weights = self.weights.to(states.dtype)
        if gates is not None:
            weights = weights * gates[self.neighbours, self.kinds].to(states.dtype)
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
    incoming = _aggregation(graph.targets, graph.sources, graph.kinds, graph.arriving, graph.leaving, norm, computed)
    outgoing = _aggregation(graph.sources, graph.targets, graph.kinds, graph.leaving, graph.arriving, norm, computed)
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
    rows: Integers,
    columns: Integers,
    kinds: Integers,
    row_sums: Integers,
    column_sums: Integers,
    norm: GraphNorm,
    computed: Booleans,
) -> Aggregation:
    order = np.argsort(rows, kind="stable")
    order = order[computed[rows[order]]]
    rows, columns, kinds = rows[order], columns[order], kinds[order]
    if norm == "rowcol":
        divisor = np.sqrt(row_sums[rows, kinds] * column_sums[columns, kinds])
    elif norm == "literal":
        divisor = np.sqrt(np.maximum(1, column_sums[rows, kinds]) * np.maximum(1, column_sums[columns, kinds]))
    else:
        divisor = row_sums[rows, kinds].astype(np.float64)
    nodes = np.flatnonzero(computed)
    arrays = (columns, np.searchsorted(rows, nodes), kinds, 1 / divisor, (row_sums[nodes] == 0).all(axis=1))
    return Aggregation(*map(torch.from_numpy, arrays))


def word_states(embeddings: Tensor, subwords: Tensor, starts: Tensor, scale: float) -> Tensor:
    """States [L, d] of words: the mean of their subwords' rows of ``embeddings`` [V, d], times ``scale``.

    ``subwords`` [S] int64 holds those of word i from ``starts[i]`` on; a word without one gets zeros.
    """
    return scale * F.embedding_bag(subwords, embeddings, starts, mode="mean")


class GraphConvolution(nn.Module):
    """One layer: a convolution per direction (spec 03, equations 11, 13 and 14), and their weighted sum for each node.

    The weights of the directions are those of spec 03, equations 15 and 16, with ``direction_weights`` dot. With
    ``relation_gates`` the relations of a direction are summed, each normalised by its own degrees, and the edge from
    node j of relation r is multiplied by σ(⟨h_j, v⟩ + b_r), with v and b of the direction (Marcheggiani and Titov 2017,
    "Encoding sentences with graph convolutional networks for semantic role labeling", EMNLP, equation 7).
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
        self.edge_gates: nn.Linear | None = None
        self.relation_bias: nn.Parameter | None = None
        if settings.relation_gates:
            self.edge_gates = linear(width, 2, bias=False)  # for edges in, edges out
            self.relation_bias = nn.Parameter(torch.zeros(2, len(RELATIONS)))
        self.norm = nn.LayerNorm(width) if settings.graph_layer_norm else None

    def forward(self, states: Tensor, graph: GraphTensors) -> Tensor:
        """``states`` [L, d] to [R, d]."""
        weights, biases = self.projection.weight.chunk(3), self.projection.bias.chunk(3)
        itself = states.index_select(0, graph.rows)
        ones = states.new_ones(len(states), 1)
        # N (H W + 1 b) as (N H) W + (N 1) b: only the wanted rows are projected.
        sums = [
            F.linear(aggregation.sum(states, gates), weight) + aggregation.sum(ones, gates) * bias
            for aggregation, gates, weight, bias in zip(
                (graph.incoming, graph.outgoing), self._gates_of(states), weights, biases
            )
        ]
        sums.append(F.linear(itself, weights[2], biases[2]))
        directions = ACTIVATIONS[self.settings.graph_activation](torch.stack(sums, dim=1))  # [R, 3, d]
        empty = None
        if self.settings.mask_empty_directions:
            never = torch.zeros_like(graph.incoming.empty)
            empty = torch.stack([graph.incoming.empty, graph.outgoing.empty, never], dim=1)  # [R, 3]
        result = self._weigh(itself, directions, empty)
        if self.settings.graph_residual:
            result = itself + result
        return result if self.norm is None else self.norm(result)

    def _gates_of(self, states: Tensor) -> tuple[Tensor, Tensor] | tuple[None, None]:
        """For edges in and for edges out the gate [L, K] of each node and relation."""
        if self.edge_gates is None or self.relation_bias is None:
            return None, None
        scores = self.edge_gates(states)[:, :, None] + self.relation_bias  # [L, 2, K]
        incoming, outgoing = torch.sigmoid(scores).unbind(dim=1)
        return incoming, outgoing

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
    """A stack of graph convolutions."""

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
