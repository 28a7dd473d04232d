"""Linear layers whose products are computed with 8-bit integers, on CPUs.

Weights are quantised once, with a scale for each output; states at each call, with one scale and zero point for all of
them (dynamic quantisation). So a result depends slightly on the other rows of the batch. Sums are exact; results and
everything between the layers are in single precision.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Literal

import torch
from torch import Tensor

from discourse_nmt.models.sublayers.packed_linear import PackedLinear

LARGEST = 127  # of a weight; symmetric, so that zero stays zero
FEW = 96  # rows up to which the kernels of fbgemm take less time than oneDNN's, which prepare each call longer


class Int8Product:
    """The product of states [..., inputs] with the rounded ``weight`` [outputs, inputs], plus ``bias``."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None) -> None:
        quantised = quantise(weight)
        self.of_few, self.of_many = (packed(quantised, bias, engine) for engine in fastest_engines())

    def __call__(self, states: Tensor, activation: Literal["none", "relu"] = "none") -> Tensor:
        """See :class:`.PreparedProduct`."""
        few = states.numel() <= FEW * states.shape[-1]
        # The overload is named, which spares its search in every call.
        product = KERNELS[activation]
        result: Tensor = product(states, self.of_few if few else self.of_many, seven_bits())
        return result


KERNELS = {
    "none": torch.ops.quantized.linear_dynamic.default,
    "relu": torch.ops.quantized.linear_relu_dynamic.default,
}


class Int8Linear(PackedLinear):
    """A linear layer with the parameters of ``layer``, which it shares."""

    kind = Int8Product


def quantise(weight: Tensor) -> Tensor:
    """The ``weight`` [outputs, inputs] as integers of 8 bits."""
    with torch.inference_mode(), warnings.catch_warnings():
        # Tensors of 8-bit types are deprecated in favour of a package; the kernels that read them are not. oneDNN's
        # kernel for plain integers (qlinear_pointwise) takes longer, as states are quantised by further calls; it
        # rounds otherwise, and refuses some sizes on processors without VNNI.
        warnings.filterwarnings("ignore", "torch.quantize_per_tensor", UserWarning)
        scales = weight.abs().amax(dim=1).clamp(min=torch.finfo(weight.dtype).tiny) / LARGEST
        zeros = torch.zeros(len(weight), dtype=torch.int64)
        return torch.quantize_per_channel(weight, scales, zeros, axis=0, dtype=torch.qint8)


def packed(quantised: Tensor, bias: Tensor | None, engine: str) -> torch.ScriptObject:
    """The ``quantised`` weight with its ``bias`` in the layout of an ``engine`` of torch."""
    with torch.inference_mode(), chosen(engine):
        return torch.ops.quantized.linear_prepack(quantised, bias)


@cache
def seven_bits() -> bool:
    """Whether states have 7 bits: without VNNI, pairs of products are summed with 16 bits, which 8 may exceed."""
    return not torch.cpu._is_vnni_supported()


def fastest_engines() -> tuple[str, str]:
    """The engines for few and for many rows, of those that torch has; all compute the same.

    Without VNNI, fbgemm takes less time than oneDNN for many rows, too.
    """
    able = torch.backends.quantized.supported_engines
    few = next(filter(able.__contains__, ("fbgemm", "onednn")), torch.backends.quantized.engine)
    return few, "onednn" if "onednn" in able and not seven_bits() else few


@contextmanager
def chosen(engine: str) -> Iterator[None]:
    """``engine`` as the one for which torch packs weights."""
    before = torch.backends.quantized.engine
    torch.backends.quantized.engine = engine
    try:
        yield
    finally:
        torch.backends.quantized.engine = before
