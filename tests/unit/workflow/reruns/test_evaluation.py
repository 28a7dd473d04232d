"""Commands that ask the workflow for its jobs: a fault ends them as it ends Snakemake."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT


@pytest.mark.parametrize("command", ["plan", "why"])
def test_a_target_that_does_not_exist_is_told_and_is_an_error(command: str, tmp_path: Path) -> None:
    done = run(command, "scoer", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    assert (done.stderr, done.stdout) == ("error: no rule makes scoer; did you mean score?\n", "")


@pytest.mark.parametrize("command", ["plan", "why"])
def test_a_fault_of_the_configuration_is_told_once(command: str, tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text("run: my\ntraning: {max_updates: 10}\n", encoding="utf-8")
    done = run(command, "--configfile", "my.yaml", folder=tmp_path)
    assert done.returncode == 1
    assert done.stderr == "error: config: unknown key traning in the top level; did you mean training?\n"


def test_short_trainings_that_would_run_are_told(tmp_path: Path) -> None:
    """Once, however many seeds there are."""
    config = yaml.safe_load((ROOT / "config" / "news_ende.yaml").read_text(encoding="utf-8"))
    config["experiments"]["sentence"]["seeds"] = [1, 2]
    (tmp_path / "my.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    for target, count in (("train", 1), ("corpus", 0)):
        words = ("plan", "--configfile", "my.yaml", "--pairs", "news=400_000", "--", target)
        done = run(*words, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        short = [line for line in done.stdout.splitlines() if " of an epoch of " in line]
        assert len(short) == count, done.stdout
        assert all(line.startswith("sentence on news: 1,000 updates are 0.37 of an") for line in short)


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "discourse_nmt", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
