"""Faults of a job's process: killed before its n-th change of a file, in the middle of a write, or with a wrong clock.

The environment variable ``FAULTS`` of a job is a JSON object: ``record`` (a folder in which to note what a job does),
``event`` (the number of the change of a file, from 0, before which the process kills itself), ``bytes`` (the size that
no file may pass: the process ends in the middle of the write that would), ``seconds`` (processor time after which it
is killed), ``user`` (the number of the user that it is of) and ``clock`` (seconds by which the time of day jumps back
and forth; the files that it makes are off by 400 times that). ``plan`` names a file with such
objects for jobs that are not told singly, by :func:`name_of`: the faults of each one's first attempts.
"""

import contextlib
import hashlib
import itertools
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
# The events of changes, and which of their arguments is the file; of "open" those for writing are.
CHANGES = {"open": 0, "os.rename": 1, "os.remove": 0, "os.mkdir": 0, "os.truncate": 0, "sqlite3.connect": 0}


def name_of(arguments: list[str]) -> str:
    """A name of the job that a command is, the same in every working directory."""
    return hashlib.sha256(json.dumps(arguments).encode()).hexdigest()[:16]


def as_variable(faults: Mapping[str, Any]) -> dict[str, str]:
    """The variable of the environment that tells jobs their faults."""
    return {"FAULTS": json.dumps(faults)} if faults else {}


def chosen(arguments: list[str], environment: dict[str, str]) -> dict[str, Any]:
    """The faults of a job; of a plan, those of this attempt, which is counted."""
    faults: dict[str, Any] = json.loads(environment.get("FAULTS", "{}"))
    if "plan" not in faults:
        return faults
    plan, name = Path(faults["plan"]), name_of(arguments)
    attempts = plan.with_name(f"{name}.attempts")
    with attempts.open("a", encoding="ascii") as handle:
        handle.write("x")
    planned = json.loads(plan.read_text(encoding="utf-8")).get(name, [])
    number = attempts.stat().st_size - 1
    return planned[number] if number < len(planned) else {}


@contextlib.contextmanager
def injected(faults: dict[str, Any], folder: str) -> Iterator[tuple[list[tuple[str, str]], set[str]]]:
    """Run with ``faults``; yields what is noted of the files below ``folder``.

    That is the list of their changes as (event, path), and the set of those that were opened for reading.
    """
    events: list[tuple[str, str]] = []
    reads: set[str] = set()
    last = faults.get("event")
    root = os.path.realpath(folder) + os.sep

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in CHANGES:
            return
        path = arguments[CHANGES[event]]
        if not isinstance(path, str | os.PathLike) or not (whole := os.path.realpath(path)).startswith(root):
            return
        if event == "open" and not arguments[2] & WRITES:
            reads.add(whole.removeprefix(root))
            return
        if len(events) == last:
            os.kill(os.getpid(), signal.SIGKILL)
        events.append((event, whole.removeprefix(root)))

    sys.addaudithook(audit)
    if "bytes" in faults:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (faults["bytes"], faults["bytes"]))
    now, jumps = time.time, itertools.cycle((0.0, -faults.get("clock", 0.0), faults.get("clock", 0.0)))
    if "clock" in faults:
        time.time = lambda: now() + next(jumps)
    if "user" in faults:
        os.setgroups([])
        os.setresgid(faults["user"], faults["user"], faults["user"])
        os.setresuid(faults["user"], faults["user"], faults["user"])
    yield events, reads
    for path, jump in zip(sorted({path for event, path in events if event == "os.rename"}), jumps):
        if "clock" in faults and Path(path).exists():
            os.utime(path, (now() + 400 * jump, now() + 400 * jump))


def note(folder: str, arguments: list[str], events: list[tuple[str, str]], reads: set[str], seconds: float) -> None:
    """Write down what a job has done."""
    content = {"arguments": arguments, "events": events, "reads": sorted(reads), "seconds": seconds}
    Path(folder, f"{name_of(arguments)}.json").write_text(json.dumps(content), encoding="utf-8")
