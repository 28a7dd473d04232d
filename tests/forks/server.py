"""Snakemake and its jobs as forks of one process that has imported everything, so that hundreds of them fit in minutes.

``python -m tests.forks.server SOCKET PYTHON`` waits for requests. A fork is a process of its own that runs the ``main``
of ``python -m snakemake`` or ``python -m discourse_nmt.workflow_scripts.STAGE.NAME``, without importing everything
again; of another checkout it imports this project's package alone. PYTHON, which Snakemake takes for its interpreter,
asks for its jobs here.
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
from types import ModuleType
from typing import Any

import snakemake.cli

from discourse_nmt import workflow, workflow_scripts
from tests.conftest import ROOT
from tests.forks import injection

SNAKEMAKE, PACKAGE = "snakemake", "discourse_nmt"
LATE = ("jieba", "sacremoses", "sentencepiece", "torch.distributed.optim")
"""Libraries that jobs import where they use them."""


def serve(address: str, python: str) -> None:
    """Answer requests until the process is ended; prints a line when it is ready."""
    for package in (workflow, workflow_scripts):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for library in LATE:
        importlib.import_module(library)
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
                link.sendall(answer(link, python).to_bytes(4, "big"))
            os._exit(0)
        link.close()


def answer(link: socket.socket, python: str) -> int:
    """Run the command of a request; returns how its process ended, as waitpid tells it."""
    head, streams, *_ = socket.recv_fds(link, 4, 3)
    size, request = int.from_bytes(head, "big"), b""
    while len(request) < size and (part := link.recv(size - len(request))):
        request += part
    arguments, folder, environment = json.loads(request)
    faults = {} if arguments[0] == SNAKEMAKE else injection.chosen(arguments, environment)
    child = os.fork()
    if child == 0:
        link.close()
        run(arguments, folder, environment, streams, faults, python)
    return watched(child, link, faults.get("seconds"))


def watched(child: int, link: socket.socket, seconds: float | None) -> int:
    """Wait for a command, which is killed when it has used up its processor ``seconds`` or who asked for it is gone."""
    ended, gone, pause = os.pidfd_open(child), link.fileno(), None if seconds is None else 0.002
    while ended not in (ready := select.select([gone, ended], [], [], pause)[0]):
        if gone in ready or (seconds is not None and processor_seconds(child) >= seconds):
            os.kill(child, signal.SIGKILL)
            break
    os.close(ended)
    return os.waitpid(child, 0)[1]


def processor_seconds(process: int) -> float:
    """Seconds that a process has had a processor."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        fields = Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()
        return int(fields[0]) / 1e9
    return 0.0


def checkout(arguments: list[str], environment: dict[str, str]) -> Path:
    """The folder of the code that a command runs: Snakemake's by its file, a job's by the path of Python, if that says.

    Jobs of a checkout have it on the path; those that a test runs by themselves are of this one.
    """
    if arguments[0] == SNAKEMAKE:
        return Path(arguments[arguments.index("--snakefile") + 1]).parent
    paths = map(Path, filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)))
    return next((path for path in paths if (path / PACKAGE).is_dir()), ROOT)


def use(folder: Path) -> None:
    """Import the project's package from a checkout, if that is another one than this."""
    if folder != ROOT:
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]
        sys.path.insert(0, str(folder))


def run(
    arguments: list[str],
    folder: str,
    environment: dict[str, str],
    streams: list[int],
    faults: dict[str, Any],
    python: str,
) -> None:
    """Be the command: its streams, folder, environment and arguments, with ``faults``; never returns.

    Snakemake starts its jobs with ``python``.
    """
    status = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, max(streams) + 1)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        use(checkout(arguments, environment))
        module = importlib.import_module(arguments[0])
        sys.argv = [str(module.__file__), *arguments[1:]]
        if arguments[0] == SNAKEMAKE:
            sys.executable = python
            snakemake.cli.main()
        else:
            run_job(module, arguments, folder, faults)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1 if end.code else 0
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def run_job(module: ModuleType, arguments: list[str], folder: str, faults: dict[str, Any]) -> None:
    """Run the ``main`` of a job's ``module``; what it does is noted where ``faults`` say so."""
    command = importlib.import_module("discourse_nmt.workflow_scripts.command")
    began = time.process_time()
    with injection.injected(faults, folder) as (events, reads):
        try:
            command.run(module.main)
        finally:
            if record := faults.get("record"):
                injection.note(record, arguments, events, reads, time.process_time() - began)


if __name__ == "__main__":
    serve(*sys.argv[1:])
