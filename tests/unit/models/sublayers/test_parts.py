"""Positions, dropout and the blocks between attentions."""

import math

import pytest
import torch

from discourse_nmt.models.core.embeddings import sinusoids
from discourse_nmt.models.sublayers import dropout
from discourse_nmt.models.sublayers.dropout import Dropout, zeroed
from discourse_nmt.models.sublayers.parts import FeedForward, Gate, Residual, begin_alike, linear


def test_T00_6_sinusoids() -> None:
    expected = {
        -2.0: [-0.909297, -0.416147, -0.019999, 0.999800],
        0.0: [0, 1, 0, 1],
        0.5: [0.479426, 0.877583, 0.005000, 0.999988],
        1.5: [0.997495, 0.070737, 0.014999, 0.999888],
        2.5: [0.598472, -0.801144, 0.024997, 0.999688],
    }
    encoded = sinusoids(torch.tensor(list(expected)), 4)
    assert torch.allclose(encoded, torch.tensor(list(expected.values())), atol=1e-6)


def test_sinusoids_follow_the_equation_for_any_shape() -> None:
    positions = torch.tensor([[3.25, -7.0, 1000.0], [0.1, 12345.0, -0.5]], dtype=torch.float64)
    encoded = sinusoids(positions, 6)
    assert encoded.shape == (2, 3, 6) and encoded.dtype == torch.float32
    for row in range(2):
        for column in range(3):
            for i in range(3):
                angle = positions[row, column].item() / 10000 ** (2 * i / 6)
                assert encoded[row, column, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-6)
                assert encoded[row, column, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


@pytest.mark.parametrize("probability", [0.1, 0.5, 0.9])
def test_dropout_keeps_the_share_and_the_expectation(probability: float) -> None:
    torch.manual_seed(1)
    states = torch.full((1001, 1003), 3.0, requires_grad=True)
    dropped = Dropout(probability)(states)
    kept = dropped != 0
    assert kept.float().mean().item() == pytest.approx(1 - probability, abs=0.002)
    assert dropped.mean().item() == pytest.approx(3.0, rel=0.02)
    assert dropped[kept].unique().numel() == 1
    dropped.sum().backward()
    assert states.grad is not None
    assert torch.allclose(states.grad, dropped.detach() / 3.0)


@pytest.mark.parametrize("spare", [4, -5])
@pytest.mark.parametrize("probability", [0.0, 0.001, 0.1, 0.5, 0.9, 1.0])
def test_zeroed_positions_are_independent_draws(
    probability: float, spare: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ascending, in range, and in number and distance as independent draws: distance k has p (1 - p)^(k - 1)."""
    monkeypatch.setattr(dropout, "SPARE", spare)  # below 0 the first draw does not reach the end
    torch.manual_seed(1)
    count = 400_000
    positions = zeroed(count, probability)
    distances = positions.diff()
    assert positions.numel() == 0 or (positions[0] >= 0 and positions[-1] < count and (distances > 0).all())
    deviation = math.sqrt(count * probability * (1 - probability))
    assert abs(len(positions) - count * probability) <= 5 * deviation
    for distance in (1, 2, 3):
        expected = len(positions) * probability * (1 - probability) ** (distance - 1)
        assert abs(int((distances == distance).sum()) - expected) <= 5 * math.sqrt(expected) + 1
    assert not len(zeroed(0, probability))


def test_the_ends_are_drawn_like_all_positions() -> None:
    torch.manual_seed(1)
    counts = torch.zeros(3)
    for _ in range(4000):
        counts[zeroed(3, 0.3)] += 1
    assert counts.tolist() == pytest.approx([1200] * 3, abs=5 * math.sqrt(4000 * 0.21))


def test_dropout_has_no_pattern_along_rows_or_columns() -> None:
    torch.manual_seed(1)
    kept = (Dropout(0.5)(torch.ones(512, 512)) != 0).double() - 0.5
    for shift in (1, 2, 4, 8, 64):
        for axis in (0, 1):
            assert abs((kept * kept.roll(shift, axis)).mean().item()) < 0.25 * 0.02


def test_dropout_depends_on_the_seed_alone() -> None:
    torch.manual_seed(3)
    first, second = Dropout(0.3)(torch.ones(7, 5)), Dropout(0.3)(torch.ones(7, 5))
    torch.manual_seed(3)
    assert torch.equal(Dropout(0.3)(torch.ones(7, 5)), first) and not torch.equal(first, second)


def test_dropout_is_off_in_evaluation_and_at_zero() -> None:
    states = torch.randn(4, 5)
    assert Dropout(0.5).eval()(states) is states
    assert Dropout(0.0)(states) is states


def test_residual_places_the_norm() -> None:
    states = torch.randn(2, 3, 8)
    for norm in ("post", "pre"):
        residual = Residual(8, 0.0, norm)
        inside = states if norm == "post" else residual.norm(states)
        expected = states + inside * 2
        expected = residual.norm(expected) if norm == "post" else expected
        assert torch.equal(residual(states, lambda x: x * 2), expected)


def test_linear_initialises_each_part_as_a_matrix_of_its_own() -> None:
    torch.manual_seed(1)
    layer = linear(64, 192, parts=3)
    assert not layer.bias.any()
    for block in layer.weight.chunk(3):
        assert block.std().item() == pytest.approx(math.sqrt(2 / 128), rel=0.05)


def test_attention_that_begins_alike_compares_by_an_inner_product() -> None:
    """Symmetric and positive, so that a state is like itself; with matrices drawn apart it is neither."""
    query, key = torch.randn(8, 16), torch.randn(8, 16)
    drawn = query.clone()
    begin_alike(query, key)
    assert torch.equal(query, key) and torch.equal(query, 2.0 * drawn)
    states = torch.randn(5, 16)
    scores = (states @ query.T) @ (states @ key.T).T
    assert torch.allclose(scores, scores.T, atol=1e-4) and torch.linalg.eigvalsh(scores).min() > -1e-3


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_a_feed_forward_block_begins_as_the_identity_or_silent(activation: str) -> None:
    states = torch.randn(3, 5, 8)
    block = FeedForward(8, 20, activation, 0.0)
    block.begin_copying()
    torch.testing.assert_close(block(states), states)
    block.begin_silent()
    assert not block(states).any()
    block.begin_copying()
    block(states).sum().backward()
    assert all(parameter.grad is not None and parameter.grad.any() for parameter in block.parameters())


@pytest.mark.parametrize("bias", [False, True])
def test_a_gate_reads_all_states_and_is_the_share_of_the_first(bias: bool) -> None:
    torch.manual_seed(1)
    x, y, z = torch.randn(3, 5, 4)
    gate = Gate(4, bias=bias, count=3)
    if bias:
        torch.nn.init.normal_(gate.bias)
    total = sum(state @ matrix.T for state, matrix in zip((x, y, z), gate.weight.chunk(3, dim=1)))
    torch.testing.assert_close(gate.share(x, y, z), torch.sigmoid(total + (gate.bias if bias else 0)))
    of_two = Gate(4, bias=bias)
    share = of_two.share(x, y)
    torch.testing.assert_close(of_two(x, y), share * x + (1 - share) * y)


def test_the_matrices_of_a_gate_begin_as_one_or_each_by_itself() -> None:
    """Glorot's bound, sqrt(6 / (inputs + outputs)), of 64 or 128 inputs and 64 outputs."""
    torch.manual_seed(1)
    for own_matrices, inputs in ((False, 128), (True, 64)):
        weight = Gate(64, own_matrices=own_matrices).weight
        assert weight.abs().max().item() == pytest.approx((6 / (inputs + 64)) ** 0.5, rel=0.01)
