"""Layers with packed weights compute what the layers that they are made of compute."""

import pytest
import torch
import torch.nn.functional as F

from discourse_nmt.models.sublayers import products
from discourse_nmt.models.sublayers.packed_linear import SMALLEST, PackedLinear, PackedProduct, packs
from discourse_nmt.models.sublayers.parts import linear

pytestmark = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch without oneDNN")


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [1, 5, 33])
def test_a_packed_layer_has_the_results_of_its_layer(rows: int, bias: bool) -> None:
    torch.manual_seed(1)
    layer = linear(24, 40, bias=bias)
    if bias:
        torch.nn.init.normal_(layer.bias)
    packed, states = PackedLinear(layer), torch.randn(rows, 3, 24)
    with torch.inference_mode():
        torch.testing.assert_close(packed(states), layer(states))
        torch.testing.assert_close(packed.outputs(states, 8, 25), layer.outputs(states, 8, 25))
        torch.testing.assert_close(packed.activated(states, F.relu), layer.activated(states, F.relu))
        torch.testing.assert_close(packed.activated(states, F.gelu), layer.activated(states, F.gelu))
    assert packed.weight is layer.weight


def test_a_product_reads_a_copy_of_its_matrix() -> None:
    matrix, states = torch.randn(SMALLEST, SMALLEST), torch.randn(2, SMALLEST)
    multiply, before = PackedProduct(matrix), states @ matrix.t()
    matrix.zero_()
    torch.testing.assert_close(multiply(states), before, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("faster", [True, False])
def test_small_matrices_are_packed_where_onednn_is_faster(faster: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "_onednn_is_faster", lambda: faster)
    assert packs(torch.empty(SMALLEST, SMALLEST))
    assert packs(torch.empty(SMALLEST, SMALLEST - 1)) == packs(torch.empty(SMALLEST - 1, SMALLEST)) == faster
    assert not packs(torch.empty(SMALLEST, SMALLEST, dtype=torch.float64))
