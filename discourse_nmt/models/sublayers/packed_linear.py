"""Linear layers whose weights lie in the layout of oneDNN's kernels, for translation in single precision on a CPU.

A step of decoding multiplies a few rows with each matrix. oneDNN then takes less time than MKL, if it need not bring
the weights into its order first.
"""

from collections.abc import Callable
from typing import Literal, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.models.sublayers.parts import Linear
from discourse_nmt.models.sublayers.products import by_onednn

SMALLEST = 256
"""Inputs and outputs from which oneDNN's kernels pay on any processor."""
STEP_ROWS = 32
"""Rows of a step of decoding, for which the layout is chosen; other numbers of rows are computed in it, too."""


def packs(weight: Tensor) -> bool:
    """Whether products with ``weight`` [outputs, inputs] take less time with packed weights."""
    large = by_onednn(weight) or min(weight.shape) >= SMALLEST
    return torch.backends.mkldnn.is_available() and weight.dtype == torch.float32 and large


class PreparedProduct(Protocol):
    """The product of states [..., inputs] with a weight [outputs, inputs], plus a bias: [..., outputs]."""

    def __call__(self, states: Tensor, activation: Literal["none", "relu"] = "none") -> Tensor:
        """``activation`` is computed with the product."""
        ...


class PackedProduct:
    """The product of states [..., inputs] with ``weight`` [outputs, inputs], plus ``bias``: [..., outputs]."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None) -> None:
        self.bias = bias
        self.packed = torch.ops.mkldnn._reorder_linear_weight.default(weight.detach().contiguous(), STEP_ROWS)

    def __call__(self, states: Tensor, activation: Literal["none", "relu"] = "none") -> Tensor:
        """See :class:`PreparedProduct`."""
        result: Tensor = torch.ops.mkldnn._linear_pointwise.default(states, self.packed, self.bias, activation, [], "")
        return result


class PackedLinear(Linear):
    """A linear layer with the parameters of ``layer``, which it shares."""

    kind: Callable[[Tensor, Tensor | None], PreparedProduct] = PackedProduct
    """Makes the product with a weight [outputs, inputs] and a bias."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__(layer.in_features, layer.out_features, bias=layer.bias is not None, device="meta")
        self.weight, self.bias = layer.weight, layer.bias
        self.products: dict[tuple[int, int], PreparedProduct] = {}
        """The products of a range of outputs."""

    def forward(self, states: Tensor) -> Tensor:
        """``states`` [..., inputs] to [..., outputs]."""
        return self._product(0, self.out_features)(states)

    def activated(self, states: Tensor, activation: Callable[[Tensor], Tensor]) -> Tensor:
        """See :class:`.Linear`; relu is part of the product."""
        if activation is not F.relu:
            return activation(self(states))
        return self._product(0, self.out_features)(states, "relu")

    def outputs(self, states: Tensor, first: int, last: int) -> Tensor:
        """See :class:`.Linear`."""
        return self._product(first, last)(states)

    def _product(self, first: int, last: int) -> PreparedProduct:
        if (first, last) not in self.products:
            bias = None if self.bias is None else self.bias[first:last].detach()
            self.products[first, last] = self.kind(self.weight[first:last].detach(), bias)
        return self.products[first, last]
