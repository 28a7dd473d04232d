"""The jobs of the demo, as a dry run of the workflow tells them: rule, program, inputs, outputs."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryDirectory

from discourse_nmt import PACKAGE, ROOT

RESULTS = "results/demo/"
JOB = re.compile(
    r"^(?:rule|checkpoint) (?P<rule>\w+):\n(?:    input: (?P<inputs>.*)\n)?    output: (?P<outputs>.*)\n"
    rf"(?:    .*\n)*Shell command: (?:.*? )??python -m (?P<program>{PACKAGE.name}\S*)",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Job:
    """A job of the demo; files are named below ``results/demo/``."""

    rule: str
    program: str
    inputs: frozenset[str]
    outputs: frozenset[str]


def jobs() -> Iterator[Job]:
    """Every job that the report of the demo needs."""
    for found in JOB.finditer(dry_run()):
        yield Job(found["rule"], found["program"], _files(found["inputs"]), _files(found["outputs"]))


def _files(listed: str | None) -> frozenset[str]:
    return frozenset(file.removeprefix(RESULTS) for file in (listed or "").split(", "))


@cache
def dry_run() -> str:
    """The dry run's text, from an empty folder, so that no job is done already."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--cores", "1"]
    with TemporaryDirectory() as folder:
        result = subprocess.run(
            [*command, "--dry-run", "--printshellcmds", "--", "score", "report"],
            cwd=folder,
            env={**os.environ, "COLUMNS": "100000"},
            capture_output=True,
            text=True,
            check=True,
        )
    return result.stdout + result.stderr


@cache
def writer(file: str) -> Job:
    """The job that writes ``file``."""
    [found] = [job for job in jobs() if file in job.outputs]
    return found
