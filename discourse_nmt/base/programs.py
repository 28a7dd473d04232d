"""Programs of the user, run without a shell."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import IO

from discourse_nmt.base.errors import InputError

TAIL_BYTES, TAIL_LINES = 4096, 5


def filled(argument: str, names: Mapping[str, str]) -> str:
    """An argument with the placeholders ``{NAME}`` of all ``names`` replaced; other braces stay."""
    for name, value in names.items():
        argument = argument.replace(f"{{{name}}}", value)
    return argument


def run_program(command: Sequence[str], time_limit: float | None, *, advice: str = "raise time_limit") -> str:
    """The standard output of a program, which runs to its end, without a shell and without input.

    Raises :class:`InputError` with the last lines of its output if it cannot be started, fails, or takes more than
    ``time_limit`` seconds, with ``advice`` for the latter; its process group is then killed.
    """
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=printed, stderr=complaints, start_new_session=True
            )
        except OSError as error:
            raise InputError(
                f"the command {command[0]} cannot be started ({error.strerror})", remedy="correct command"
            ) from None
        try:
            status = process.wait(time_limit)
        except subprocess.TimeoutExpired:
            raise InputError(
                f"the command {command[0]} took more than {time_limit} seconds{_tail(printed, complaints)}",
                remedy=advice,
            ) from None
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if status:
            how = f"ended with exit status {status}" if status > 0 else f"was ended by signal {-status}"
            raise InputError(f"the command {command[0]} {how}{_tail(printed, complaints)}")
        printed.seek(0)
        return printed.read().decode("utf-8", errors="replace")


def _tail(*outputs: IO[bytes]) -> str:
    """The last lines of the outputs, for a message."""
    lines: list[str] = []
    for output in outputs:
        size = output.seek(0, os.SEEK_END)
        output.seek(max(0, size - TAIL_BYTES))
        lines += output.read().decode("utf-8", errors="replace").split("\n")
    shown = [line.strip()[:200] for line in lines if line.strip()][-TAIL_LINES:]
    return f"; its last words: {' | '.join(shown)}" if shown else ""
