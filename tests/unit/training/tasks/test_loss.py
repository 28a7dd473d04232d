"""The loss and its gradients against the literal formula, for any number of rows and any precision."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from discourse_nmt.base.vocabulary import END, PAD
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.systems import build, system_named
from discourse_nmt.training.data.units import units_of
from discourse_nmt.training.tasks import loss
from discourse_nmt.training.tasks.loss import Losses, smoothed
from discourse_nmt.training.tasks.protocol import task_for
from tests.unit.training.run.training_toy import SIZE, dataset

WIDTH, SYMBOLS = 6, 11
SMALL = {"encoder_layers": 2, "decoder_layers": 2, "width": 8, "feed_forward_width": 16, "heads": 2, "dropout": 0.0}
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}


def literal(states: Tensor, weight: Tensor, reference: Tensor, smoothing: float) -> Losses:
    """Cross-entropy with the smoothed distribution, written out."""
    logarithms = (states @ weight.t()).log_softmax(-1)
    right = nn.functional.one_hot(reference, len(weight)).to(states.dtype)
    wanted = (1 - smoothing) * right + smoothing / len(weight)
    return Losses(-(wanted * logarithms).sum(), -(right * logarithms).sum().detach())


def example(rows: int, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(rows)
    states, weight = (torch.randn(count, WIDTH, dtype=dtype, requires_grad=True) for count in (rows, SYMBOLS))
    return states, weight, torch.randint(SYMBOLS, (rows,))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(loss.ROWS, "cpu", 4)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_worked_example(smoothing: float) -> None:
    """Scores as Python's numbers: those of two symbols are the states themselves."""
    rows = [(0.5, -1.0), (2.0, 0.25)]
    objective, likelihood = 0.0, 0.0
    for row, right in zip(rows, (1, 0)):
        total = sum(math.exp(value) for value in row)
        logarithms = [math.log(math.exp(value) / total) for value in row]
        objective -= sum(
            (smoothing / 2 + (1 - smoothing) * (number == right)) * logarithms[number] for number in range(2)
        )
        likelihood -= logarithms[right]
    found = smoothed(torch.tensor(rows), torch.eye(2), torch.tensor([1, 0]), smoothing)
    assert found.objective.item() == pytest.approx(objective, rel=1e-6)
    assert found.likelihood.item() == pytest.approx(likelihood, rel=1e-6)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("rows", [0, 1, 3, 4, 5, 8, 9])
def test_loss_and_gradients_are_the_literal_ones(rows: int, smoothing: float, dtype: torch.dtype) -> None:
    """Less than a block, a block, several, and a rest; the gradient of a multiple of the loss."""
    states, weight, reference = example(rows, dtype)
    expected, found = (form(states, weight, reference, smoothing) for form in (literal, smoothed))
    compared = [(found.objective, expected.objective), (found.likelihood, expected.likelihood)]
    compared += zip(*(torch.autograd.grad(3 * each.objective, (states, weight)) for each in (found, expected)))
    for got, wanted in compared:
        torch.testing.assert_close(got, wanted, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_gradient_is_that_of_the_loss(smoothing: float) -> None:
    """By finite differences."""
    states, weight, reference = example(6)
    torch.autograd.gradcheck(lambda x, w: smoothed(x, w, reference, smoothing).objective, (states, weight))


def test_a_tied_and_a_frozen_weight() -> None:
    """An embedding that is also the output has both gradients; a frozen one has none."""
    _, weight, reference = example(9)
    (tied,) = torch.autograd.grad(smoothed(weight[reference], weight, reference, 0.1).objective, weight)
    (expected,) = torch.autograd.grad(literal(weight[reference], weight, reference, 0.1).objective, weight)
    torch.testing.assert_close(tied, expected, rtol=1e-10, atol=1e-10)
    for frozen in (0, 1):
        tensors = [tensor.detach().requires_grad_(place != frozen) for place, tensor in enumerate(example(9)[:2])]
        smoothed(tensors[0], tensors[1], reference, 0.1).objective.backward()
        assert tensors[frozen].grad is None
        full = example(9)
        literal(*full[:2], reference, 0.1).objective.backward()
        torch.testing.assert_close(tensors[1 - frozen].grad, full[1 - frozen].grad, rtol=1e-10, atol=1e-10)


def test_without_gradient_the_loss_is_the_same() -> None:
    states, weight, reference = example(9)
    with torch.no_grad():
        found = smoothed(states, weight, reference, 0.1)
    assert not found.objective.requires_grad
    kept = smoothed(states, weight, reference, 0.1)
    assert kept.objective.requires_grad and not kept.likelihood.requires_grad
    assert torch.equal(found.objective, kept.objective)


def test_mixed_precision_rounds_products_alone() -> None:
    """The loss is near the one of fp32, in fp32, and so are gradients, summed over blocks in fp32."""
    states, weight, reference = example(400, torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        found = smoothed(states, weight, reference, 0.1)
    expected = literal(states, weight, reference, 0.1)
    assert found.objective.dtype == torch.float32
    assert found.objective.item() == pytest.approx(expected.objective.item(), rel=1e-3)
    gradients, wanted = (torch.autograd.grad(each.objective, (states, weight)) for each in (found, expected))
    for got, right in zip(gradients, wanted):
        assert got.dtype == torch.float32
        assert (got - right).norm() < 0.01 * right.norm()


@pytest.mark.parametrize("tie_output", [True, False])
@pytest.mark.parametrize(
    "system", ["transformer", "han", "continuous_cache", "selective", "rst_transformer", "concat", "hybrid_context"]
)
def test_a_task_learns_by_the_literal_loss_of_the_logits(
    system: str, tie_output: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Of real target tokens, with padding beside them, by the network's own output projection."""
    torch.manual_seed(1)
    network = build(system, {**SMALL, "tie_output": tie_output}, SIZE, SIZE, True).double()
    unit = system_named(system).unit
    made = task_for(unit, network, dataset(tmp_path_factory.mktemp("data"), [20, 3]), None)
    batch: Any = made.batch(units := units_of(made.dataset, unit), np.arange(len(units)), None)
    if unit == "sentence":
        logits, reference = network(batch.source_ids, batch.target_input), batch.target_output
    else:
        logits, reference = network(batch), batch.target_output
    real = reference != PAD
    assert unit == "instance" or not real.all()
    logits = logits if unit == "instance" else logits[real]
    expected = literal(logits, torch.eye(SIZE, dtype=torch.float64), reference[real], 0.1)
    found = made.objective(0.1)(network, batch)
    assert found.likelihood.item() == pytest.approx(expected.likelihood.item(), rel=1e-10)
    parameters = list(network.parameters())
    both = [torch.autograd.grad(each.objective, parameters, allow_unused=True) for each in (found, expected)]
    for (name, _), got, wanted in zip(network.named_parameters(), *both):
        assert wanted is not None, name
        torch.testing.assert_close(got, wanted, rtol=1e-9, atol=1e-9, msg=name)


@pytest.mark.parametrize("system", ["transformer", "g_transformer", "han"])
def test_the_bias_of_the_output_counts_in_every_task(system: str, tmp_path: Path) -> None:
    """A bias that leaves nothing to the model but ``</s>`` makes every other token improbable."""
    network = build(system, {**SMALL, "output_bias": True}, SIZE, SIZE, True).eval()
    assert isinstance(network, Transformer) and network.output_bias is not None
    unit = system_named(system).unit
    task = task_for(unit, network, dataset(tmp_path, [3]), None)
    units = units_of(task.dataset, unit)
    batch = task.batch(units, np.array([0]), None)
    usual = task.objective(0.0)(network, batch).likelihood.item()
    network.output_bias[END] = 1000.0
    subwords = batch.target_tokens - int(units.stops[0] - units.starts[0])
    assert task.objective(0.0)(network, batch).likelihood.item() > 900 * subwords > usual
