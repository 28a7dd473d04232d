"""A training on two nodes, stopped by a signal and then robbed of a process, ends with the losses of one process."""

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
import yaml

from tests.cluster.slurm import Slurm, wait_for
from tests.cluster.workflow import TINY, Workflow

RUN = "results/tiny/demo/experiments/long/seed1"
PREPARED = [f"results/tiny/demo/{name}" for name in ("dataset/train.arrow", "dataset/dev.arrow")]
TRAINING = {"max_updates": 300, "evaluate_every": 50, "checkpoint_minutes": 0.01, "patience": 0}
# The rest of the configuration is that of the demo at its smallest, of which only this is made.
CHANGES = {"corpora": {"demo": {"shards": 1}}, "experiments": {"long": {"system": "transformer", "training": TRAINING}}}
HARDWARE = {
    "alone": {"threads": 1, "gpus": 0, "processes": 1},
    "pair": {"threads": 1, "gpus": 0, "processes": 1, "nodes": 2},
}
# Simulated GPUs are asked for, as `hardware: {gpus: 1}` would; the networks run on CPUs.
ON_PAIR = ("train_model:slurm_partition=pair", "train_model:gpu=2", "train_model:slurm_extra=--gpus-per-node=1")


@pytest.fixture(scope="module")
def workflows(slurm: Slurm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Workflow]]:
    """The same training by one process without Slurm, and on two nodes with a stop and a kill."""
    folder = tmp_path_factory.mktemp("nodes")
    (folder / "start").mkdir()
    (folder / "start" / "added.yaml").write_text(yaml.safe_dump(CHANGES), encoding="utf-8")
    start = Workflow(folder / "start", str(TINY), "added.yaml")
    start.finish(start.start(PREPARED, "--cores", "1"))
    made = {name: start.copy(folder / name, {"hardware": hardware}) for name, hardware in HARDWARE.items()}
    alone = made["alone"].start([f"{RUN}/model.safetensors"], "--cores", "1")
    pair = made["pair"].start_on(slurm, [f"{RUN}/model.safetensors"], "--set-resources", *ON_PAIR)
    try:
        wait_for(lambda: newest_checkpoint(made["pair"]), "a checkpoint", 300)
        job = slurm.tell("squeue", "--noheader", "--format=%i", f"--name={made['pair'].name()}")
        slurm.tell("scancel", "--signal=TERM", job)
        wait_for(lambda: not ranks(slurm, made["pair"]), "the end of the processes", 60)
        last = newest_checkpoint(made["pair"])
        (folder / "stopped").write_text(last, encoding="utf-8")
        wait_for(lambda: newest_checkpoint(made["pair"]) > last, "a checkpoint of the second attempt", 300)
        os.kill(ranks(slurm, made["pair"])["second"], signal.SIGKILL)
        made["alone"].finish(alone)
        made["pair"].finish(pair)
        yield made
    finally:
        alone.terminate()
        pair.terminate()


def newest_checkpoint(workflow: Workflow) -> str:
    found = workflow.folder.glob("work/tiny/demo/long/seed1/*/checkpoints/*.json")
    return max((path.name for path in found), default="")


def ranks(slurm: Slurm, workflow: Workflow) -> dict[str, int]:
    """The processes of torchrun that train, by the names of their nodes."""
    found = {}
    for process in slurm.processes():
        with contextlib.suppress(OSError):
            environment = Path(f"/proc/{process}/environ").read_bytes().decode().split("\0")
            of = dict(word.split("=", 1) for word in environment if "=" in word)
            if "TORCHELASTIC_RUN_ID" in of and Path(f"/proc/{process}/cwd").resolve() == workflow.folder.resolve():
                found[of["SLURMD_NODENAME"]] = process
    return found


def test_losses_are_those_of_one_process(workflows: dict[str, Workflow]) -> None:
    alone, pair = (pd.read_csv(workflows[name].folder / RUN / "metrics.csv") for name in ("alone", "pair"))
    assert pair["update"].tolist() == alone["update"].tolist() and alone["update"].max() == TRAINING["max_updates"]
    for column in ("train_loss", "dev_loss"):
        assert pair[column].tolist() == pytest.approx(alone[column].tolist(), rel=1e-3, nan_ok=True)
    assert pair["tokens"].tolist() == alone["tokens"].tolist()


def test_the_job_has_two_nodes_and_is_repeated_as_a_whole(workflows: dict[str, Workflow], slurm: Slurm) -> None:
    pair = workflows["pair"]
    assert pair.states(slurm) == ["FAILED", "FAILED", "COMPLETED"]
    for job in pair.jobs(slurm):
        assert (job["NodeList"], job["NodeCnt"], job["ProcCnt"]) == ("first,second", "2", "2")
        shown = slurm.tell("scontrol", "show", "job", job["JobId"])
        assert "TresPerJob=gres:gpu:2" in shown and "TresPerNode=gres:gpu:1" in shown


def test_every_attempt_continues(workflows: dict[str, Workflow]) -> None:
    """The signal reached the processes, which wrote a checkpoint; after the kill of one, the other one ended."""
    pair = workflows["pair"]
    log = (pair.folder / "results/tiny/logs/demo/train/long/seed1.log").read_text(encoding="utf-8")
    assert "2 processes on 2 nodes share the batches of an update" in log
    # The line about the stop may be missing from the log, as Slurm sends the signal to the program that writes it, too.
    stopped = (pair.folder.parent / "stopped").read_text(encoding="utf-8")
    (update,) = re.findall(r"\d+", stopped.partition(".")[0])
    assert f"continuing after update {int(update)}," in pair.output()
    assert "process 1 was killed (signal 9)" in pair.output()
    assert "continuing after update" in log and "Traceback" not in log
