"""Dropout on a CPU: the zeroed elements are drawn, not a number for each element.

Torch draws a random number for each element, one after the other, which takes a fifth of a small model's training step.
Independent elements that are zero with probability p lie apart by distances of a geometric distribution. These are
drawn, floor(E / -log(1 - p)) + 1 with E exponential (Devroye 1986, chapter X.2), so that time falls with p.
"""

import math
from typing import Protocol

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from discourse_nmt.models.sublayers.products import Kept

SPARE = 4  # standard deviations by which more distances are drawn than expected, so that one draw is mostly enough


def zeroed(count: int, probability: float) -> Tensor:
    """The ascending positions among ``count`` that are drawn, each with ``probability``: int64.

    The draw follows from torch's generator of random numbers on the CPU.
    """
    if probability in (0, 1):
        return torch.arange(count if probability else 0)
    seed = int(torch.empty((), dtype=torch.int64).random_())
    generator, scale = np.random.Generator(np.random.SFC64(seed)), -1 / math.log1p(-probability)
    expected = count * probability
    pieces, last = [], -1
    while last < count:
        number = int(expected + SPARE * math.sqrt(expected)) + 16
        distances = (generator.standard_exponential(number, np.float32) * scale).astype(np.int64) + 1
        distances[0] += last
        pieces.append(distances.cumsum())
        last = int(pieces[-1][-1])
    positions = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
    return torch.from_numpy(positions[: np.searchsorted(positions, count)])


def scale_of(probability: float) -> float:
    """Factor on elements that stay, so that expectations do not change."""
    return 1 / (1 - probability) if probability < 1 else 0.0


class Dropout(nn.Module):
    """Dropout; on a CPU by :class:`DrawnDropout`."""

    def __init__(self, probability: float) -> None:
        super().__init__()
        self.probability = probability

    def forward(self, states: Tensor) -> Tensor:
        """``states`` (any shape), in training with elements zeroed and the others scaled."""
        if not self.training or self.probability == 0:
            return states
        if states.device.type != "cpu":
            return F.dropout(states, self.probability)
        dropped: Tensor = DrawnDropout.apply(states, self.probability)
        return dropped


class KeptScale(Kept, Protocol):
    """Also the factor on elements that stay."""

    scale: float


class DrawnDropout(torch.autograd.Function):
    """``states`` with elements zeroed with a probability, the others divided by that of staying."""

    @staticmethod
    def forward(ctx: KeptScale, states: Tensor, probability: float) -> Tensor:
        """Keeps the positions of the zeroed elements."""
        ctx.scale = scale_of(probability)
        positions = zeroed(states.numel(), probability)
        ctx.save_for_backward(positions)
        return _scaled(states, ctx.scale, positions)

    @staticmethod
    @once_differentiable
    def backward(ctx: KeptScale, slope: Tensor) -> tuple[Tensor, None]:
        """The gradient of the states."""
        return _scaled(slope, ctx.scale, *ctx.saved_tensors), None


def _scaled(states: Tensor, scale: float, positions: Tensor) -> Tensor:
    result = states.contiguous() * scale
    result.view(-1).index_fill_(0, positions, 0)
    return result
