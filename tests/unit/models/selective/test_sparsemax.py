import math

import pytest
import torch

from discourse_nmt.models.selective.sparsemax import sparsemax


def test_t02_9_worked_example() -> None:
    scores = torch.tensor([1.0, 0.8, 0.1])
    torch.testing.assert_close(sparsemax(scores), torch.tensor([0.6, 0.4, 0.0]))
    words = torch.tensor([[0.7, 0.3], [0.5, 0.5], [0.9, 0.1]])
    joint = sparsemax(scores)[:, None] * words
    torch.testing.assert_close(joint, torch.tensor([[0.42, 0.18], [0.20, 0.20], [0.0, 0.0]]))
    assert float(joint.sum()) == pytest.approx(1)


def test_it_is_the_nearest_point_of_the_simplex() -> None:
    """The conditions of Karush, Kuhn and Tucker: score - share is one number where the share is not 0, else less."""
    torch.manual_seed(1)
    for spread in (0.1, 1.0, 10.0):
        scores = torch.randn(50, 7, dtype=torch.float64) * spread
        shares = sparsemax(scores)
        torch.testing.assert_close(shares.sum(-1), torch.ones(50, dtype=torch.float64))
        assert (shares >= 0).all()
        thresholds = (scores - shares).masked_fill(shares == 0, -math.inf).amax(-1, keepdim=True)
        torch.testing.assert_close((scores - thresholds).clamp(min=0), shares)


@pytest.mark.parametrize(
    ("scores", "wanted"),
    [
        ([2.0, 2.0, 2.0], [1 / 3, 1 / 3, 1 / 3]),
        ([1.0, 1.0, -5.0, -5.0], [0.5, 0.5, 0.0, 0.0]),
        ([1.0, -math.inf, 0.5], [0.75, 0.0, 0.25]),
        ([-math.inf, 3.0], [0.0, 1.0]),
        ([-math.inf, -math.inf], [0.0, 0.0]),
        ([1e30, -1e30], [1.0, 0.0]),
        ([7.0], [1.0]),
    ],
)
def test_ties_and_infinities(scores: list[float], wanted: list[float]) -> None:
    given = torch.tensor(scores, requires_grad=True)
    shares = sparsemax(given)
    torch.testing.assert_close(shares, torch.tensor(wanted))
    (shares * torch.arange(1.0, len(scores) + 1)).sum().backward()
    assert given.grad is not None and given.grad.isfinite().all()
    assert (given.grad[shares == 0] == 0).all()
    assert float(given.grad.sum()) == pytest.approx(0, abs=1e-6)  # shifting all scores changes nothing


def test_gradient() -> None:
    torch.manual_seed(2)
    scores = torch.randn(4, 3, 6, dtype=torch.float64)
    scores[0, 0, 2] = -math.inf
    scores[1, 1] = -math.inf
    hidden = scores == -math.inf

    def masked(finite: torch.Tensor) -> torch.Tensor:
        return sparsemax(finite.masked_fill(hidden, -math.inf))

    assert torch.autograd.gradcheck(masked, scores.masked_fill(hidden, 0.0).requires_grad_())


def test_gradient_of_ties_within_the_support() -> None:
    scores = torch.tensor([0.5, 0.5, 0.4], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(sparsemax, scores)


def test_half_precision_is_computed_in_single() -> None:
    scores = torch.tensor([1.0, 0.75, 0.0], dtype=torch.bfloat16)
    assert sparsemax(scores).dtype == torch.float32
    torch.testing.assert_close(sparsemax(scores), torch.tensor([0.625, 0.375, 0.0]))
