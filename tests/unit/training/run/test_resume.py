"""A training that was stopped or killed continues and ends with the same weights, bit for bit."""

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch
from lightning_fabric import Fabric
from lightning_fabric.plugins import MixedPrecision
from lightning_fabric.plugins.environments import LightningEnvironment
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # type: ignore[import-untyped]
from torch import nn

from discourse_nmt.training.checkpoints.work import MetricsRow
from discourse_nmt.training.data.collation import Batch
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.operation.interruption import Interrupted
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks.loss import Losses, Objective
from tests.unit.training.run.training_toy import same, splits, toy, toy_objective, training

Data = tuple[ParallelDataset, ParallelDataset]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    return splits(tmp_path_factory.mktemp("data"))


def settings(**keys: Any) -> TrainingSettings:
    usual = {
        "batch_tokens": 60,
        "accumulation": 2,
        "max_updates": 24,
        "warmup_updates": 4,
        "learning_rate": 0.01,
    }
    return TrainingSettings(**{**usual, "report_every": 2, "checkpoint_minutes": 0.0, **keys})


class Killed(Exception):  # noqa: N818
    """Stands for the end of the process."""


def breaking(loop: list, update: int, action: Callable[[], None]) -> Objective:
    """The usual objective, which takes ``action`` in the second batch of an update."""
    calls = []

    def objective(network: nn.Module, batch: Batch) -> Losses:
        if network.training and loop[0].state.update == update:
            calls.append(1)
            if len(calls) == 2:
                action()
        return toy_objective(0.1)(network, batch)

    return objective


def kill() -> None:
    raise Killed


def comparable(rows: list[MetricsRow]) -> list[dict]:
    """Rows of metrics without what the clock says."""
    return [{k: v for k, v in row.items() if k not in ("seconds", "tokens_per_second")} for row in rows]


@pytest.mark.parametrize(("update", "minutes"), [(0, 0.0), (5, 1e9), (11, 0.0), (22, 1e9)])
def test_a_broken_run_repeats_the_unbroken_one(tmp_path: Path, data: Data, update: int, minutes: float) -> None:
    """With a checkpoint after every update, and with those of evaluations only."""
    made = settings(checkpoint_minutes=minutes, final="average", average_checkpoints=2)
    unbroken = toy(dropout=0.3)
    expected = training(tmp_path / "unbroken", unbroken, made, data).run()
    loop: list = []
    loop.append(training(tmp_path / "work", toy(dropout=0.3), made, data, objective=breaking(loop, update, kill)))
    with pytest.raises(Killed):
        loop[0].run()
    # Where there is a checkpoint, its weights count.
    continued = toy(dropout=0.3, seed=99 if update else 1)
    state = training(tmp_path / "work", continued, made, data).run()
    assert same(continued, unbroken)
    assert comparable(state.rows) == comparable(expected.rows)
    assert state.evaluated == expected.evaluated


def test_metrics_of_a_continued_run_have_no_duplicates(tmp_path: Path, data: Data) -> None:
    made = settings(checkpoint_minutes=1e9, evaluate_every=10, max_updates=20, report_every=1)
    loop: list = []
    loop.append(training(tmp_path, toy(), made, data, objective=breaking(loop, 17, kill)))
    with pytest.raises(Killed):
        loop[0].run()
    assert pd.read_csv(tmp_path / "metrics.csv")["update"].max() == 17
    training(tmp_path, toy(), made, data).run()
    assert pd.read_csv(tmp_path / "metrics.csv")["update"].tolist() == list(range(1, 21))
    curves = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    assert [event.step for event in curves.Scalars("train_loss")] == list(range(1, 21))


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_stops_after_the_update_and_a_checkpoint(tmp_path: Path, data: Data, number: int, status: int) -> None:
    made = settings(checkpoint_minutes=1e9)
    unbroken = toy(dropout=0.3)
    training(tmp_path / "unbroken", unbroken, made, data).run()
    handlers = [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)]
    loop: list = []
    raising = breaking(loop, 7, lambda: signal.raise_signal(number))
    loop.append(training(tmp_path / "work", toy(dropout=0.3), made, data, objective=raising))
    with pytest.raises(Interrupted, match="stopped after update 8; the same command continues") as stop:
        loop[0].run()
    assert stop.value.status == status
    assert [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)] == handlers
    assert (loop[0].work.latest() or pytest.fail("no checkpoint"))[0].update == 8
    continued = toy(dropout=0.3)
    training(tmp_path / "work", continued, made, data).run()
    assert same(continued, unbroken)


def test_another_signal_after_the_first_changes_nothing(tmp_path: Path, data: Data) -> None:
    def terminate() -> None:
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)

    loop: list = []
    loop.append(training(tmp_path, toy(), settings(), data, objective=breaking(loop, 7, terminate)))
    with pytest.raises(Interrupted, match="stopped after update 8") as stop:
        loop[0].run()
    assert stop.value.status == 143


def test_a_time_limit_stops_after_the_update_and_a_checkpoint(tmp_path: Path, data: Data) -> None:
    made = settings(checkpoint_minutes=1e9)
    unbroken = toy(dropout=0.3)
    training(tmp_path / "unbroken", unbroken, made, data).run()
    handler = signal.getsignal(signal.SIGALRM)
    deadline = time.monotonic() + 1
    loop: list = []
    waiting = breaking(loop, 7, lambda: time.sleep(max(0, deadline + 0.1 - time.monotonic())))
    loop.append(training(tmp_path / "work", toy(dropout=0.3), made, data, objective=waiting, deadline=deadline))
    with pytest.raises(Interrupted, match=r"stopped by its time limit after update [1-8]; the same command") as stop:
        loop[0].run()
    assert stop.value.status == 142
    assert signal.getsignal(signal.SIGALRM) == handler and signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    continued = toy(dropout=0.3)
    training(tmp_path / "work", continued, made, data, deadline=time.monotonic() + 1e6).run()
    assert same(continued, unbroken)
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_damaged_checkpoint_costs_only_time(tmp_path: Path, data: Data) -> None:
    made = settings()
    unbroken = toy()
    training(tmp_path / "unbroken", unbroken, made, data).run()
    loop: list = []
    loop.append(training(tmp_path / "work", toy(), made, data, objective=breaking(loop, 13, kill)))
    with pytest.raises(Killed):
        loop[0].run()
    newest = max((tmp_path / "work" / "checkpoints").glob("*.safetensors"))
    newest.write_bytes(newest.read_bytes()[:1000])
    continued = toy()
    training(tmp_path / "work", continued, made, data).run()
    assert same(continued, unbroken)


def scaled() -> Fabric:
    """One process in fp16, which a CPU does only when told so; the first losses overflow."""
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0**24, growth_interval=5)
    return Fabric(
        accelerator="cpu",
        devices=1,
        plugins=[LightningEnvironment(), MixedPrecision("16-mixed", "cpu", scaler)],
    )


def test_the_loss_scale_of_fp16_is_kept(tmp_path: Path, data: Data) -> None:
    made = settings(precision="fp16")
    unbroken = toy(dropout=0.3)
    expected = training(tmp_path / "unbroken", unbroken, made, data, processes=scaled()).run()
    assert expected.scaler["scale"] < 2.0**24
    loop: list = []
    breaks = breaking(loop, 13, kill)
    loop.append(training(tmp_path / "work", toy(dropout=0.3), made, data, objective=breaks, processes=scaled()))
    with pytest.raises(Killed):
        loop[0].run()
    continued = toy(dropout=0.3)
    state = training(tmp_path / "work", continued, made, data, processes=scaled()).run()
    assert same(continued, unbroken)
    assert state.scaler == expected.scaler


def newest(work: Path) -> int:
    """Update of the newest complete checkpoint, -1 without one."""
    return max((int(path.stem.split("-")[1]) for path in work.glob("checkpoints/*.json")), default=-1)


def test_killed_processes_end_with_the_same_weights(tmp_path: Path, data: Data) -> None:
    """kill -9 at random moments, also while a checkpoint is written: one is after every update."""
    made = settings(max_updates=200, evaluate_every=45)
    unbroken = toy(dropout=0.3)
    expected = training(tmp_path / "unbroken", unbroken, replace(made, checkpoint_minutes=1e9), data).run()
    generator, work, kills = random.Random(1), tmp_path / "work", []
    for _ in range(6):
        before = newest(work)
        process = os.fork()
        if not process:
            with contextlib.suppress(BaseException):
                training(work, toy(dropout=0.3), made, data).run()
            os._exit(0)
        while newest(work) < before + 3:
            time.sleep(0.001)
        time.sleep(generator.uniform(0, 0.1))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        kills.append(newest(work))
    assert 0 < kills[0] < kills[-1] < 200
    continued = toy(dropout=0.3)
    state = training(work, continued, made, data).run()
    assert same(continued, unbroken)
    assert comparable(state.rows) == comparable(expected.rows)
    assert state.evaluated == expected.evaluated
