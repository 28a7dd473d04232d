"""The display of a run: few lines, errors in full, everything in the log file."""

import io
import logging
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from discourse_nmt.workflow.display import LONG, WIDTH, Display, last_line
from tests.conftest import ROOT

SNAKEFILE = """
rule all:
    input: [f"{number}.txt" for number in range(3)], "other.txt"

rule numbered:
    output: "{number}.txt"
    wildcard_constraints: number=r"\\d+"
    log: "{number}.log"
    shell: "echo said by {wildcards.number} | tee {log}; touch {output}"

rule other:
    output: "other.txt"
    log: "other.log"
    shell: "echo told by other | tee {log}; COMMAND {output}"
"""


def run(folder: Path, command: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A run of the Snakefile, whose second rule runs ``command``, with the display in a pipe."""
    (folder / "Snakefile").write_text(SNAKEFILE.replace("COMMAND", command))
    snakemake = ["--cores", "1", "--directory", str(folder), "--snakefile", str(folder / "Snakefile"), *words]
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "discourse_nmt.workflow.display",
            "--log",
            str(folder / "logs" / "run.log"),
            "--",
            *snakemake,
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_run_has_a_line_for_each_rule_and_all_output_in_the_log(tmp_path: Path) -> None:
    result = run(tmp_path, "touch")
    lines = result.stdout.splitlines()
    assert result.returncode == 0, result.stdout
    assert lines[:2] == [f"All output: {tmp_path}/logs/run.log", "5 jobs"]
    assert sorted(line.split()[1:-2] for line in lines[2:]) == [["numbered", "3", "jobs"], ["other"]]
    assert not result.stderr
    assert "\x1b" not in result.stdout and "\r" not in result.stdout
    log = (tmp_path / "logs" / "run.log").read_text()
    assert "said by 2" in log and "told by other" in log and "5 of 5 steps (100%) done" in log


def test_a_second_run_says_that_there_is_nothing_to_do(tmp_path: Path) -> None:
    run(tmp_path, "touch")
    result = run(tmp_path, "touch")
    assert result.returncode == 0
    assert "Nothing to be done" in result.stdout


def test_an_error_of_a_job_is_shown_in_full(tmp_path: Path) -> None:
    result = run(tmp_path, "false", "--show-failed-logs")
    assert result.returncode == 1
    assert "Error in rule other" in result.stdout and "told by other" in result.stdout


def test_an_error_of_the_workflow_is_shown(tmp_path: Path) -> None:
    result = run(tmp_path, "touch", "--", "no_such_target")
    assert result.returncode == 1
    assert "no_such_target" in result.stdout


def test_an_error_of_the_command_line_is_shown(tmp_path: Path) -> None:
    result = run(tmp_path, "touch", "--no-such-option")
    assert result.returncode != 0
    assert "no-such-option" in result.stdout


def test_a_fault_of_a_configuration_file_is_shown_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "my.yaml"
    file.write_text("run: x\na: [1, 2\nb: 3\n")
    for words in (["--configfile", str(file)], [f"--configfiles={file}", "-n"]):
        result = run(tmp_path, "touch", *words)
        assert result.returncode == 1
        assert f"error: {file}:3: no YAML" in result.stdout and "Error" not in result.stdout


class Clock:
    """A clock that tests set."""

    now = 0.0

    def __call__(self) -> float:
        """The time that was set."""
        return self.now


def event(name: LogEvent, **fields: Any) -> SimpleNamespace:
    """A record of Snakemake's log."""
    return SimpleNamespace(event=name, levelno=logging.INFO, **fields)


def started(number: int, rule: str, log: Path | None, **wildcards: str) -> SimpleNamespace:
    """The record of a job that starts."""
    return event(
        LogEvent.JOB_INFO, jobid=number, rule_name=rule, wildcards=wildcards, log=[str(log)] if log is not None else []
    )


@pytest.fixture
def shown() -> tuple[Display, io.StringIO, Clock]:
    """A display in a terminal, with two training jobs and three of another rule."""
    stream, clock = io.StringIO(), Clock()
    display = Display(stream, live=True, clock=clock)
    display.handle(event(LogEvent.RUN_INFO, stats={"train": 2, "short": 3, "total": 5}), "")
    return display, stream, clock


def test_long_jobs_have_lines_of_their_own(shown: tuple[Display, io.StringIO, Clock], tmp_path: Path) -> None:
    display, stream, clock = shown
    display.handle(started(1, "train", tmp_path / "log", experiment="mix", seed="1"), "")
    clock.now = LONG
    display.handle(event(LogEvent.JOB_FINISHED, job_id=1), "")
    assert "train" in stream.getvalue() and "mix, seed 1" in stream.getvalue()


def test_the_live_line_tells_how_far_jobs_are_and_fits(
    shown: tuple[Display, io.StringIO, Clock], tmp_path: Path
) -> None:
    display, stream, _ = shown
    (tmp_path / "log").write_text("update 1\nsentences 1 of 3\rsentences 2 of 3\r")
    display.handle(started(1, "train", tmp_path / "log", experiment="mix", seed="1"), "")
    display.handle(started(2, "short", tmp_path / "absent", experiment="x" * WIDTH), "")
    display.tick()
    line = stream.getvalue().rpartition("\x1b[K")[2]
    assert "0 of 5 jobs; now train mix, seed 1: sentences 2 of 3; short" in line
    assert len(line) == WIDTH and "\n" not in line


def test_the_live_line_has_the_time_that_a_training_still_takes(
    shown: tuple[Display, io.StringIO, Clock], tmp_path: Path
) -> None:
    display, stream, _ = shown
    line = "update 1234, epoch 20.43, 5338 tokens/s, loss 1.2345, development loss 2.3456, rate 1.65e-05, 0:33:11 left"
    (tmp_path / "log").write_text(f"system transformer: 3 parameters, all trained\n{line}\n")
    display.handle(started(1, "train_model", tmp_path / "log", experiment="group", seed="1"), "")
    display.tick()
    live = stream.getvalue().rpartition("\x1b[K")[2]
    assert live.endswith("train_model group, seed 1: update 1234, 0:33:11 left")
    assert line in display.status()


def test_jobs_that_an_import_made_needless_are_not_waited_for(tmp_path: Path) -> None:
    stream = io.StringIO()
    display = Display(stream, live=False)
    display.handle(event(LogEvent.RUN_INFO, stats={"short": 3, "total": 3}), "")
    with display.ticking():
        display.handle(started(1, "short", tmp_path / "log", shard="0"), "")
        display.handle(event(LogEvent.JOB_FINISHED, job_id=1), "")
        assert "short" not in stream.getvalue()
    assert "short" in stream.getvalue()


def test_the_last_line_of_a_long_log_is_found(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("first\n" * 10_000 + "last ü\n\n")
    assert last_line(tmp_path / "log") == "last ü"
    assert last_line(tmp_path / "absent") == ""
