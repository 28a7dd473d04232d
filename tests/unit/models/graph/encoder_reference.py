"""The graph encoder written as specification 03, section 5 prints it: dense matrices, one node after the other."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from discourse_nmt.models.graph.encoder import GraphConvolution, GraphEncoder

ACTIVATIONS = {
    "sigmoid": lambda x: 1 / (1 + (-x).exp()),
    "relu": lambda x: x.clamp(min=0),
    "gelu": lambda x: x * (1 + torch.erf(x / math.sqrt(2))) / 2,
}


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


def gated(layer: GraphConvolution, states: Tensor, matrices: Sequence[Tensor], direction: int) -> Tensor:
    """The matrix N of direction in (0) or out (1): that of each relation, whose edges are gated one by one."""
    total = torch.zeros_like(matrices[0])
    for relation, matrix in enumerate(matrices):
        found = normalised(matrix.T if direction == 0 else matrix, layer.settings.graph_norm)
        for i, j in found.nonzero().tolist():
            gate = torch.ones(())
            if layer.edge_gates is not None and layer.relation_bias is not None:
                score = layer.edge_gates.weight[direction] @ states[j] + layer.relation_bias[direction, relation]
                gate = 1 / (1 + (-score).exp())
            total = total.index_put((torch.tensor(i), torch.tensor(j)), gate * found[i, j], accumulate=True)
    return total


def convolve(
    layer: GraphConvolution, states: Tensor, relations: Sequence[Tensor], kept: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """States [L, d] after ``layer``, and the weights [L, 3] of the directions in, out, self (none for multi-head).

    ``relations`` has a matrix for each relation, or one for all. No message comes from nodes that are not ``kept``
    (bool ``[L]``), which count in degrees.
    """
    settings = layer.settings
    size, width = states.shape
    activate = ACTIVATIONS[settings.graph_activation]
    merged = sum(relations, torch.zeros(size, size, dtype=states.dtype))
    matrices = [merged.T, merged, torch.eye(size, dtype=states.dtype)]
    sums = [gated(layer, states, relations, 0), gated(layer, states, relations, 1), matrices[2]]
    if kept is not None:
        sums = [each * kept for each in sums]
    directions = [
        activate(each @ (states @ weight.T + bias))
        for each, weight, bias in zip(sums, layer.projection.weight.chunk(3), layer.projection.bias.chunk(3))
    ]
    empty = torch.stack([each.sum(1) == 0 for each in matrices], dim=1) & settings.mask_empty_directions
    results: list[Tensor] = []
    weights: list[Tensor] = []
    for node in range(size):
        of_node = torch.stack([direction[node] for direction in directions])
        if settings.direction_weights == "multi_head":
            results.append(multi_head(layer, states[node], of_node, empty[node]))
            continue
        if settings.direction_weights == "gates":
            gates = torch.sigmoid((of_node * layer.gates).sum(1) + layer.gate_bias)
            weights.append(torch.where(empty[node], 0.0, gates))
        else:
            scores = of_node @ states[node] / math.sqrt(width)
            weights.append(torch.where(empty[node], -math.inf, scores).softmax(0))
        results.append(weights[-1] @ of_node)
    found = torch.stack(results)
    if settings.graph_residual:
        found = states + found
    if layer.norm is not None:
        centred = found - found.mean(1, keepdim=True)
        deviation = (centred.square().mean(1, keepdim=True) + layer.norm.eps).sqrt()
        found = centred / deviation * layer.norm.weight + layer.norm.bias
    return found, torch.stack(weights) if weights else torch.empty(0)


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


def encode(encoder: GraphEncoder, states: Tensor, relations: Sequence[Tensor], kept: Tensor | None = None) -> Tensor:
    """All layers of an encoder in evaluation mode."""
    for layer in encoder.layers:
        assert isinstance(layer, GraphConvolution)
        states = convolve(layer, states, relations, kept)[0]
    return states
