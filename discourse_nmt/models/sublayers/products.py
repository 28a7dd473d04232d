"""Products of states and weights in mixed precision on a CPU, with numbers of rows that recur.

For bf16, oneDNN prepares a kernel for each shape of matrices, which takes ten times as long as the product in a small
model. It keeps the last thousand or so, but in training nearly every batch has a number of rows of its own. Therefore
rows of zeros are added up to a multiple of :data:`ROWS`. Single precision has kernels that fit all shapes.
"""

import math
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

ROWS = 64


def product(states: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``states W^T + b`` [..., outputs] of ``states`` [..., inputs], in the precision of autocast where it is on."""
    if states.device.type == "cpu" and torch.is_autocast_enabled("cpu"):
        rounded: Tensor = RoundedProduct.apply(states, weight, bias, torch.get_autocast_dtype("cpu"))
        return rounded
    return F.linear(states, weight, bias)


class Kept(Protocol):
    """The ``ctx`` of torch, in which a function keeps its tensors from the forward to the backward pass."""

    saved_tensors: tuple[Tensor, ...]
    needs_input_grad: tuple[bool, ...]

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep ``tensors``; those that are None come back as None."""

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say that the results ``tensors`` have no gradient."""


class KeptShape(Kept, Protocol):
    """Also the shape of the states, and the types of the arguments."""

    shape: torch.Size
    dtypes: list[torch.dtype | None]


class RoundedProduct(torch.autograd.Function):
    """:func:`product` of ``states`` [..., inputs], ``weight`` [outputs, inputs] and ``bias``, rounded to ``dtype``."""

    @staticmethod
    def forward(ctx: KeptShape, states: Tensor, weight: Tensor, bias: Tensor | None, dtype: torch.dtype) -> Tensor:
        """Keeps the rounded states and weight."""
        count, matrix = math.prod(states.shape[:-1]), weight.to(dtype)
        rows = recurring(states.reshape(count, states.shape[-1]), dtype)
        all_results = rows @ matrix.t() if bias is None else torch.addmm(bias.to(dtype), rows, matrix.t())
        ctx.save_for_backward(rows, matrix)
        ctx.shape, ctx.dtypes = states.shape, [None if part is None else part.dtype for part in (states, weight, bias)]
        return all_results[:count].view(*states.shape[:-1], len(matrix))

    @staticmethod
    @once_differentiable
    def backward(ctx: KeptShape, slope: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of states, weight and bias."""
        rows, matrix = ctx.saved_tensors
        flat = slope.reshape(math.prod(ctx.shape[:-1]), len(matrix))
        above = recurring(flat, matrix.dtype)
        of_states = of_weight = of_bias = None
        if ctx.needs_input_grad[0]:
            of_states = (above @ matrix)[: len(flat)].view(ctx.shape).to(ctx.dtypes[0])
        if ctx.needs_input_grad[1]:
            of_weight = (above.t() @ rows).to(ctx.dtypes[1])
        if ctx.needs_input_grad[2]:
            of_bias = above.sum(0, dtype=ctx.dtypes[2])
        return of_states, of_weight, of_bias, None


def recurring(rows: Tensor, dtype: torch.dtype) -> Tensor:
    """The matrix ``rows`` [n, d] as ``dtype``, with zeros up to a multiple of :data:`ROWS` rows."""
    count = -(-len(rows) // ROWS) * ROWS
    if count == len(rows):
        return rows.to(dtype)
    result = rows.new_empty(count, rows.shape[1], dtype=dtype)
    result[: len(rows)] = rows
    result[len(rows) :] = 0
    return result
