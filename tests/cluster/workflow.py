"""Snakemake on the project's workflow, on the cluster of the tests or without one."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.slurm import Slurm
from tests.conftest import ROOT

TINY = ROOT / "tests" / "workflow" / "configurations" / "tiny.yaml"
ADDED = Path(__file__).parent / "cluster.yaml"
# Without an accounting database squeue is asked; the first time soon, as these jobs are short.
QUICK = ["--slurm-status-command", "squeue", "--slurm-no-account", "--slurm-init-seconds-before-status-checks", "1"]


class Workflow:
    """A folder in which Snakemake runs the project's workflow, one call at a time."""

    def __init__(
        self, folder: Path, *configuration: str, snakefile: Path = ROOT / "Snakefile", log: Path | None = None
    ) -> None:
        self.folder, self.configuration, self.snakefile = folder, configuration, snakefile
        self.log = log or folder / "snakemake.log"

    def start(
        self, targets: list[str], *options: str, environment: Mapping[str, str] = os.environ
    ) -> subprocess.Popen[str]:
        """Start Snakemake, whose output goes to the log."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        words = [sys.executable, "-m", "snakemake", "--snakefile", str(self.snakefile)]
        with self.log.open("w", encoding="utf-8") as log:
            return subprocess.Popen(
                [*words, *options, "--configfile", *self.configuration, "--", *targets],
                cwd=self.folder,
                env={**environment, "PATH": path},
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
            )

    def start_on(self, slurm: Slurm, targets: list[str], *options: str) -> subprocess.Popen[str]:
        """Start Snakemake on the cluster, with the project's profile and what so small a one needs beside it."""
        profile = ["--workflow-profile", str(ROOT / "profiles" / "slurm"), "--cores", str(slurm.cpus), *QUICK]
        return self.start(targets, *profile, *options, environment=slurm.environment)

    def output(self) -> str:
        """What the last call has printed so far."""
        return self.log.read_text(encoding="utf-8")

    def finish(self, process: subprocess.Popen[str], seconds: float = 1800) -> str:
        """What a call has printed when it has ended, which must be well and in time."""
        try:
            assert process.wait(timeout=seconds) == 0, self.output()
        finally:
            process.terminate()
        return self.output()

    def name(self) -> str:
        """The name that all jobs of the last call have, once it has submitted one."""
        found = re.search(r"SLURM run ID: (\S+)", self.output())
        assert found is not None, self.output()
        return found[1]

    def jobs(self, slurm: Slurm) -> list[dict[str, str]]:
        """What Slurm recorded of the jobs of the last call that have ended, in the order of their submission."""
        records = [job for job in slurm.jobs() if job["Name"] == self.name()]
        return sorted(records, key=lambda job: int(job["JobId"]))

    def states(self, slurm: Slurm) -> list[str]:
        """How these jobs ended, for example COMPLETED."""
        return [job["JobState"] for job in self.jobs(slurm)]

    def copy(self, folder: Path, changes: Mapping[str, Any]) -> "Workflow":
        """The same with all results in another folder, and ``changes`` to its configuration."""
        shutil.copytree(self.folder, folder)
        (folder / "changes.yaml").write_text(yaml.safe_dump(changes), encoding="utf-8")
        return Workflow(folder, *self.configuration, "changes.yaml")
