"""Peak memory of a command."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

INTERVAL = 0.005  # seconds
MEASURED = """
import re, runpy, sys
from pathlib import Path
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


@dataclass(frozen=True)
class Peak:
    """Peak memory in megabytes, and seconds on the clock."""

    anonymous: int
    """Memory without mapped files, sampled every :data:`INTERVAL`: a shorter peak may be missed."""
    resident: int
    """Memory with the pages of mapped files, which the kernel may drop (VmHWM, exact)."""
    seconds: float


def peak_of(script: str, arguments: Sequence[str]) -> Peak:
    """The peak of a command of ``workflow_scripts``; one that fails ends the benchmark."""
    start, anonymous = time.perf_counter(), 0
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        command = [sys.executable, "-c", MEASURED, f"discourse_nmt.workflow_scripts.{script}", *arguments]
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        while process.poll() is None:
            anonymous = max(anonymous, _anonymous(process.pid))
            time.sleep(INTERVAL)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            sys.exit(f"{script}: {errors.read()[-2000:].decode()}")
        resident = int(output.read().split()[-1])
    return Peak(anonymous // 1024, resident // 1024, time.perf_counter() - start)


def _anonymous(process: int) -> int:
    """Anonymous memory of a process in kilobytes; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))
