"""The training loop: loss, learning rates, limits, evaluation, and options that do not affect the weights."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # type: ignore[import-untyped]
from torch import nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.training.data.collation import Batch
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.operation.metrics import COLUMNS
from discourse_nmt.training.processes.devices import make_fabric
from discourse_nmt.training.run.optimiser import Optimiser, rates_of
from discourse_nmt.training.run.schedules import learning_rate
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks.loss import Losses
from tests.unit.training.run.training_toy import dataset, largest_difference, same, splits, toy, toy_objective, training

Data = tuple[ParallelDataset, ParallelDataset]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    return splits(tmp_path_factory.mktemp("data"))


def settings(**keys: Any) -> TrainingSettings:
    usual = {
        "batch_tokens": 60,
        "max_updates": 9,
        "warmup_updates": 4,
        "learning_rate": 0.01,
        "clip_norm": 0.0,
    }
    return TrainingSettings(**{**usual, **keys})


def test_an_update_is_adam_on_the_mean_loss_per_target_token(tmp_path: Path, data: Data) -> None:
    made = settings(max_updates=1, schedule="constant", warmup_updates=0, batch_tokens=10_000)
    network = toy()
    training(tmp_path, network, made, data).run()
    literal = toy()
    feed = training(tmp_path / "other", toy(), made, data).training
    batch = feed.collate(feed.order.update(0)[0])
    (toy_objective(0.1)(literal, batch).objective / batch.target_tokens).backward()
    parameters = [p for name, p in literal.named_parameters() if not name.startswith("unused")]
    torch.optim.Adam(parameters, lr=0.01, betas=(0.9, 0.98), eps=1e-9).step()
    assert largest_difference(network, literal) < 1e-6


def test_frozen_updates_are_of_loaded_parameters_alone(tmp_path: Path, data: Data) -> None:
    """In the first updates the loaded parameters keep their bits, then they learn like the others."""
    made = settings(frozen_updates=3, schedule="constant", warmup_updates=0)
    for updates, moves in ((3, False), (4, True)):
        network, before = toy(), toy()
        optimiser = Optimiser(network, made, rates_of(made, set(), []), {"embedding.weight"})
        run = training(tmp_path / str(updates), network, replace(made, max_updates=updates), data)
        adam = run.fabric.setup_optimizers(optimiser.adam)
        assert not isinstance(adam, tuple)
        run.optimiser, run.adam = optimiser, adam
        run.run()
        assert torch.equal(network.embedding.weight, before.embedding.weight) != moves
        assert not torch.equal(network.context.weight, before.context.weight)
    rates = []
    for update in range(5):
        optimiser.set_rate(0.1, update)
        rates.append([group["lr"] for group in optimiser.adam.param_groups])
    assert rates == [[0.0, 0.1]] * 3 + [[0.1, 0.1]] * 2
    assert len(Optimiser(toy(), settings(), rates_of(made, set(), []), {"embedding.weight"}).adam.param_groups) == 1


def test_accumulated_batches_are_one_larger_batch(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Sentences of 6 tokens and </s>: 12 sentences are one batch of 96 padded tokens or two of 48."""
    data = dataset(tmp_path, [12], length=6), dataset(tmp_path, [2], name="dev")
    networks = []
    for tokens, accumulation in ((96, 1), (48, 2), (24, 4)):
        networks.append(toy())
        made = settings(batch_tokens=tokens, accumulation=accumulation, max_updates=6, clip_norm=0.5)
        loop = training(tmp_path / str(tokens), networks[-1], made, data)
        assert len(loop.training.order.update(0)) == accumulation
        loop.run()
    assert largest_difference(networks[0], networks[1]) < 1e-6
    assert largest_difference(networks[0], networks[2]) < 1e-6
    assert not same(networks[0], toy())


def test_unequal_batches_count_by_their_tokens(tmp_path: Path) -> None:
    """Batches of many and of few target tokens: each token weighs the same."""
    data = dataset(tmp_path, [25]), dataset(tmp_path, [2], name="dev")
    networks = []
    for tokens, accumulation in ((10_000, 1), (40, 100)):
        networks.append(toy())
        made = settings(batch_tokens=tokens, accumulation=accumulation, max_updates=4)
        loop = training(tmp_path / str(tokens), networks[-1], made, data)
        assert loop.training.order.updates_per_epoch == 1
        loop.run()
    assert largest_difference(*networks) < 1e-6


def test_frozen_and_slowed_parameters(tmp_path: Path, data: Data) -> None:
    networks = [toy(), toy()]
    for network, rates in zip(networks, ({}, {"embedding": 0.0, "context": 0.5, "context.bias": 0.0})):
        made = settings(max_updates=1, schedule="constant", warmup_updates=0, rates=rates)
        training(tmp_path / str(len(rates)), network, made, data).run()
    start, (full, slowed) = toy(), networks
    assert torch.equal(slowed.embedding.weight, start.embedding.weight)
    assert torch.equal(slowed.context.bias, start.context.bias)
    assert not torch.equal(full.embedding.weight, start.embedding.weight)
    # Adam's first step has the size of the learning rate, whatever the gradient.
    steps = [(network.context.weight - start.context.weight).abs().median().item() for network in (full, slowed)]
    assert steps == pytest.approx([0.01, 0.005], rel=1e-3)


@pytest.mark.parametrize("schedule", ["inverse_square_root", "noam", "constant", "polynomial"])
def test_each_step_of_adam_has_the_rate_of_its_update(tmp_path: Path, data: Data, schedule: str) -> None:
    made = settings(schedule=schedule)
    loop = training(tmp_path, toy(), made, data)
    rates: list[float] = []
    loop.optimiser.adam.register_step_pre_hook(lambda adam, *_: rates.append(adam.param_groups[0]["lr"]))
    loop.run()
    assert rates == [learning_rate(made, update, loop.width) for update in range(1, 10)]


def test_faulty_rates_are_told(tmp_path: Path, data: Data) -> None:
    with pytest.raises(InputError, match=r"rates\.embeding .* did you mean embedding"):
        training(tmp_path, toy(), settings(rates={"embeding": 0.0}), data)
    with pytest.raises(InputError, match="every parameter is frozen"):
        training(tmp_path, toy(), settings(rates={"": 0.0}), data)


@pytest.mark.parametrize(
    ("limits", "update", "reason"),
    [
        ({"max_updates": 7}, 7, "max_updates"),
        ({"max_updates": 0, "max_epochs": 2}, 12, "max_epochs"),
        ({"max_updates": 100, "max_minutes": 1e-9}, 1, "max_minutes"),
        ({"max_updates": 100, "learning_rate": 0.0, "evaluate_every": 2, "patience": 3}, 8, "patience"),
    ],
)
def test_limits(tmp_path: Path, data: Data, limits: dict, update: int, reason: str) -> None:
    loop = training(tmp_path, toy(), settings(**limits), data)
    assert loop.training.order.updates_per_epoch == 6
    state = loop.run()
    assert (state.update, state.finished) == (update, reason)
    # The end is evaluated, and a run that has ended stays so.
    assert state.rows[-1]["update"] == update
    assert state.rows[-1]["dev_loss"] > 0
    again = training(tmp_path, toy(), settings(**limits), data).run()
    assert again.rows == state.rows


def test_development_loss_is_the_literal_sum(tmp_path: Path, data: Data) -> None:
    network = toy(dropout=0.5)
    row = training(tmp_path, network, settings(), data).run().rows[-1]
    feed = training(tmp_path / "other", toy(), settings(), data).development.feed
    sums = [0.0, 0.0, 0.0]
    for place in range(feed.order.batches_per_epoch):
        batch = feed.collate(feed.order.batch(0, place))
        losses = toy_objective(0.1)(network.eval(), batch)
        sums = [
            sums[0] + losses.objective.item(),
            sums[1] + losses.likelihood.item(),
            sums[2] + batch.target_tokens,
        ]
    assert row["dev_loss"] == pytest.approx(sums[0] / sums[2], rel=1e-6)
    assert row["dev_nll"] == pytest.approx(sums[1] / sums[2], rel=1e-6)
    assert row["dev_perplexity"] == pytest.approx(math.exp(sums[1] / sums[2]), rel=1e-6)


def test_bleu_selects_the_best_update(tmp_path: Path, data: Data) -> None:
    scores = iter([3.0, 8.0, 5.0, 8.0, 7.0])
    made = settings(evaluate_every=2, max_updates=10, select_by="bleu", patience=0)
    state = training(tmp_path, toy(), made, data, bleu=lambda network, alive: next(scores)).run()
    assert (state.best_update, state.best_score, state.stale) == (4, 8.0, 3)
    assert [row["dev_bleu"] for row in state.rows] == [3.0, 8.0, 5.0, 8.0, 7.0]
    assert list(state.evaluated) == ["4", "10"]


def test_the_weights_to_average_are_kept(tmp_path: Path, data: Data) -> None:
    made = settings(evaluate_every=2, max_updates=10, final="average", average_checkpoints=3)
    loop = training(tmp_path, toy(), made, data)
    state = loop.run()
    assert list(state.evaluated)[-3:] == ["6", "8", "10"]
    assert all(loop.work.weights(update).is_file() for update in state.evaluated)


def test_metrics_files(tmp_path: Path, data: Data) -> None:
    made = settings(max_updates=12, report_every=3, evaluate_every=6)
    state = training(tmp_path, toy(), made, data).run()
    table = pd.read_csv(tmp_path / "metrics.csv")
    assert list(table.columns) == list(COLUMNS)
    assert table["update"].tolist() == [3, 6, 9, 12]
    assert table["dev_loss"].isna().tolist() == [True, False, True, False]
    assert table["epoch"].tolist() == pytest.approx([update / 6 for update in (3, 6, 9, 12)], abs=1e-4)
    assert table["tokens"].is_monotonic_increasing
    assert (table["train_loss"] > 0).all()
    curves = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert [(e.step, pytest.approx(e.value)) for e in curves.Scalars("train_loss")] == [
        (row["update"], row["train_loss"]) for row in state.rows
    ]


def test_train_loss_is_per_token_since_the_row_before(tmp_path: Path, data: Data) -> None:
    made = settings(learning_rate=0.0, max_updates=12, report_every=6, evaluate_every=6)
    row, second = training(tmp_path, toy(), made, data).run().rows  # each of a whole epoch
    assert second["train_loss"] == pytest.approx(row["train_loss"], rel=1e-6)
    feed = training(tmp_path / "other", toy(), made, data).training
    batches = [feed.collate(units) for n in range(6) for units in feed.order.update(n)]
    total = sum(toy_objective(0.1)(toy(), batch).objective.item() for batch in batches)
    assert row["tokens"] == sum(batch.target_tokens for batch in batches)
    assert row["train_loss"] == pytest.approx(total / row["tokens"], rel=1e-6)


def test_word_dropout_ends_after_its_epochs(tmp_path: Path, data: Data) -> None:
    seen = []

    def objective(network: nn.Module, batch: Batch) -> Losses:
        if network.training:
            seen.append(network.word_dropout)
        return toy_objective(0.1)(network, batch)

    made = settings(max_updates=16, word_dropout_epochs=1)
    training(tmp_path, toy(), made, data, objective=objective).run()
    assert seen == [0.5] * 6 + [0.0] * 10


@pytest.mark.parametrize(("minutes", "told"), [(1e9, 6), (0.0, 5)])
def test_divergence_is_told_and_not_saved(tmp_path: Path, data: Data, minutes: float, told: int) -> None:
    def objective(network: nn.Module, batch: Batch) -> Losses:
        losses = toy_objective(0.1)(network, batch)
        diverged = loop.state.update >= 4
        return Losses(losses.objective * (math.nan if diverged else 1), losses.likelihood)

    made = settings(evaluate_every=2, checkpoint_minutes=minutes)
    loop = training(tmp_path, toy(), made, data, objective=objective)
    with pytest.raises(InputError, match=f"the loss is nan by update {told}; lower learning_rate"):
        loop.run()
    assert (loop.work.latest() or pytest.fail("no checkpoint"))[0].update == 4


def test_dropout_depends_on_the_seed_and_the_update_alone(tmp_path: Path, data: Data) -> None:
    networks = [toy(dropout=0.3) for _ in range(3)]
    for number, (network, seed) in enumerate(zip(networks, (3, 3, 4))):
        torch.manual_seed(number)
        training(tmp_path / str(number), network, settings(), data, seed=seed).run()
    assert same(networks[0], networks[1])
    assert not same(networks[0], networks[2])


def test_bf16_keeps_weights_in_fp32_and_learns(tmp_path: Path, data: Data) -> None:
    made = settings(max_updates=30, precision="bf16", evaluate_every=10)
    network = toy()
    rows = training(tmp_path, network, made, data, processes=make_fabric("cpu", 1, "bf16", 1)).run().rows
    assert {parameter.dtype for parameter in network.parameters()} == {torch.float32}
    assert rows[-1]["dev_nll"] < rows[0]["dev_nll"]
