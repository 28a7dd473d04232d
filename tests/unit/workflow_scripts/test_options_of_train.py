"""Every option of the command that trains reaches the training."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.training.run import run as training_run
from discourse_nmt.training.run.run import TrainingRun
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow_scripts.train import train
from tests.unit.training.run.training_toy import vocabulary

SWITCHES = {"encoder_layers": 1, "decoder_layers": 2, "rst_layers": 1, "width": 16, "heads": 2}
VALUES: dict[str, object] = {
    "system": "rst_transformer",
    "settings": json.dumps(SWITCHES),
    "training": json.dumps({"max_updates": 7}),
    "seed": 5,
    "train": "train.arrow",
    "dev": "dev.arrow",
    "initialised-from": "before.safetensors",
    "train-structure": "train_trees.arrow",
    "dev-structure": "dev_trees.arrow",
    "work": "work",
    "code": "fingerprint",
    "threads": 3,
    "device": "cpu",
    "devices": 2,
    "time-limit": 1.5,
    "output": "model.safetensors",
    "metrics": "metrics.csv",
}


class Begun(Exception):  # noqa: N818
    """The training has what it needs."""


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """What the command asks a training for, with all options set."""
    asked: dict[str, Any] = {}

    def begin(request: TrainingRun, work: Path, **options: object) -> None:
        asked.update(options, request=request, work=work)
        raise Begun

    words = [word for name, value in VALUES.items() for word in (f"--{name}", str(value))]
    for side, size in (("source", 20), ("target", 25)):
        vocabulary(size).save(tmp_path / side)
        words += [f"--{side}-vocabulary", str(tmp_path / side)]
    monkeypatch.setattr(training_run, "train", begin)
    monkeypatch.setattr(train, "others_needed", lambda device, devices: 0)
    monkeypatch.setattr(sys, "argv", ["train", *words, "--recompute-activations", "--shard-optimiser"])
    monkeypatch.setattr("time.monotonic", lambda: 1000.0)
    with pytest.raises(Begun):
        train.main()
    return asked


def test_every_option_reaches_the_training(given: dict[str, Any]) -> None:
    del given["release"]
    request = given.pop("request")
    assert given == {
        "work": Path("work"),
        "device": "cpu",
        "devices": 2,
        "threads": 3,
        "deadline": 1090.0,
        "recompute": True,
        "shard": True,
    }
    assert request == TrainingRun(
        system="rst_transformer",
        switches=SWITCHES,
        settings=TrainingSettings(max_updates=7),
        seed=5,
        train=Path("train.arrow"),
        dev=Path("dev.arrow"),
        source_vocabulary=vocabulary(20),
        target_vocabulary=vocabulary(25),
        initialised_from=Path("before.safetensors"),
        train_structure=Path("train_trees.arrow"),
        dev_structure=Path("dev_trees.arrow"),
        code="fingerprint",
    )
