"""Products in mixed precision against the literal rounding, for any number of rows."""

import pytest
import torch

from discourse_nmt.models.sublayers.parts import linear
from discourse_nmt.models.sublayers.products import ROWS, product, recurring


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(0, 8), (1, 8), (ROWS, 8), (3, 50, 8), (ROWS + 1, 8)], ids=str)
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
