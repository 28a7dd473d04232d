"""The graph encoder written as specification 03, section 5 prints it: dense matrices, one node after the other."""

import math

import torch
from torch import Tensor

from discourse_nmt.models.graph.encoder import GraphConvolution, GraphEncoder


def dense(size: int, sources: list[int], targets: list[int]) -> Tensor:
    """``A(i, j) = 1`` iff there is an edge from i to j (eq. 12)."""
    matrix = torch.zeros(size, size, dtype=torch.float64)
    matrix[sources, targets] = 1
    return matrix


def normalised(matrix: Tensor, norm: str) -> Tensor:
    """The matrix N of one direction: the table of section 5."""
    rows, columns = matrix.sum(1), matrix.sum(0)
    result = torch.zeros_like(matrix)
    for i, j in matrix.nonzero().tolist():
        if norm == "rowcol":
            result[i, j] = 1 / math.sqrt(rows[i] * columns[j])
        elif norm == "literal":
            result[i, j] = 1 / math.sqrt(max(1.0, float(columns[i])) * max(1.0, float(columns[j])))
        else:
            result[i, j] = 1 / max(1.0, float(rows[i]))
    return result


def convolve(layer: GraphConvolution, states: Tensor, matrix: Tensor) -> tuple[Tensor, Tensor]:
    """States [L, d] after ``layer``, and the weights [L, 3] of the directions in, out, self (none for multi-head)."""
    settings = layer.settings
    size, width = states.shape
    activate = torch.sigmoid if settings.graph_activation == "sigmoid" else torch.relu
    matrices = [matrix.T, matrix, torch.eye(size, dtype=matrix.dtype)]
    directions = [
        activate(normalised(each, settings.graph_norm) @ (states @ weight.T + bias))
        for each, weight, bias in zip(matrices, layer.projection.weight.chunk(3), layer.projection.bias.chunk(3))
    ]
    empty = torch.stack([each.sum(1) == 0 for each in matrices], dim=1) & settings.mask_empty_directions
    results, weights = [], []
    for node in range(size):
        found = torch.stack([direction[node] for direction in directions])
        if settings.direction_weights == "multi_head":
            results.append(multi_head(layer, states[node], found, empty[node]))
            continue
        if settings.direction_weights == "gates":
            gates = torch.sigmoid((found * layer.gates).sum(1) + layer.gate_bias)
            weights.append(torch.where(empty[node], 0.0, gates))
        else:
            scores = found @ states[node] / math.sqrt(width)
            weights.append(torch.where(empty[node], -math.inf, scores).softmax(0))
        results.append(weights[-1] @ found)
    return torch.stack(results), torch.stack(weights) if weights else torch.empty(0)


def multi_head(layer: GraphConvolution, state: Tensor, found: Tensor, empty: Tensor) -> Tensor:
    attention = layer.attention
    weights, biases = attention.projection.weight.chunk(3), attention.projection.bias.chunk(3)
    query = state @ weights[0].T + biases[0]
    keys, values = (found @ weight.T + bias for weight, bias in zip(weights[1:], biases[1:]))
    parts = []
    for part in torch.arange(len(state)).chunk(attention.heads):
        scores = torch.where(empty, -math.inf, keys[:, part] @ query[part] / math.sqrt(len(part)))
        parts.append(scores.softmax(0) @ values[:, part])
    result: Tensor = attention.output(torch.cat(parts))
    return result


def encode(encoder: GraphEncoder, states: Tensor, matrix: Tensor) -> Tensor:
    """All layers of an encoder in evaluation mode."""
    for layer in encoder.layers:
        assert isinstance(layer, GraphConvolution)
        states = convolve(layer, states, matrix)[0]
    return states
