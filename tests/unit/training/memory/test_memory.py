"""The plan of memory: its parts, its growth with the batch, and what it refuses."""

from dataclasses import replace
from typing import Any

import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.systems import build
from discourse_nmt.training.operation.memory import Measured, measured, require_memory
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks.feed import Feed, training_feed
from discourse_nmt.training.tasks.loss import ROWS, SCORES, rows_at_a_time
from discourse_nmt.training.tasks.sentences import SentenceTask
from tests.unit.training.run.training_toy import SIZE, dataset

SWITCHES = {"encoder_layers": 3, "decoder_layers": 3, "width": 16, "feed_forward_width": 64, "heads": 2}
HARDWARE: dict[str, Any] = {
    "device": "cpu",
    "processes": 2,
    "precision": "fp32",
    "recompute": False,
    "shard": False,
    "base": 0.0,
}


@pytest.fixture(scope="module")
def feed(tmp_path_factory: pytest.TempPathFactory) -> Feed:
    data = dataset(tmp_path_factory.mktemp("data"), [40, 40], length=10)
    return training_feed(SentenceTask(data), "sentence", TrainingSettings(batch_tokens=240), 1)


def network() -> Transformer:
    built = build("transformer", SWITCHES, SIZE, SIZE, True)
    assert isinstance(built, Transformer)
    return built


def found(feed: Feed) -> Measured:
    made = network()
    names = [name for name, _ in made.named_parameters()]
    return measured(made, feed, SentenceTask(feed.task.dataset).objective(0.1), "fp32", SIZE, names[2:])


def test_parts_follow_from_the_parameters(feed: Feed) -> None:
    sizes = [parameter.numel() for parameter in network().parameters()]
    plan = found(feed).plan(**HARDWARE)
    assert plan.parameters == 4 * sum(sizes)
    assert plan.gradients == plan.exchange == 4 * sum(sizes[2:])
    assert plan.optimiser == 8 * sum(sizes[2:])
    assert found(feed).plan(**HARDWARE | {"shard": True}).optimiser == plan.optimiser / 2
    assert found(feed).plan(**HARDWARE | {"processes": 1}).exchange == 0


def test_two_units_tell_what_a_batch_keeps(feed: Feed) -> None:
    """By the bytes that torch keeps for the gradient of the whole batch, counted here in another way."""
    (one, two, units, tokens), *_ = found(feed).batches
    batch = feed.order.largest()[0]
    assert units == len(batch) > 10
    made, kept = network().train(), {}
    own = {parameter.untyped_storage().data_ptr() for parameter in (*made.parameters(), *made.buffers())}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        collated = feed.collate(batch, 0)
        loss = SentenceTask(feed.task.dataset).objective(0.1)(made, collated)
    assert tokens == collated.target_tokens
    whole = sum(size for address, size in kept.items() if address not in own)
    line = one.along(two, units - 1)
    assert line.all_layers + line.rest == pytest.approx(whole, rel=0.05) and loss.objective > 0


def test_recomputed_layers_keep_less(feed: Feed) -> None:
    measurements = found(feed)
    plain, sparing = (measurements.plan(**HARDWARE | {"recompute": each}) for each in (False, True))
    assert sparing.activations < 0.7 * plain.activations
    assert replace(sparing, activations=0) == replace(plain, activations=0)


@pytest.mark.parametrize(
    ("share", "remedy"),
    [
        (0.95, "set hardware.recompute_activations: true.* or lower training.batch_tokens to "),
        (0.5, ".*lower training.batch_tokens to [1-9]"),
        (0.05, "use a smaller network"),
    ],
)
def test_too_much_is_refused_with_what_to_lower(feed: Feed, share: float, remedy: str) -> None:
    measurements = found(feed)
    plan = measurements.plan(**HARDWARE)
    require_memory(measurements, plan, plan.total, 240, **HARDWARE)
    with pytest.raises(InputError, match=f"training needs about .* GB for it; {remedy}"):
        require_memory(measurements, plan, share * plan.total, 240, **HARDWARE)


def test_a_plan_changes_neither_weights_nor_random_numbers(feed: Feed) -> None:
    """So that its code is no part of a training's fingerprint."""
    made = build("transformer", {**SWITCHES, "dropout": 0.3}, SIZE, SIZE, True)
    weights, state = {name: tensor.clone() for name, tensor in made.state_dict().items()}, torch.get_rng_state()
    measured(made, feed, SentenceTask(feed.task.dataset).objective(0.1), "fp32", SIZE, [])
    assert all(torch.equal(tensor, weights[name]) for name, tensor in made.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)


def test_scores_of_a_large_vocabulary_are_bounded() -> None:
    assert rows_at_a_time("cuda", 32_000) == ROWS["cuda"]
    assert rows_at_a_time("cuda", 250_000) * 250_000 <= SCORES
    assert rows_at_a_time("cpu", 250_000) == ROWS["cpu"]
