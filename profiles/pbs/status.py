#!/usr/bin/env python3
"""Say how a job is: running, success or failed: status.py JOB.

Its exit status is in a file that the job script writes. A job that has ended, by what qstat says, and has left no such
file was killed. Where the server cannot be asked, the job counts as running.
"""

import re
import subprocess
import sys
import time
from pathlib import Path

STATUS = Path(".snakemake", "pbs_status")
# The file of a job that has just ended may come late, from another machine.
SECONDS_TO_WAIT = 20
ENDED = {"C", "F", "X"}
# How qstat says that the server does not know a job, or no longer: by its status or, elsewhere, in words.
GONE = {153, 35}
GONE_IN_WORDS = re.compile(r"unknown job|job has finished", re.IGNORECASE)


def recorded(job: str) -> str | None:
    """What the job's own file says, if it is there."""
    try:
        text = (STATUS / job).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None
    return None if not text else "success" if text == "0" else "failed"


def is_over(job: str) -> bool:
    """Whether the server says that a job has ended, or no longer knows it."""
    result = subprocess.run(["qstat", "-f", job], capture_output=True, text=True, check=False)
    state = re.search(r"^\s*job_state = (\w)", result.stdout, re.MULTILINE)
    if state is not None:
        return state[1] in ENDED
    return result.returncode in GONE or GONE_IN_WORDS.search(result.stderr) is not None


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
