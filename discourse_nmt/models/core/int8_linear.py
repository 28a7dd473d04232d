"""Linear layers whose products are computed with 8-bit integers, on CPUs.

Weights are quantised once, with a scale for each output; states at each call, with one scale and zero point for all of
them (dynamic quantisation). So a result depends slightly on the other rows of the batch. Sums are exact; results and
everything between the layers are in single precision.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.models.sublayers.parts import Linear

LARGEST = 127  # of a weight; symmetric, so that zero stays zero


class Int8Linear(Linear):
    """A linear layer with the parameters of ``layer``, which it shares."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__(layer.in_features, layer.out_features, bias=layer.bias is not None, device="meta")
        self.weight, self.bias = layer.weight, layer.bias
        self.packed: dict[tuple[int, int], torch.ScriptObject] = {}
        """The quantised weights of a range of outputs, in the layout of the processor's kernels."""

    def forward(self, states: Tensor) -> Tensor:
        """``states`` [..., inputs] to [..., outputs]."""
        return self.outputs(states, 0, self.out_features)

    def activated(self, states: Tensor, activation: Callable[[Tensor], Tensor]) -> Tensor:
        """See :class:`.Linear`; relu is part of the product."""
        if activation is not F.relu:
            return activation(self(states))
        # The overload is named, which spares its search in every call.
        weights = self._packed(0, self.out_features)
        result: Tensor = torch.ops.quantized.linear_relu_dynamic.default(states, weights, seven_bits())
        return result

    def outputs(self, states: Tensor, first: int, last: int) -> Tensor:
        """See :class:`.Linear`."""
        return product(states, self._packed(first, last))

    def _packed(self, first: int, last: int) -> torch.ScriptObject:
        if (first, last) not in self.packed:
            bias = None if self.bias is None else self.bias[first:last]
            self.packed[first, last] = packed(self.weight[first:last], bias)
        return self.packed[first, last]


def packed(weight: Tensor, bias: Tensor | None) -> torch.ScriptObject:
    """The quantised ``weight`` [outputs, inputs] with its ``bias``, for :func:`product`."""
    with torch.inference_mode(), fastest_kernels(), warnings.catch_warnings():
        # Tensors of 8-bit types are deprecated in favour of a package; the kernels that read them are not. oneDNN's
        # kernel for plain integers (qlinear_pointwise) takes longer, as states are quantised by further calls; it
        # rounds otherwise, and refuses some sizes on processors without VNNI.
        warnings.filterwarnings("ignore", "torch.quantize_per_tensor", UserWarning)
        scales = weight.abs().amax(dim=1).clamp(min=torch.finfo(weight.dtype).tiny) / LARGEST
        zeros = torch.zeros(len(weight), dtype=torch.int64)
        quantised = torch.quantize_per_channel(weight, scales, zeros, axis=0, dtype=torch.qint8)
        return torch.ops.quantized.linear_prepack(quantised, bias)


def product(states: Tensor, weights: torch.ScriptObject) -> Tensor:
    """``states`` [..., inputs] times weights of :func:`packed`, plus the bias: [..., outputs]."""
    result: Tensor = torch.ops.quantized.linear_dynamic.default(states, weights, seven_bits())
    return result


@cache
def seven_bits() -> bool:
    """Whether states have 7 bits: without VNNI, pairs of products are summed with 16 bits, which 8 may exceed."""
    return not torch.cpu._is_vnni_supported()


@contextmanager
def fastest_kernels() -> Iterator[None]:
    """Weights are packed for the kernels of oneDNN with VNNI, else for those of fbgemm, where torch has them.

    Without VNNI, fbgemm takes half of the time of oneDNN for few rows, and computes the same.
    """
    before = torch.backends.quantized.engine
    by_speed = ["fbgemm", "onednn"] if seven_bits() else ["onednn"]
    torch.backends.quantized.engine = next(
        filter(torch.backends.quantized.supported_engines.__contains__, by_speed), before
    )
    try:
        yield
    finally:
        torch.backends.quantized.engine = before
