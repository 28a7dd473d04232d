"""The section ``hardware``: it says what is used and never what comes out."""

from pathlib import Path
from typing import Any

import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.checks.hardware import check_gpus, check_nodes, check_shares
from tests.conftest import ROOT
from tests.unit.workflow.test_configuration import load, resolved
from tests.workflow.test_workflow import snakemake

EXPERIMENTS = {"one": {"system": "transformer"}, "two": {"system": "transformer", "training": {"accumulation": 2}}}


@pytest.mark.parametrize(
    ("hardware", "said"),
    [
        ({}, None),
        ({"gpus": "auto"}, None),
        ({"gpus": 0}, None),
        ({"gpus": 1, "processes": 7}, None),
        ({"processes": 2}, "hardware.processes is 2, but experiments.one has 1 batches in an update"),
        ({"gpus": 2}, "hardware.gpus is 2, but experiments.one has 1 batches in an update"),
        ({"gpus": 0, "nodes": 2}, "hardware.processes is 1 on each of 2 nodes, but experiments.one has 1 batches"),
        ({"gpus": "auto", "nodes": 2}, "hardware.nodes is 2 and hardware.gpus is auto; set gpus to the GPUs"),
    ],
)
def test_an_update_has_a_batch_for_every_process(hardware: dict[str, Any], said: str | None) -> None:
    demo = load(ROOT / "config.yaml")
    config = resolved({**demo, "training": {}, "significance": {}, "experiments": EXPERIMENTS, "hardware": hardware})
    if said is None:
        check_shares(config)
    else:
        with pytest.raises(InputError, match=said):
            check_shares(config)


def test_gpus_that_are_absent_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    check_gpus(0)
    check_gpus(1)
    with pytest.raises(InputError, match=r"hardware\.gpus is 2, but this machine has 1; lower it, or set it to auto"):
        check_gpus(2)


def test_several_nodes_need_a_scheduler() -> None:
    check_nodes(1, local=True)
    check_nodes(2, local=False)
    with pytest.raises(InputError, match=r"hardware\.nodes is 2, but jobs run on this machine; use --workflow-profile"):
        check_nodes(2, local=True)


@pytest.mark.parametrize("switch", ["recompute_activations", "shard_optimiser"])
def test_a_training_gets_the_switches_of_memory(switch: str, tmp_path: Path) -> None:
    option = f"--{switch.replace('_', '-')}"
    for value in ("true", "false"):
        added = tmp_path / "added.yaml"
        added.write_text(f"hardware: {{{switch}: {value}}}\n", encoding="utf-8")
        words = ["--configfile", str(ROOT / "config.yaml"), str(added), "--dry-run", "--printshellcmds"]
        done = snakemake(tmp_path, *words, "--", "score")
        assert done.returncode == 0, done.stdout
        trainings = [line for line in done.stdout.splitlines() if "train.train --" in line]
        assert trainings and all((option in line) == (value == "true") for line in trainings)
