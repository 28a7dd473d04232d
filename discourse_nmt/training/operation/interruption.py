"""Soft stops: after SIGTERM, SIGINT or a time limit the current update ends, and a checkpoint is written."""

import contextlib
import signal
import time
from collections.abc import Iterator
from types import FrameType

# SIGALRM signals the time limit.
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)


class Interrupted(Exception):  # noqa: N818
    """Training was stopped by a signal and has written a checkpoint; the text says how to continue."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(message)
        self.status = 128 + number
        """Exit status of the command: 143 for SIGTERM, 130 for SIGINT, 142 for a time limit."""


class StopRequest:
    """``signal`` is the number of the signal that requested a stop, 0 before."""

    signal = 0


@contextlib.contextmanager
def stop_requests(deadline: float | None = None) -> Iterator[StopRequest]:
    """Record the first SIGTERM or SIGINT as a request to stop; the same signal again ends the process as usual.

    Another one does not: a service manager and Snakemake may both stop a training, each by a signal of its own. At
    ``deadline``, a time of :func:`time.monotonic`, SIGALRM requests the stop.
    """
    request = StopRequest()
    former = {number: signal.getsignal(number) for number in SIGNALS}

    def note(number: int, frame: FrameType | None) -> None:
        request.signal = request.signal or number
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(number, former[signal.Signals(number)])

    for number in SIGNALS:
        signal.signal(number, note)
    if deadline is not None:
        # A timer of zero seconds would never fire.
        signal.setitimer(signal.ITIMER_REAL, max(1e-3, deadline - time.monotonic()))
    try:
        yield request
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in former.items():
            signal.signal(number, handler)
