"""The choice of arithmetic: what auto means, and that a run continues as it began."""

import logging
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.training.precision import Precision
from discourse_nmt.training.processes import devices
from discourse_nmt.training.processes.devices import has_bf16, make_fabric, process_count, resolved
from discourse_nmt.training.run.evaluation import Development, DevelopmentMeasures
from discourse_nmt.training.run.run import TrainingRun, train
from discourse_nmt.training.settings import TrainingSettings
from tests.unit.training.run.training_toy import dataset, splits, toy, training, vocabulary

SWITCHES = {"encoder_layers": 1, "decoder_layers": 1, "width": 16, "feed_forward_width": 16, "heads": 2}


def run_of(folder: Path) -> TrainingRun:
    """Six updates of a small network, with datasets in the folder."""
    dataset(folder, [10, 12])
    dataset(folder, [6], name="dev", seed=1)
    return TrainingRun(
        system="transformer",
        switches=SWITCHES,
        settings=TrainingSettings(max_updates=6, evaluate_every=2, batch_tokens=60, precision="auto"),
        seed=1,
        train=folder / "train.arrow",
        dev=folder / "dev.arrow",
        source_vocabulary=vocabulary(),
        target_vocabulary=vocabulary(),
    )


def able(monkeypatch: pytest.MonkeyPatch, native: bool) -> None:
    monkeypatch.setattr(devices, "has_bf16", lambda device: native)


@pytest.mark.parametrize(("native", "expected"), [(True, "bf16"), (False, "fp32")])
def test_auto_is_bf16_where_the_processor_has_it(
    native: bool, expected: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    able(monkeypatch, native)
    with caplog.at_level(logging.INFO):
        assert resolved("auto", None, "cpu") == expected
    assert f"precision: auto is {expected}" in caplog.text
    caplog.clear()
    named: tuple[Precision, ...] = ("fp32", "bf16", "fp16")
    assert [resolved(name, None, "cpu") for name in named] == list(named) and not caplog.text


def test_auto_continues_as_the_run_began(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    able(monkeypatch, False)
    with caplog.at_level(logging.INFO):
        assert resolved("auto", "bf16", "cpu") == "bf16"
    assert "continues in bf16, as the run began, which is slow on this machine" in caplog.text
    able(monkeypatch, True)
    assert resolved("auto", "fp32", "cpu") == "fp32"


@pytest.mark.parametrize("instructions", ["avx512_bf16", "amx_bf16"])
def test_either_set_of_instructions_is_enough(instructions: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for capabilities, expected in (({instructions: True}, True), ({instructions: False, "avx2": True}, False)):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda capabilities=capabilities: capabilities)
        assert has_bf16("cpu") is expected


def test_torchrun_tells_the_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert process_count("cpu", 3) == 3
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "1")
    monkeypatch.setenv("WORLD_SIZE", "8")
    assert process_count("cpu", 3) == 8


def test_the_one_gpu_that_auto_finds_computes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert [process_count(device, 3) for device in ("auto", "cpu", "cuda")] == [1, 3, 3]


SMALL = torch.full((4,), 1e-30)


def test_a_training_computes_with_zeros_for_small_numbers_and_leaves_the_process_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nonzero, measure = [], Development.measure

    def counted(*given: Any) -> DevelopmentMeasures:
        nonzero.append((SMALL * 1e-10).count_nonzero().item())
        return measure(*given)

    monkeypatch.setattr(Development, "measure", counted)
    train(run_of(tmp_path), tmp_path / "work", device="cpu", devices=1, threads=1)
    assert nonzero == [0, 0, 0]
    assert (SMALL * 1e-10).count_nonzero() == 4


def test_small_numbers_are_zero_in_threads_that_begin_later() -> None:
    script = """
import torch
from discourse_nmt.training.processes.devices import small_numbers_as_zero
torch.set_num_threads(2)
with small_numbers_as_zero():
    print((torch.full((4_000_000,), 1e-30) * 1e-10).count_nonzero().item())
"""
    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert finished.stdout.split()[-1] == "0"


def test_a_checkpoint_of_another_precision_is_refused(tmp_path: Path) -> None:
    data = splits(tmp_path)
    made = TrainingSettings(max_updates=4, evaluate_every=2, batch_tokens=60, precision="fp32")
    state = training(tmp_path / "work", toy(), made, data).run()
    assert [row["precision"] for row in state.rows] == ["fp32", "fp32"]
    loop = training(
        tmp_path / "work",
        toy(),
        replace(made, precision="bf16"),
        data,
        processes=make_fabric("cpu", 1, "bf16", 1),
    )
    with pytest.raises(InputError, match=r"began in fp32 and would continue in bf16.*set training\.precision"):
        loop.run()


def test_a_run_records_its_precision_and_continues_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Begun where bf16 is native, ended where it is not."""
    run = run_of(tmp_path)
    able(monkeypatch, True)
    unbroken = train(run, tmp_path / "unbroken", device="cpu", devices=1, threads=1)
    assert [row["precision"] for row in unbroken.state.rows] == ["bf16"] * 3
    folder = next((tmp_path / "unbroken").iterdir())
    assert pd.read_csv(folder / "metrics.csv")["precision"].tolist() == ["bf16"] * 3
    able(monkeypatch, False)
    again = train(run, tmp_path / "unbroken", device="cpu", devices=1, threads=1)
    assert again.state.precision == "bf16"
    elsewhere = train(run, tmp_path / "elsewhere", device="cpu", devices=1, threads=1)
    assert [row["precision"] for row in elsewhere.state.rows] == ["fp32"] * 3
    assert elsewhere.state.rows[-1]["dev_loss"] != unbroken.state.rows[-1]["dev_loss"]
