"""Jobs and the workflow are killed at random points: nothing half done counts as done, and results are the same."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.faults.conftest import Reference
from tests.faults.identical import difference, differences
from tests.faults.runs import CONFIG, OPTIONS, TARGETS, Job, new_folder, snakemake
from tests.forks.client import Server
from tests.forks.injection import as_variable

PER_KIND = 4
MODEL = Path("results/small/demo/experiments/sentence/seed1/model.safetensors")


def random_kill(job: Job, folder: Path, draw: random.Random) -> dict[str, Any]:
    """A point of a job's life: before a change of a file, in the middle of a write, or after so much processor time."""
    sizes = [(folder / path).stat().st_size for path in job.outputs]
    return draw.choice(
        [
            {"event": draw.randrange(len(job.events))},
            {"bytes": draw.randrange(max(sizes))},
            {"seconds": draw.random() * job.seconds},
        ]
    )


def said_of(kill: dict[str, Any]) -> str:
    words = {"event": "before a change of a file", "bytes": "in the middle of a write", "seconds": "at a random time"}
    return f"jobs killed {words[next(iter(kill))]}"


def test_a_killed_job_leaves_nothing_that_looks_finished(
    reference: Reference, server: Server, tmp_path: Path, injected: Counter[str]
) -> None:
    draw = random.Random(1)
    folder = tmp_path / "run"
    shutil.copytree(reference.folder, folder, symlinks=True, ignore=shutil.ignore_patterns(".snakemake"))
    for job in reference.of_each_kind:
        for number in range(PER_KIND):
            shutil.rmtree(folder / "work", ignore_errors=True)
            for path in job.outputs:
                (folder / path).unlink()
            kill = random_kill(job, reference.folder, draw)
            status, said = server.run(job.arguments, folder, **kill)
            assert status in (0, -signal.SIGKILL, -signal.SIGXFSZ), (job.kind, kill, said)
            for path in job.outputs:
                if (folder / path).exists():
                    assert not difference(reference.folder, folder, path), (job.kind, kill)
                    # Snakemake removes the outputs of a job that has failed, and not its other files.
                    if number % 2:
                        (folder / path).unlink()
            status, said = server.run(job.arguments, folder)
            assert status == 0, (job.kind, kill, said)
            assert not differences(reference.folder, folder, job.outputs), (job.kind, kill)
            injected[said_of(kill)] += 1


def test_a_workflow_whose_every_job_is_killed_ends_with_the_same_results(
    reference: Reference, server: Server, tmp_path: Path, injected: Counter[str]
) -> None:
    draw = random.Random(2)
    plan = tmp_path / "plan.json"
    kills = {job.name: [random_kill(job, reference.folder, draw)] for job in reference.jobs}
    plan.write_text(json.dumps(kills), encoding="utf-8")
    folder = new_folder(tmp_path, "run")
    done = snakemake(folder, server, "--retries", "2", "--", *TARGETS, plan=str(plan))
    assert done.returncode == 0, done.stdout
    assert not differences(reference.folder, folder)
    killed = [job for job in reference.jobs if (tmp_path / f"{job.name}.attempts").stat().st_size > 1]
    assert len(killed) >= 100
    for job in killed:
        injected[said_of(kills[job.name][0])] += 1


def test_a_workflow_that_is_killed_itself_goes_on_where_it_was(
    reference: Reference, server: Server, tmp_path: Path, injected: Counter[str]
) -> None:
    """As a machine that fails: Snakemake and all its jobs at once. The lock that it leaves is told, with the remedy."""
    draw = random.Random(3)
    folder = new_folder(tmp_path, "run")
    recorded = tmp_path / "jobs"
    recorded.mkdir()
    environment = {**os.environ, **as_variable({"record": str(recorded)}), "OMP_NUM_THREADS": "1"}
    start = f"import sys; sys.executable = {str(server.python)!r}; from snakemake.cli import main; main()"
    for enough in (10, 50, 90):
        began = subprocess.Popen(
            [sys.executable, "-c", start, *OPTIONS, "--", *TARGETS],
            cwd=folder,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while len(list(recorded.iterdir())) < enough and began.poll() is None:
            time.sleep(0.01)
        time.sleep(draw.random())
        os.killpg(began.pid, signal.SIGKILL)
        began.wait()
        injected["workflows killed with all their jobs"] += 1
        refused = snakemake(folder, server, "--", *TARGETS)
        assert refused.returncode != 0
        assert "--unlock" in refused.stdout and "Traceback" not in refused.stdout
        unlocked = snakemake(folder, server, "--unlock", "--", *TARGETS)
        assert unlocked.returncode == 0, unlocked.stdout
    done = snakemake(folder, server, "--", *TARGETS)
    assert done.returncode == 0, done.stdout
    assert not differences(reference.folder, folder)
    assert "Nothing to be done" in snakemake(folder, server, "--", *TARGETS).stdout


@pytest.fixture(scope="module")
def long_training(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that the training of one system, of many updates, needs, and its configuration long.yaml."""
    folder = new_folder(tmp_path_factory.mktemp("long"), "run")
    settings = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    settings["training"] |= {"max_updates": 300, "evaluate_every": 300, "checkpoint_minutes": 1e6, "report_every": 1}
    settings |= {"experiments": {"sentence": settings["experiments"]["sentence"]}, "labellers": {}}
    (folder / "long.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    done = snakemake(folder, server, "--configfile", "long.yaml", "--", "text")
    assert done.returncode == 0, done.stdout
    return folder


@pytest.fixture(scope="module")
def unbroken_model(long_training: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("trained") / "run"
    shutil.copytree(long_training, folder, symlinks=True)
    done = snakemake(folder, None, "--configfile", "long.yaml", "--", "train")
    assert done.returncode == 0, done.stdout
    return (folder / MODEL).read_bytes()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_workflow_ends_its_training_with_a_checkpoint(
    number: signal.Signals, long_training: Path, unbroken_model: bytes, tmp_path: Path, injected: Counter[str]
) -> None:
    """Ctrl-C reaches all processes, SIGTERM Snakemake alone."""
    folder, said = tmp_path / "run", tmp_path / "said"
    shutil.copytree(long_training, folder, symlinks=True)
    words = ["--configfile", "long.yaml", "--", "train"]
    with said.open("w", encoding="utf-8") as output:
        began = subprocess.Popen(
            [sys.executable, "-m", "snakemake", *OPTIONS, *words],
            cwd=folder,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        while "update 20," not in said.read_text(encoding="utf-8") and began.poll() is None:
            time.sleep(0.01)
        (os.killpg if number == signal.SIGINT else os.kill)(began.pid, number)
        assert began.wait() == 1
    stopped = re.search(r"stopped after update (\d+); the same command", said.read_text(encoding="utf-8"))
    assert stopped, said.read_text(encoding="utf-8")
    with pytest.raises(ProcessLookupError):
        os.killpg(began.pid, 0)
    done = snakemake(folder, None, *words)
    assert done.returncode == 0, done.stdout
    assert f"continuing after update {stopped[1]}, from" in done.stdout
    assert (folder / MODEL).read_bytes() == unbroken_model
    injected[f"workflows stopped by {number.name}"] += 1
