"""Soft stops: SIGTERM and SIGINT let the update in hand end, so that a checkpoint can be written."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Interrupted(Exception):  # noqa: N818
    """Training was stopped by ``signal`` and has written a checkpoint; the text says how to continue."""

    def __init__(self, number: int, message: str) -> None:
        super().__init__(message)
        self.status = 128 + number
        """Exit status of a command that a signal stopped: 143 for SIGTERM, 130 for SIGINT."""


class Request:
    """``signal`` is the number of the signal that asked for a stop, 0 before."""

    signal = 0


@contextlib.contextmanager
def stop_requests() -> Iterator[Request]:
    """Note the first SIGTERM or SIGINT instead of ending; a second one ends the process as usual."""
    request = Request()
    former = {number: signal.getsignal(number) for number in SIGNALS}

    def note(number: int, frame: FrameType | None) -> None:
        request.signal = number
        for each, handler in former.items():
            signal.signal(each, handler)

    for number in SIGNALS:
        signal.signal(number, note)
    try:
        yield request
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
