"""SIGTERM to Snakemake does what Ctrl-C does: running trainings end with a checkpoint, and no other job begins.

Ctrl-C reaches Snakemake and its jobs, as a terminal sends SIGINT to all of them. SIGTERM, as from ``kill``, a batch
system or the stop of a container, reaches Snakemake alone, which by itself would wait for the end of all running jobs.
"""

import contextlib
import signal
from types import FrameType

import psutil


def end_as_by_ctrl_c(number: int, frame: FrameType | None) -> None:
    """Send SIGINT to all processes that this one has started, and raise :class:`KeyboardInterrupt`."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGINT)
    raise KeyboardInterrupt


def handle_sigterm() -> None:
    """Let SIGTERM end this process, Snakemake's, as Ctrl-C does."""
    signal.signal(signal.SIGTERM, end_as_by_ctrl_c)
