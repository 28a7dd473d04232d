"""Cross-entropy with label smoothing, summed over target tokens, computed together with the output projection."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from discourse_nmt.models.sublayers.products import Kept, by_onednn, recurring, times_transposed, transposed_times

# Target tokens whose scores are in memory at a time. Fewer leave a GPU idle, more leave the cache of a CPU.
ROWS = {"cpu": 256, "cuda": 4096}
SCORES = 2**28  # most scores in memory, which matters for vocabularies of 65,536 subwords and more


def rows_at_a_time(device: str, vocabulary: int) -> int:
    """The number of target tokens whose scores of a ``vocabulary`` are in memory at a time, on a cpu or cuda."""
    return max(1, min(ROWS[device], SCORES // vocabulary))


@dataclass(frozen=True)
class Losses:
    """Sums over the target tokens of a batch, in nats: scalars."""

    objective: Tensor
    """What training minimises."""
    likelihood: Tensor
    """Negative log-likelihood of the reference, without gradient."""


Network = TypeVar("Network", bound=nn.Module)
Collated = TypeVar("Collated")
Objective = Callable[[Network, Collated], Losses]
"""The losses of a network on a batch."""


def smoothed(states: Tensor, weight: Tensor, reference: Tensor, smoothing: float, bias: Tensor | None = None) -> Losses:
    """Label-smoothed cross-entropy (Szegedy et al. 2016, section 7) of ``states`` [n, d] and ``reference`` [n].

    The scores of the symbols are ``states`` times the output projection ``weight`` [V, d], plus a fixed ``bias`` [V].
    The reference symbol has probability ``1 - smoothing``, and every symbol, itself included, ``smoothing / V`` more.
    Products have the precision of autocast, the loss at least single precision.
    """
    return Losses(*ProjectedLoss.apply(states, weight, bias, reference, smoothing, torch.is_grad_enabled()))


class ProjectedLoss(torch.autograd.Function):
    """The objective and the likelihood of :func:`smoothed`.

    The gradient is made with the loss, :data:`ROWS` rows at a time, so that no scores [n, V] are kept for it: memory
    of that size is slow to allocate and to read again. It is exact, as the objective is what training differentiates.
    """

    @staticmethod
    def forward(
        ctx: Kept,
        states: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        reference: Tensor,
        smoothing: float,
        differentiated: bool,
    ) -> tuple[Tensor, Tensor]:
        """Keeps the gradients of the objective, of ``states`` and ``weight``, if ``differentiated``."""
        dtype = _precision(states)
        wide = torch.promote_types(dtype, torch.float32)
        of_states, of_weight = (
            torch.zeros_like(tensor, dtype=wide) if differentiated and needed else None
            for tensor, needed in zip((states, weight), ctx.needs_input_grad)
        )
        rows = states.to(dtype) if dtype == states.dtype else recurring(states, dtype)
        matrix = weight.to(dtype)
        vocabulary, block_rows = len(weight), rows_at_a_time(states.device.type, len(weight))
        shape = min(block_rows, len(rows)), vocabulary
        all_scores, all_logarithms = rows.new_empty(shape), rows.new_empty(shape, dtype=wide)
        likelihood, uniform = (states.new_zeros((), dtype=wide) for _ in range(2))
        for begin in range(0, len(reference), block_rows):
            block = rows[begin : begin + block_rows]
            right = reference[begin : begin + block_rows, None]
            scores, logarithms = all_scores[: len(block)], all_logarithms[: len(right)]
            if by_onednn(block):
                scores = times_transposed(block, matrix)
            else:
                torch.mm(block, matrix.t(), out=scores)
            if bias is not None:
                scores += bias
            torch.log_softmax(scores[: len(right)], 1, dtype=wide, out=logarithms)
            likelihood -= logarithms.gather(1, right).sum()
            if smoothing:
                uniform -= logarithms.sum() / vocabulary
            if of_states is None and of_weight is None:
                continue
            slope = logarithms.exp_()  # probabilities, less those of the smoothed reference
            if smoothing:
                slope -= smoothing / vocabulary
            slope.scatter_(1, right, slope.gather(1, right) - (1 - smoothing))
            if dtype != wide:
                scores[: len(right)] = slope
                scores[len(right) :] = 0
                slope = scores
            if of_states is not None:
                of_states[begin : begin + block_rows] = times_transposed(slope, matrix.t())[: len(right)]
            if of_weight is not None:
                _add_product(of_weight, slope, block)
        ctx.save_for_backward(of_states, of_weight)
        ctx.mark_non_differentiable(likelihood)
        objective = (1 - smoothing) * likelihood + smoothing * uniform
        return objective, likelihood

    @staticmethod
    @once_differentiable
    def backward(ctx: Kept, slope: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of states and weight."""
        of_states, of_weight = (None if kept is None else kept * slope for kept in ctx.saved_tensors)
        return of_states, of_weight, None, None, None, None


def _precision(states: Tensor) -> torch.dtype:
    """The type of products: autocast's where it is on."""
    device = states.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else states.dtype


def _add_product(total: Tensor, left: Tensor, right: Tensor) -> None:
    """Add ``left^T right`` to ``total``, whose type may be wider, so that few bits of a sum over blocks are lost."""
    if total.dtype != left.dtype or by_onednn(left):
        total += transposed_times(left, right)
    else:
        total.addmm_(left.t(), right)
