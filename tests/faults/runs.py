"""Runs of the small workflow, whole by Snakemake or job by job, and what they have made."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.faults.fork_server import CLIENT
from tests.faults.injection import name_of

CONFIG = ROOT / "tests" / "faults" / "small.yaml"
TARGETS = ("score", "report", "analyse", "labellers")
TEXT = "Ann has a letter. She reads it because it is short.\n\nHer brother wrote it. He is in Rome.\n"


class Server:
    """The process whose forks are the jobs, and the `python` that asks it for them."""

    def __init__(self, folder: Path) -> None:
        address = f"{tempfile.mkdtemp()}/server"
        self.address = address
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "tests.faults.fork_server", address]
        self._process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout and self._process.stdout.readline() == "ready\n"
        self.path = folder / "bin"
        self.path.mkdir()
        client = self.path / "python"
        client.write_text(CLIENT.format(python=sys.executable, address=address), encoding="utf-8")
        client.chmod(0o755)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(Path(self.address).parent)

    def environment(self, **faults: Any) -> dict[str, str]:
        """The environment of a process whose jobs have ``faults``."""
        path = os.pathsep.join([str(self.path), str(Path(sys.executable).parent), os.environ["PATH"]])
        return {**os.environ, "PATH": path, "FAULTS": json.dumps(faults)}

    def run(self, arguments: list[str], folder: Path, **faults: Any) -> tuple[int, str]:
        """Run one job; returns its exit status, negative for a signal, and what it has said."""
        with (
            tempfile.TemporaryFile("w+") as said,
            Path(os.devnull).open() as nothing,
            socket.socket(socket.AF_UNIX) as link,
        ):
            link.connect(self.address)
            request = json.dumps([arguments, str(folder), self.environment(**faults)]).encode()
            streams = [nothing.fileno(), said.fileno(), said.fileno()]
            socket.send_fds(link, [len(request).to_bytes(4, "big")], streams)
            link.sendall(request)
            status = os.waitstatus_to_exitcode(int.from_bytes(link.recv(4), "big"))
            said.seek(0)
            return status, said.read()


@dataclass(frozen=True)
class Job:
    """A job of the reference run: its command, which files it changed and read, and its processor time in seconds."""

    arguments: list[str]
    events: list[tuple[str, str]]
    reads: list[str]
    seconds: float

    @property
    def name(self) -> str:
        return name_of(self.arguments)

    @property
    def kind(self) -> str:
        """The command, of which an analysis has several."""
        stage = self.arguments[self.arguments.index("--stage") + 1] if "--stage" in self.arguments else ""
        return f"{self.arguments[0].rpartition('.')[2]} {stage}".strip()

    @cached_property
    def outputs(self) -> list[str]:
        """The results that it has made, without their seals."""
        made = {path for event, path in self.events if event == "os.rename" and path.startswith("results/")}
        return sorted(path for path in made if not Path(path).name.startswith("."))

    @cached_property
    def inputs(self) -> list[str]:
        """The results of others that it has read; those of Snakemake itself, of times alone, are none."""
        paths = {path for path in self.reads if path.startswith("results/")} - set(self.outputs)
        return sorted(path for path in paths if not Path(path).name.startswith(".") and "/benchmarks/" not in path)

    @cached_property
    def stores(self) -> list[str]:
        """Its document stores."""
        return sorted({path for event, path in self.events if event == "sqlite3.connect"})


def snakemake(folder: Path, server: Server | None, *arguments: str, **faults: Any) -> subprocess.CompletedProcess[str]:
    """Run the small workflow in ``folder``; without a server each job imports what it needs, as users' jobs do."""
    environment = os.environ if server is None else server.environment(**faults)
    return subprocess.run(
        [*command(server), *arguments],
        cwd=folder,
        env={**environment, "PATH": f"{environment['PATH']}{os.pathsep}{Path(sys.executable).parent}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def command(server: Server | None) -> list[str]:
    """Snakemake on the small workflow, for targets and options to follow; its jobs ask the server, if there is one."""
    start = "from snakemake.cli import main; main()"
    if server is not None:
        start = f"import sys; sys.executable = {str(server.path / 'python')!r}; {start}"
    begin = [sys.executable, "-c", start, "--snakefile", str(ROOT / "Snakefile"), "--cores", "2"]
    return [*begin, "--configfile", str(CONFIG), "--quiet", "rules"]


def new_folder(parent: Path, name: str) -> Path:
    """A working directory for the small workflow."""
    folder = parent / name
    folder.mkdir()
    (folder / "letter.txt").write_text(TEXT, encoding="utf-8")
    return folder


def read_jobs(folder: Path) -> list[Job]:
    """The jobs that were recorded in ``folder``."""
    return [Job(**json.loads(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.json"))]
