"""A training that Slurm ends before its time ends with the same weights as an unbroken one, bit for bit."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.cluster.slurm import Slurm, wait_for
from tests.cluster.workflow import TINY, Workflow
from tests.conftest import ROOT

MODEL = "results/tiny/demo/experiments/long/seed1/model.safetensors"
SECONDS = 130  # of the training, on this machine at its best: a time limit of a minute ends in its midst
LIMITS = {
    "limited": ("train_model:runtime=30", "train_model:soft_runtime=0"),
    "stopped": ("train_model:runtime=30", "train_model:soft_runtime=1 if 1 < attempt < 3 else 0"),
}


def updates_of_training(demo: Workflow, folder: Path) -> int:
    """The number of updates that take :data:`SECONDS`, by the fastest hundred of some."""
    tiny = yaml.safe_load(TINY.read_text(encoding="utf-8"))
    results, metrics = demo.folder / "results/tiny/demo", folder / "metrics.csv"
    training = {**tiny["training"], "max_updates": 600, "evaluate_every": 600, "report_every": 100}
    words = [
        sys.executable,
        "-m",
        "discourse_nmt.workflow_scripts.train.train",
        "--system",
        "transformer",
        "--seed",
        "1",
    ]
    words += ["--settings", json.dumps(tiny["model"]), "--training", json.dumps(training), "--metrics", str(metrics)]
    words += ["--output", str(folder / "model.safetensors"), "--work", str(folder / "work")]
    for option in ("train", "dev"):
        words += [f"--{option}", str(results / f"dataset/{option}.arrow")]
    for side in ("source", "target"):
        words += [f"--{side}-vocabulary", str(results / f"text/{side}/vocabulary.json")]
    subprocess.run(words, cwd=ROOT, check=True)
    rows = pd.read_csv(metrics)
    return int(SECONDS * rows["tokens_per_second"].max() * rows["update"].max() / rows["tokens"].max())


@dataclass
class Training:
    """A workflow that makes one model, which runs."""

    workflow: Workflow
    process: subprocess.Popen[str]

    def weights(self) -> bytes:
        """The model's file, once the workflow has ended."""
        self.workflow.finish(self.process)
        return (self.workflow.folder / MODEL).read_bytes()

    def job_with_checkpoint(self, slurm: Slurm) -> str:
        """The id of its running job, once that has written a checkpoint."""
        written = self.workflow.folder.glob
        wait_for(lambda: any(written("work/tiny/demo/long/seed1/*/checkpoints/*.json")), "a checkpoint", 600)
        return slurm.tell("squeue", "--noheader", "--format=%i", f"--name={self.workflow.name()}")


@pytest.fixture(scope="module")
def trainings(slurm: Slurm, demo: Workflow, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Training]]:
    """The same training three times at once: unbroken without Slurm, ended by its time limit, and stopped twice.

    The last is cancelled, and stopped softly at its second attempt.
    """
    folder = tmp_path_factory.mktemp("trainings")
    updates = updates_of_training(demo, folder)
    training = {"max_updates": updates, "evaluate_every": updates // 4, "checkpoint_minutes": 0.05}
    changes = {"hardware": {"processes": 1}, "experiments": {"long": {"system": "transformer", "training": training}}}
    workflows = {name: demo.copy(folder / name, changes) for name in ("unbroken", "limited", "stopped")}
    started = {
        name: Training(
            workflow,
            workflow.start_on(slurm, [MODEL], "--set-resources", *LIMITS[name])
            if name in LIMITS
            else workflow.start([MODEL], "--cores", "1"),
        )
        for name, workflow in workflows.items()
    }
    # With a checkpoint there is something to continue, however long this machine took to start.
    slurm.tell("scancel", started["stopped"].job_with_checkpoint(slurm))
    slurm.tell("scontrol", "update", f"JobId={started['limited'].job_with_checkpoint(slurm)}", "TimeLimit=1")
    yield started
    for each in started.values():
        each.process.terminate()
        each.process.wait()


def test_a_cancelled_and_a_softly_stopped_training_continue(trainings: dict[str, Training], slurm: Slurm) -> None:
    stopped = trainings["stopped"]
    assert stopped.weights() == trainings["unbroken"].weights()
    assert stopped.workflow.states(slurm) == ["CANCELLED", "FAILED", "COMPLETED"]
    assert "stopped by its time limit after update" in stopped.workflow.output()


def test_a_training_over_its_time_limit_continues(trainings: dict[str, Training], slurm: Slurm) -> None:
    limited = trainings["limited"]
    assert limited.weights() == trainings["unbroken"].weights()
    assert limited.workflow.states(slurm) == ["TIMEOUT", "COMPLETED"]
    log = limited.workflow.folder / "results/tiny/logs/demo/train/long/seed1.log"
    assert "continuing after update" in log.read_text(encoding="utf-8")
