"""Reading damaged files: what a reader may do, within which time."""

import signal
from functools import partial
from types import FrameType

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from tests.fuzz.inputs import contents
from tests.fuzz.readers import Reader

CPU_SECONDS = 10.0  # for one file of at most some ten kilobytes


class Hanging(BaseException):
    """No reader catches it."""


def stop(number: int, frame: FrameType | None) -> None:
    """Called after the CPU time of one input is used up."""
    raise Hanging(f"more than {CPU_SECONDS} CPU-seconds for one input")


def _with(files: dict[str, bytes], name: str, content: bytes) -> dict[str, bytes]:
    return {**files, name: content}


def fuzz(reader: Reader, examples: int, *, random: bool) -> tuple[int, int]:
    """Read ``examples`` damaged samples; the numbers of those that were read and of those that were refused.

    Anything but a result or an InputError of one line within the time is an error, which hypothesis makes smaller.
    ``random`` takes other inputs in each call.
    """
    counts = {"read": 0, "refused": 0}
    parts = [
        contents(content, text=reader.text).map(partial(_with, reader.files, name))
        for name, content in reader.files.items()
    ]

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=not random,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.one_of(parts))
    def read_one(files: dict[str, bytes]) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
        try:
            reader.read(files)
            counts["read"] += 1
        except InputError as error:
            assert str(error) and "\n" not in str(error), error
            counts["refused"] += 1
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        read_one()
    finally:
        signal.signal(signal.SIGVTALRM, before)
    return counts["read"], counts["refused"]
