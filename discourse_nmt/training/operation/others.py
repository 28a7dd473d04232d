"""The other processes of a training on this machine, which start with the first one.

To import what they need takes each of them seconds. They do so while the first one does, and then wait until it has
read the inputs and found no fault in them, so that a fault is told once.
"""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from discourse_nmt.base.errors import InputError

GPU_FILES = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")
"""One of these is there wherever torch may find a GPU: of NVIDIA, of AMD, and under Windows."""
SECONDS_TO_END = 10  # for the first process to tell by itself that another one has ended


def started_by_torchrun() -> bool:
    """Whether this is one of the processes that torchrun has started."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def first_of_run() -> bool:
    """Whether this is the first process of its run, before the processes have met."""
    return int(os.environ.get("RANK", os.environ.get("LOCAL_RANK", 0))) == 0


def others_needed(device: str, devices: int) -> int:
    """How many processes this one can start before it has imported torch, which alone knows of GPUs.

    None where torchrun, or another process, starts them, and where ``device`` is auto and there may be a GPU.
    """
    unknown = device == "auto" and any(Path(path).exists() for path in GPU_FILES)
    return 0 if unknown or "LOCAL_RANK" in os.environ else max(0, devices - 1)


class OtherProcesses:
    """``count`` processes of ``python -m module arguments`` besides this one, which wait for :meth:`release`."""

    def __init__(self, count: int, module: str, arguments: Sequence[str]) -> None:
        if count:  # names that Lightning and torch read, here and in the others
            os.environ.update(LOCAL_RANK="0", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))
        command = [sys.executable, "-m", module, *arguments]
        self.processes = [
            subprocess.Popen(command, env={**os.environ, "LOCAL_RANK": str(number)}, stdin=subprocess.PIPE)
            for number in range(1, count + 1)
        ]

    def release(self) -> None:
        """Let them go on. If one ends with an error, so does this process."""
        for number, process in enumerate(self.processes, start=1):
            assert process.stdin is not None
            try:
                process.stdin.write(b"\n")
                process.stdin.close()
            except BrokenPipeError:
                raise InputError(f"process {number} of the training has ended (status {process.wait()})") from None
            threading.Thread(target=self._watch, args=(number, process), daemon=True).start()

    def _watch(self, number: int, process: subprocess.Popen[bytes]) -> None:
        if status := process.wait():
            time.sleep(SECONDS_TO_END)
            for other in self.processes:
                other.kill()
            print(f"error: process {number} of the training has ended (status {status})", file=sys.stderr, flush=True)
            os._exit(1)


def wait_for_first() -> None:
    """In another process, wait until the first one releases it; exit where that one has ended."""
    if first_of_run() or started_by_torchrun():
        return
    if not sys.stdin.buffer.read(1):
        sys.exit(1)


def free_port() -> int:
    """A port of this machine on which no one listens."""
    with socket.socket() as listening:
        listening.bind(("", 0))
        port: int = listening.getsockname()[1]
        return port
