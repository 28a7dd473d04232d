"""A job of the analysis that is stopped ends the program that it has started, and leaves no file behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from discourse_nmt.base.storage.tables import TABLES, write_table
from tests.conftest import ROOT

PROGRAM = "import os, pathlib, sys, time; pathlib.Path(sys.argv[3]).write_text(f'{os.getpid()} '); time.sleep(600)"


def analyse(folder: Path, *command: str) -> list[str]:
    """The command line of a job that makes discourse units with a user's program."""
    sentences = pd.DataFrame([("d", 0, "He came.", "Er kam.")], columns=list(TABLES["sentences"])[:4])
    write_table(sentences, folder / "sentences.parquet", "sentences")
    syntax = {
        "doc_id": "d",
        "sent_id": 0,
        "side": "source",
        **{column: ["_", "_", "_"] for column in ("lemmas", "upos", "xpos", "feats", "deprels")},
        "forms": ["He", "came", "."],
        "heads": [-1, -1, -1],
        "starts": [0, 3, 7],
        "ends": [2, 7, 8],
    }
    write_table(pd.DataFrame([syntax]), folder / "syntax.parquet", "syntax")
    settings = {"backend": "command", "command": list(command), "format": "edu_lines"}
    options = {
        "--stage": "edus",
        "--settings": json.dumps(settings),
        "--sentences": folder / "sentences.parquet",
        "--tables": f"syntax={folder / 'syntax.parquet'}",
        "--corpus": "letters",
        "--split": "train",
        "--side": "source",
        "--language": "en",
        "--output": folder / "edus.parquet",
    }
    return [
        sys.executable,
        "-m",
        "discourse_nmt.workflow_scripts.discourse.analyse",
        *(str(part) for pair in options.items() for part in pair),
    ]


def running(number: str) -> bool:
    """Whether there is a process of this number that has not ended."""
    state = Path("/proc") / number / "stat"
    try:
        return state.read_text().split(")")[-1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_stopped_job_ends_the_users_program(tmp_path: Path) -> None:
    temporary, started = tmp_path / "temporary", tmp_path / "started"
    temporary.mkdir()
    command = analyse(tmp_path, sys.executable, "-c", PROGRAM, "{input}", "{output}", str(started))
    with subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
    ) as job:
        until(lambda: started.is_file() and started.read_text().endswith(" "))
        assert [path.name[:10] for path in temporary.iterdir()] == ["discourse-"]
        job.send_signal(signal.SIGTERM)
        assert job.wait(60) == 143
    until(lambda: not running(started.read_text().strip()))
    assert list(temporary.iterdir()) == []
    assert not (tmp_path / "edus.parquet").exists()
