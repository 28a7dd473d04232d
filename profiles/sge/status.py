#!/usr/bin/env python3
"""Say how a job is: running, success or failed: status.py JOB.

Its exit status is in a file that the job script writes. A job that the server no longer knows and that has left no such
file was killed. Where the server cannot be asked, the job counts as running.
"""

import subprocess
import sys
import time
from pathlib import Path

STATUS = Path(".snakemake", "sge_status")
# The file of a job that has just ended may come late, from another machine.
SECONDS_TO_WAIT = 20


def recorded(job: str) -> str | None:
    """What the job's own file says, if it is there."""
    try:
        text = (STATUS / job).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    return None if not text else "success" if text == "0" else "failed"


def is_over(job: str) -> bool:
    """Whether the server says that it knows no such job, or no longer."""
    result = subprocess.run(["qstat", "-j", job], capture_output=True, text=True, check=False)
    return result.returncode != 0 and "do not exist" in result.stdout + result.stderr


def status(job: str) -> str:
    """One of the three words."""
    found = recorded(job)
    if found is None and not is_over(job):
        return "running"
    end = time.monotonic() + SECONDS_TO_WAIT
    while found is None and time.monotonic() < end:
        time.sleep(1)
        found = recorded(job)
    return found or "failed"


if __name__ == "__main__":
    print(status(sys.argv[1]))
