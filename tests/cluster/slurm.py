"""A Slurm of two nodes on one machine for the tests: its own munged, slurmctld and slurmd, all files in one folder.

It has free ports, a socket and keys of its own, and reads no file of /etc/slurm, so that it never meets a Slurm that
already runs. GPUs are simulated: devices that every machine has stand for them. The second node takes only jobs of the
partition ``pair``, so that those of all others share the processors of one.
"""

import contextlib
import getpass
import os
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol", "qsub", "qstat", "qdel")
GPUS = ("/dev/null", "/dev/zero")
MEMORY = 32000  # MB; jobs ask for much, and these use little of it
SECONDS_TO_START = 60
SECONDS_BEFORE_KILL = 5
SETTINGS = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobs.txt
KillWait={kill_wait}
MinJobAge=7200
ReturnToService=2
GresTypes=gpu
{nodes}
PartitionName=short Nodes=first Default=YES MaxTime=1-0 State=UP
PartitionName=gpu Nodes=first MaxTime=1-0 State=UP
PartitionName=pair Nodes=first,second MaxTime=1-0 State=UP
"""
NODE = (
    "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={cpus} RealMemory={memory} Gres=gpu:{gpus}"
)
NODES = ("first", "second")


def missing_programs() -> list[str]:
    """The programs of Slurm and munge that are not installed."""
    return [name for name in PROGRAMS if not shutil.which(name, path=search_path())]


def search_path() -> str:
    """PATH with the folders of daemons, which users often lack."""
    return os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])


def free_ports(number: int) -> list[int]:
    """Different ports that nobody listens on."""
    with contextlib.ExitStack() as stack:
        listening = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in listening:
            each.bind(("", 0))
        return [each.getsockname()[1] for each in listening]


def wait_for(condition: Callable[[], object], what: str, seconds: float) -> None:
    """Wait until a condition holds; :class:`TimeoutError` where it never does."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.2)


class Slurm:
    """The cluster; all its files lie in ``folder``, which must not be very deep: a socket's path is short."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.cpus = 2
        self.configuration = folder / "slurm.conf"
        self.programs = folder / "bin"
        path = f"{self.programs}{os.pathsep}{search_path()}"
        self.environment = {**os.environ, "SLURM_CONF": str(self.configuration), "PATH": path}
        self.daemons: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Write the configuration, start the daemons and wait until the node takes jobs."""
        self._write_configuration()
        self._write_srun()
        key, munge = self.folder / "munge.key", self.folder / "munge"
        key.touch(mode=0o600)
        key.write_bytes(secrets.token_bytes(128))
        munge.mkdir(mode=0o755)
        files = [f"--{kind}-file={munge / kind}" for kind in ("pid", "log", "seed")]
        opened = f"--socket={self.folder / 'munge.socket'}"
        self._run("munged", "--foreground", "--force", f"--key-file={key}", opened, *files)
        wait_for((self.folder / "munge.socket").exists, "munged", SECONDS_TO_START)
        self._run("slurmctld", "-D", "-f", str(self.configuration))
        for node in NODES:
            self._run("slurmd", "-D", "-N", node, "-f", str(self.configuration))
        states = ("sinfo", "--noheader", "--Node", "--partition=pair", "--format=%T")
        wait_for(lambda: self.tell(*states).split() == ["idle"] * len(NODES), "slurmd", SECONDS_TO_START)

    def _write_configuration(self) -> None:
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        host = socket.gethostname().split(".")[0]
        controller_port, *node_ports = free_ports(1 + len(NODES))
        given = {"host": host, "cpus": self.cpus, "memory": MEMORY, "gpus": len(GPUS)}
        text = SETTINGS.format(
            host=host,
            controller_port=controller_port,
            user=getpass.getuser(),
            folder=self.folder,
            kill_wait=SECONDS_BEFORE_KILL,
            nodes="\n".join(NODE.format(name=name, port=port, **given) for name, port in zip(NODES, node_ports)),
        )
        self.configuration.write_text(text, encoding="utf-8")
        devices = "".join(f"Name=gpu File={device}\n" for device in GPUS)
        (self.folder / "gres.conf").write_text(devices, encoding="utf-8")
        # Jobs get the variables of PBS too, PBS_JOBID for one.
        (self.folder / "plugstack.conf").write_text("required spank_pbs.so\n", encoding="utf-8")

    def _write_srun(self) -> None:
        """An srun that knows the configuration: Snakemake's executor starts it without SLURM_CONF."""
        srun = shlex.quote(str(shutil.which("srun", path=search_path())))
        self.programs.mkdir()
        script = self.programs / "srun"
        script.write_text(
            f'#!/bin/sh\nSLURM_CONF={shlex.quote(str(self.configuration))} exec {srun} "$@"\n', encoding="utf-8"
        )
        script.chmod(0o755)

    def _run(self, program: str, *arguments: str) -> None:
        """Start a daemon, which ends with this process, whatever ends this."""
        words = ["setpriv", "--pdeathsig", "TERM", program, *arguments]
        with (self.folder / f"{program}.out").open("ab") as output:
            self.daemons.append(
                subprocess.Popen(words, env=self.environment, stdout=output, stderr=output, cwd=self.folder)
            )

    def stop(self) -> None:
        """End all jobs and all daemons."""
        with contextlib.suppress(TimeoutError):
            subprocess.run(["scancel", "--user", getpass.getuser()], env=self.environment, check=False)
            wait_for(lambda: not self.tell("squeue", "--noheader"), "scancel", 3 * SECONDS_BEFORE_KILL)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def processes(self) -> list[int]:
        """What runs with the configuration of this cluster: daemons, jobs and their steps; not this process."""
        wanted, found = f"SLURM_CONF={self.configuration}".encode(), []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
        return found

    def tell(self, *command: str) -> str:
        """What a command of Slurm prints; nothing where it fails."""
        result = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        return result.stdout.strip()

    def jobs(self) -> list[dict[str, str]]:
        """Every job that has ended, in the order of their ends, as Slurm recorded it; ``JobState`` among others."""
        path = self.folder / "jobs.txt"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]
