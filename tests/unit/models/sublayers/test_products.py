"""Products by oneDNN against literal ones, rounded and in single precision, for any number of rows."""

import pytest
import torch

from discourse_nmt.models.sublayers import products
from discourse_nmt.models.sublayers.parts import linear
from discourse_nmt.models.sublayers.products import ROWS, product, recurring, transposed_times

SHAPES = [(0, 8), (1, 8), (ROWS, 8), (3, 50, 8), (ROWS + 1, 8)]
onednn = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch without oneDNN")


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_and_gradients_are_those_of_rounded_matrices(shape: tuple[int, ...], bias: bool) -> None:
    torch.manual_seed(1)
    states, weight = torch.randn(shape, requires_grad=True), torch.randn(6, 8, requires_grad=True)
    added = torch.randn(6, requires_grad=True) if bias else None
    slope = torch.randn(*shape[:-1], 6).bfloat16()
    with torch.autocast("cpu", torch.bfloat16):
        found = product(states, weight, added)
    assert found.dtype == torch.bfloat16 and found.shape == (*shape[:-1], 6)
    parts = [part for part in (states, weight, added) if part is not None]
    gradients = torch.autograd.grad(found, parts, slope)
    rounded = [part.detach().bfloat16().double().requires_grad_() for part in parts]
    literal = rounded[0] @ rounded[1].t() + (rounded[2] if bias else 0)
    torch.testing.assert_close(found.double(), literal, rtol=0.01, atol=0.02)
    for got, wanted, part in zip(gradients, torch.autograd.grad(literal, rounded, slope.double()), parts):
        assert got.dtype == part.dtype
        torch.testing.assert_close(got.double(), wanted, rtol=0.01, atol=0.1)


def test_the_number_of_rows_is_a_multiple_and_the_rest_is_zero() -> None:
    """A kernel is prepared for each number, so that few numbers must occur."""
    numbers = set()
    for count in range(1, 2 * ROWS + 1):
        rows = recurring(torch.ones(count, 3), torch.bfloat16)
        assert rows[:count].eq(1).all() and rows[count:].eq(0).all()
        numbers.add(len(rows))
    assert numbers == {ROWS, 2 * ROWS}


def test_frozen_parts_have_no_gradient() -> None:
    layer, states = linear(4, 3), torch.randn(5, 4)
    layer.bias.requires_grad_(False)
    with torch.autocast("cpu", torch.bfloat16):
        layer(states).float().sum().backward()
    assert layer.bias.grad is None and layer.weight.grad is not None and states.grad is None


def test_outside_of_autocast_products_are_exact() -> None:
    layer, states = linear(4, 3).double(), torch.randn(5, 4, dtype=torch.float64)
    assert torch.equal(layer(states), torch.nn.functional.linear(states, layer.weight, layer.bias))
    with torch.autocast("cpu", torch.bfloat16):
        assert layer.float()(states.float()).dtype == torch.bfloat16
        assert layer.outputs(states.float(), 1, 3).dtype == torch.bfloat16


@onednn
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("outputs", [6, 11])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_products_in_single_precision_are_those_of_torch(
    shape: tuple[int, ...], outputs: int, bias: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(1)
    parts = [torch.randn(shape), torch.randn(outputs, 8), *([torch.randn(outputs)] if bias else [])]
    slope, found = torch.randn(*shape[:-1], outputs), []
    for faster in (True, False):
        monkeypatch.setattr(products, "_onednn_is_faster", lambda faster=faster: faster)
        own = [part.clone().requires_grad_() for part in parts]
        result = product(*own)
        assert result.dtype == torch.float32
        assert ("RowsProduct" in str(result.grad_fn)) == (faster and len(slope.flatten(0, -2)) >= ROWS)
        found.append([result, *torch.autograd.grad(result, own, slope)])
    for of_onednn, of_mkl in zip(*found):
        torch.testing.assert_close(of_onednn, of_mkl, rtol=1e-4, atol=1e-4)


@onednn
@pytest.mark.parametrize("widths", [(5, 9), (9, 5)])
def test_both_orders_of_factors_give_the_same(widths: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "_onednn_is_faster", lambda: True)
    left, right = (torch.randn(7, width) for width in widths)
    torch.testing.assert_close(transposed_times(left, right), left.t() @ right)


def test_states_that_are_not_rounded_are_kept_without_the_rows_of_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    """So memory is that of torch's own product."""
    monkeypatch.setattr(products, "_onednn_is_faster", lambda: torch.backends.mkldnn.is_available())
    states, layer, kept = torch.randn(ROWS + 1, 8), linear(8, 8), set[int]()

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        kept.add(tensor.data_ptr())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        layer(states)
    assert states.data_ptr() in kept


@pytest.mark.parametrize(
    ("name", "wide", "faster"),
    [("AMD EPYC", True, True), ("Intel Xeon", True, False), ("AMD EPYC", False, False), ("", True, False)],
)
def test_onednn_multiplies_where_mkl_leaves_out_avx512(
    name: str, wide: bool, faster: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"cpu_name": name, "avx512_f": wide})
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: True)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: True)
    products._onednn_is_faster.cache_clear()
    assert products.by_onednn(torch.empty(1)) == faster
    assert not products.by_onednn(torch.empty(1, dtype=torch.float64))
    products._onednn_is_faster.cache_clear()
