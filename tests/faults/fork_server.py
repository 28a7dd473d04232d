"""Jobs of the workflow as forks of one process that has imported everything, so that hundreds of them fit in minutes.

``python -m tests.faults.fork_server SOCKET`` waits for requests. A job is a process of its own that runs the command's
own ``main`` as ``python -m discourse_nmt.workflow_scripts.STAGE.NAME`` does, without importing everything again.
"""

import codecs
import contextlib
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from discourse_nmt import workflow_scripts
from discourse_nmt.workflow_scripts import command
from tests.faults import injection

PACKAGE = "discourse_nmt.workflow_scripts."
# What stands for the interpreter of a workflow: jobs go to the server with their folder, environment and streams.
CLIENT = """#!{python} -IS
import json, os, signal, socket, sys
if sys.argv[1:2] != ["-m"] or not sys.argv[2].startswith("discourse_nmt.workflow_scripts."):
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


def serve(address: str) -> None:
    """Answer requests until the process is ended; prints a line when it is ready."""
    for module in pkgutil.walk_packages(workflow_scripts.__path__, PACKAGE):
        importlib.import_module(module.name)
    # Python reads this encoding with the first zip archive; another user may not be allowed to read the installation.
    codecs.lookup("cp437")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    while True:
        link, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            with contextlib.suppress(BrokenPipeError, ConnectionError):
                link.sendall(answer(link).to_bytes(4, "big"))
            os._exit(0)
        link.close()


def answer(link: socket.socket) -> int:
    """Run the job of a request; returns how its process ended, as waitpid tells it."""
    head, streams, *_ = socket.recv_fds(link, 4, 3)
    size, request = int.from_bytes(head, "big"), b""
    while len(request) < size and (part := link.recv(size - len(request))):
        request += part
    arguments, folder, environment = json.loads(request)
    faults = injection.chosen(arguments, environment)
    child = os.fork()
    if child == 0:
        link.close()
        run(arguments, folder, environment, streams, faults)
    return watched(child, link, faults.get("seconds"))


def watched(child: int, link: socket.socket, seconds: float | None) -> int:
    """Wait for a job, which is killed when it has used up its processor ``seconds`` or who asked for it is gone."""
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        gone = select.select([link], [], [], 0.002)[0] != []
        if gone or (seconds is not None and processor_seconds(child) >= seconds):
            os.kill(child, signal.SIGKILL)


def processor_seconds(process: int) -> float:
    """Seconds that a process has had a processor."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        fields = Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()
        return int(fields[0]) / 1e9
    return 0.0


def run(
    arguments: list[str], folder: str, environment: dict[str, str], streams: list[int], faults: dict[str, Any]
) -> None:
    """Be the job: the command's streams, folder, environment and arguments, with ``faults``; never returns."""
    status = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, max(streams) + 1)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        module = sys.modules[arguments[0]]
        sys.argv = [str(module.__file__), *arguments[1:]]
        began = time.process_time()
        with injection.injected(faults, folder) as (events, reads):
            command.run(module.main)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1 if end.code else 0
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        if record := faults.get("record"):
            injection.note(record, arguments, events, reads, time.process_time() - began)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    serve(sys.argv[1])
