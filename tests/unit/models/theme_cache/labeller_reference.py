"""Literal implementations: LSTMs step by step, the loss word by word, conditional random fields by enumeration."""

import itertools
import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn


def lstm(network: nn.LSTM, states: Tensor) -> Tensor:
    """A bidirectional LSTM [I, d] to [I, 2 h], one position after the other (equation 3)."""
    weights = dict(network.named_parameters())
    for layer in range(network.num_layers):
        directions = []
        for suffix, order in (("", range(len(states))), ("_reverse", reversed(range(len(states))))):
            input_weight, own_weight, input_bias, own_bias = (
                weights[f"{name}_l{layer}{suffix}"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            )
            hidden = cell = torch.zeros(network.hidden_size)
            found: dict[int, Tensor] = {}
            for place in order:
                gates = input_weight @ states[place] + input_bias + own_weight @ hidden + own_bias
                entry, forget, content, exit_ = gates.chunk(4)
                cell = torch.sigmoid(forget) * cell + torch.sigmoid(entry) * torch.tanh(content)
                hidden = torch.sigmoid(exit_) * torch.tanh(cell)
                found[place] = hidden
            directions.append(torch.stack([found[place] for place in range(len(states))]))
        states = torch.cat(directions, dim=1)
    return states


def loss(probabilities: Sequence[Sequence[float]], scores: Sequence[float], labels: Sequence[int], one: int) -> float:
    """Equations 5 to 7, word by word."""
    first = second = 0.0
    for row, score, label in zip(probabilities, scores, labels):
        first -= math.log(row[label])
        second += ((1.0 if label == one else 0.0) - score) ** 2
    return first / len(labels) + second / len(labels)


def path_score(scores: Tensor, transitions: Tensor, labels: Sequence[int]) -> float:
    """What a sequence of labels has, [I, K] and [K, K]."""
    total = sum(scores[place, label].item() for place, label in enumerate(labels))
    return total + sum(transitions[before, after].item() for before, after in itertools.pairwise(labels))


def all_paths(scores: Tensor, transitions: Tensor) -> dict[tuple[int, ...], float]:
    """The score of every sequence of labels."""
    paths = itertools.product(range(scores.shape[1]), repeat=len(scores))
    return {path: path_score(scores, transitions, path) for path in paths}
