"""The process whose forks are Snakemake and its jobs, and the ``python`` that asks it for them."""

import atexit
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.forks.injection import as_variable

# What stands for the interpreter of a workflow: jobs go to the server with their folder, environment and streams.
PYTHON = """#!{python} -IS
import json, os, signal, socket, sys
if sys.argv[1:2] != ["-m"] or not sys.argv[2].startswith(("discourse_nmt.workflow_scripts.", "snakemake")):
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
link = socket.socket(socket.AF_UNIX)
link.connect({address!r})
request = json.dumps([sys.argv[2:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(link, [len(request).to_bytes(4, "big")], [0, 1, 2])
link.sendall(request)
status = int.from_bytes(link.recv(4), "big")
if os.WIFSIGNALED(status):
    os.kill(os.getpid(), signal.SIGKILL)
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Server:
    """The process; ``python`` is the program that asks it."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp())
        self._address = str(self._folder / "socket")
        self.python = self._folder / "python"
        self.python.write_text(PYTHON.format(python=sys.executable, address=self._address), encoding="utf-8")
        self.python.chmod(0o755)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "tests.forks.server", self._address, str(self.python)]
        self._process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout and self._process.stdout.readline() == "ready\n"

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder)

    def run(
        self, arguments: list[str], folder: Path, environment: Mapping[str, str] = os.environ, **faults: Any
    ) -> tuple[int, str]:
        """Run a command with ``faults`` of its jobs; returns its exit status, negative for a signal, and its output."""
        with (
            tempfile.TemporaryFile("w+") as said,
            Path(os.devnull).open() as nothing,
            socket.socket(socket.AF_UNIX) as link,
        ):
            link.connect(self._address)
            request = json.dumps([arguments, str(folder), {**environment, **as_variable(faults)}]).encode()
            streams = [nothing.fileno(), said.fileno(), said.fileno()]
            socket.send_fds(link, [len(request).to_bytes(4, "big")], streams)
            link.sendall(request)
            status = os.waitstatus_to_exitcode(int.from_bytes(link.recv(4), "big"))
            said.seek(0)
            return status, said.read()


@cache
def running_server() -> Server:
    """The server of this process, which ends with it."""
    server = Server()
    atexit.register(server.close)
    return server
