"""Soft stops: SIGTERM, SIGINT and a time limit let the update in hand end, so that a checkpoint can be written."""

import contextlib
import signal
import time
from collections.abc import Iterator
from types import FrameType

# A time limit comes as SIGALRM.
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGALRM)


class Interrupted(Exception):  # noqa: N818
    """Training was stopped by ``signal`` and has written a checkpoint; the text says how to continue."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(message)
        self.status = 128 + number
        """Exit status of a command that a signal stopped: 143 for SIGTERM, 130 for SIGINT, 142 for a time limit."""


class Request:
    """``signal`` is the number of the signal that asked for a stop, 0 before."""

    signal = 0


@contextlib.contextmanager
def stop_requests(deadline: float | None = None) -> Iterator[Request]:
    """Note the first SIGTERM or SIGINT instead of ending; a second one ends the process as usual.

    At ``deadline``, a time of :func:`time.monotonic`, SIGALRM asks for the same stop.
    """
    request = Request()
    former = {number: signal.getsignal(number) for number in SIGNALS}

    def note(number: int, frame: FrameType | None) -> None:
        request.signal = number
        signal.setitimer(signal.ITIMER_REAL, 0)
        for each, handler in former.items():
            signal.signal(each, handler)

    for number in SIGNALS:
        signal.signal(number, note)
    if deadline is not None:
        # A timer of zero seconds would be none.
        signal.setitimer(signal.ITIMER_REAL, max(1e-3, deadline - time.monotonic()))
    try:
        yield request
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in former.items():
            signal.signal(number, handler)
