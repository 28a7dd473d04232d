"""Sparsemax (Martins and Astudillo 2016, "From softmax to sparsemax"): a softmax that gives exact zeros.

The package entmax has it too, but fails if all scores of a row are ``-inf``, and has had no release since 2024.
"""

import math

import torch
from torch import Tensor

from discourse_nmt.models.sublayers.products import Kept


def sparsemax(scores: Tensor) -> Tensor:
    """The point of the probability simplex nearest to ``scores``, along the last axis (spec 02, section 6).

    ``max(scores - tau, 0)`` with tau such that the sum is 1. ``-inf`` gives 0; a row of nothing else gives zeros. Half
    precision is computed, and returned, in single precision, as softmax under autocast.
    """
    probabilities: Tensor = _Sparsemax.apply(scores.to(torch.promote_types(scores.dtype, torch.float32)))
    return probabilities


class _Sparsemax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Kept, scores: Tensor) -> Tensor:
        highest = scores.amax(dim=-1, keepdim=True)
        scores = scores - highest.masked_fill(highest == -math.inf, 0)  # the result is the same, the sums stay small
        ordered = scores.sort(dim=-1, descending=True).values
        beyond = ordered.cumsum(dim=-1) - 1
        ranks = torch.arange(1, scores.shape[-1] + 1, device=scores.device)
        support_size = (ranks * ordered > beyond).sum(dim=-1, keepdim=True).clamp(min=1)  # algorithm 1 of the paper
        threshold = beyond.gather(-1, support_size - 1) / support_size
        probabilities = torch.where(scores > threshold, scores - threshold, 0)
        ctx.save_for_backward(probabilities)
        return probabilities

    @staticmethod
    def backward(ctx: Kept, gradient: Tensor) -> Tensor:
        (probabilities,) = ctx.saved_tensors
        support = probabilities > 0
        inside = gradient * support
        mean = inside.sum(dim=-1, keepdim=True) / support.sum(dim=-1, keepdim=True).clamp(min=1)
        return torch.where(support, inside - mean, 0)
