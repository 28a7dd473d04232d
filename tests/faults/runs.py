"""Runs of the small workflow, whole by Snakemake or job by job, and what they have made."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.forks.client import Server
from tests.forks.injection import name_of

CONFIG = ROOT / "tests" / "faults" / "small.yaml"
TARGETS = ("score", "report", "analyse", "labellers")
OPTIONS = ("--snakefile", str(ROOT / "Snakefile"), "--cores", "2", "--configfile", str(CONFIG), "--quiet", "rules")
TEXT = "Ann has a letter. She reads it because it is short.\n\nHer brother wrote it. He is in Rome.\n"


@dataclass(frozen=True)
class Job:
    """A job of the reference run: its command, which files it changed and read, and its processor time in seconds."""

    arguments: list[str]
    events: list[tuple[str, str]]
    reads: list[str]
    seconds: float

    @property
    def name(self) -> str:
        return name_of(self.arguments)

    @property
    def kind(self) -> str:
        """The command, of which an analysis has several."""
        stage = self.arguments[self.arguments.index("--stage") + 1] if "--stage" in self.arguments else ""
        return f"{self.arguments[0].rpartition('.')[2]} {stage}".strip()

    @cached_property
    def outputs(self) -> list[str]:
        """The results that it has made, without their seals."""
        made = {path for event, path in self.events if event == "os.rename" and path.startswith("results/")}
        return sorted(path for path in made if not Path(path).name.startswith("."))

    @cached_property
    def inputs(self) -> list[str]:
        """The results of others that it has read; those of Snakemake itself, of times alone, are none."""
        paths = {path for path in self.reads if path.startswith("results/")} - set(self.outputs)
        return sorted(path for path in paths if not Path(path).name.startswith(".") and "/benchmarks/" not in path)

    @cached_property
    def stores(self) -> list[str]:
        """Its document stores."""
        return sorted({path for event, path in self.events if event == "sqlite3.connect"})


def snakemake(folder: Path, server: Server | None, *arguments: str, **faults: Any) -> subprocess.CompletedProcess[str]:
    """Run the small workflow in ``folder``; without a server each job imports what it needs, as users' jobs do."""
    words = ["snakemake", *OPTIONS, *arguments]
    if server is not None:
        return subprocess.CompletedProcess(words, *server.run(words, folder, **faults))
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env={**os.environ, "PATH": f"{os.environ['PATH']}{os.pathsep}{Path(sys.executable).parent}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def new_folder(parent: Path, name: str) -> Path:
    """A working directory for the small workflow."""
    folder = parent / name
    folder.mkdir()
    (folder / "letter.txt").write_text(TEXT, encoding="utf-8")
    return folder


def read_jobs(folder: Path) -> list[Job]:
    """The jobs that were recorded in ``folder``."""
    return [Job(**json.loads(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.json"))]
