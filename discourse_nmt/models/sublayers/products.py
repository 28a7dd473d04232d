"""Products of states and weights by oneDNN on a CPU, with numbers of rows that recur.

oneDNN prepares a kernel for each shape of matrices, which takes ten times as long as the product in a small model. It
keeps the last thousand or so, but in training nearly every batch has a number of rows of its own. Therefore rows of
zeros are added up to a multiple of :data:`ROWS`. Torch gives oneDNN products in bf16, and those in single precision to
MKL, which uses AVX-512 on Intel's processors alone: on those of AMD oneDNN takes half of the time.
"""

import math
from functools import cache
from typing import Protocol

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd.function import once_differentiable

ROWS = 64


def product(states: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``states W^T + b`` [..., outputs] of ``states`` [..., inputs], in the precision of autocast where it is on."""
    if states.device.type == "cpu" and torch.is_autocast_enabled("cpu"):
        rounded: Tensor = RowsProduct.apply(states, weight, bias, torch.get_autocast_dtype("cpu"))
        return rounded
    few = states.numel() < ROWS * states.shape[-1]  # as in a step of decoding
    if few or not by_onednn(states):
        return F.linear(states, weight, bias)
    exact: Tensor = RowsProduct.apply(states, weight, bias, states.dtype)
    return exact


def by_onednn(factor: Tensor) -> bool:
    """Whether products of ``factor`` with others of its type are oneDNN's for the reason that it is faster than MKL."""
    return factor.dtype == torch.float32 and factor.device.type == "cpu" and _onednn_is_faster()


@cache
def _onednn_is_faster() -> bool:
    if not (torch.backends.mkldnn.is_available() and torch.backends.mkl.is_available()):
        return False
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_f")) and "AMD" in str(able.get("cpu_name", ""))


def times_transposed(left: Tensor, right: Tensor, bias: Tensor | None = None) -> Tensor:
    """``left right^T + bias`` [n, m] of ``left`` [n, k] and ``right`` [m, k], of one type, by the fastest kernels."""
    if not by_onednn(left):
        return F.linear(left, right, bias)
    result: Tensor = torch.ops.mkldnn._linear_pointwise.default(left, right, bias, "none", [], "")
    return result


def transposed_times(left: Tensor, right: Tensor) -> Tensor:
    """``left^T right`` [n, m] of ``left`` [k, n] and ``right`` [k, m], of one type, by the fastest kernels."""
    if not by_onednn(left):
        return left.t() @ right
    if left.shape[1] > right.shape[1]:  # the second factor is brought into another order: for the larger one it pays
        return times_transposed(right.t(), left.t()).t()
    return times_transposed(left.t(), right.t())


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


class RowsProduct(torch.autograd.Function):
    """:func:`product` of ``states`` [..., inputs], ``weight`` [outputs, inputs] and ``bias``, rounded to ``dtype``."""

    @staticmethod
    def forward(ctx: KeptShape, states: Tensor, weight: Tensor, bias: Tensor | None, dtype: torch.dtype) -> Tensor:
        """Keeps the states and the weight, rounded if their type changes."""
        count, matrix = math.prod(states.shape[:-1]), weight.to(dtype)
        flat = states.reshape(count, states.shape[-1])
        rows = recurring(flat, dtype)
        all_results = times_transposed(rows, matrix, None if bias is None else bias.to(dtype))
        ctx.save_for_backward(flat if dtype == flat.dtype else rows, matrix)
        ctx.shape, ctx.dtypes = states.shape, [None if part is None else part.dtype for part in (states, weight, bias)]
        return all_results[:count].view(*states.shape[:-1], len(matrix))

    @staticmethod
    @once_differentiable
    def backward(ctx: KeptShape, slope: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients of states, weight and bias."""
        rows, matrix = ctx.saved_tensors
        rows = recurring(rows, matrix.dtype)
        flat = slope.reshape(math.prod(ctx.shape[:-1]), len(matrix))
        above = recurring(flat, matrix.dtype)
        of_states = of_weight = of_bias = None
        if ctx.needs_input_grad[0]:
            of_states = times_transposed(above, matrix.t())[: len(flat)].view(ctx.shape).to(ctx.dtypes[0])
        if ctx.needs_input_grad[1]:
            of_weight = transposed_times(above, rows).to(ctx.dtypes[1])
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
