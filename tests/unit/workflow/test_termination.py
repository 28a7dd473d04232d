"""SIGTERM to a process that started jobs: each process below it is interrupted, and it ends itself."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from discourse_nmt.workflow.termination import handle_sigterm

JOB = """
import pathlib, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
try:
    pathlib.Path(sys.argv[1]).touch()
    time.sleep(60)
except KeyboardInterrupt:
    pathlib.Path(sys.argv[1]).write_text("interrupted")
"""
SHELL = """
import subprocess, sys
job = subprocess.Popen([sys.executable, *sys.argv[1:]])
while job.returncode is None:
    try:
        job.wait()
    except KeyboardInterrupt:
        pass
"""


def test_jobs_of_jobs_are_interrupted(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    before = signal.getsignal(signal.SIGTERM)
    with subprocess.Popen([sys.executable, "-c", SHELL, "-c", JOB, str(begun)], stderr=subprocess.DEVNULL):
        try:
            while not begun.exists():
                time.sleep(0.01)
            handle_sigterm()
            with pytest.raises(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(60)
        finally:
            signal.signal(signal.SIGTERM, before)
    deadline = time.monotonic() + 60
    while begun.read_text() != "interrupted" and time.monotonic() < deadline:
        time.sleep(0.01)
    assert begun.read_text() == "interrupted"
