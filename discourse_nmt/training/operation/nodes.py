"""A training on several nodes: one torchrun on each, which starts the processes of its node.

Slurm's srun starts them inside the allocation of a job. Elsewhere the same command starts on every node, with the
address of the first one. The training ends as a whole: a process that fails or stops ends those of all nodes.
"""

import logging
import os
import shutil
import socket
import sys
from collections.abc import Sequence
from typing import NoReturn

from torch.distributed.elastic.multiprocessing import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher import LaunchConfig, elastic_launch

from discourse_nmt.base.errors import InputError
from discourse_nmt.training.operation.others import free_port

SECONDS_TO_STOP = 300  # for a checkpoint after a signal; a scheduler may kill sooner
SECONDS_TO_MEET = 900  # for the start of all nodes
INDICES = ("SLURM_NODEID", "JOB_COMPLETION_INDEX")  # of a node: in a step of Slurm, in an indexed job of Kubernetes


def start_on_nodes(
    module: str, arguments: Sequence[str], *, nodes: int, processes: int, threads: int, rendezvous: str | None
) -> NoReturn:
    """Run ``python -m module arguments`` in ``processes`` on each of the ``nodes`` and exit with their status.

    ``rendezvous`` is HOST:PORT of the first node, on which no one listens yet. Without it, in a job of Slurm, this
    process becomes srun, which starts this command with a rendezvous on every node. ``threads`` is for each process.
    """
    if rendezvous is None:
        _become_srun(module, arguments, nodes, processes * threads)
    host, _, port = rendezvous.rpartition(":")
    if not host or not port.isdecimal():
        raise InputError(f"--rendezvous is {rendezvous!r}", remedy="write HOST:PORT of the first node")
    configuration = LaunchConfig(
        min_nodes=nodes,
        max_nodes=nodes,
        nproc_per_node=processes,
        run_id="training",
        rdzv_backend="static",
        rdzv_endpoint=rendezvous,
        rdzv_configs={"rank": index_of_node(nodes), "timeout": SECONDS_TO_MEET},
        max_restarts=0,  # the workflow repeats a training as a whole
        shutdown_timeout=SECONDS_TO_STOP,
    )
    # Statuses are told below. The loggers of torchrun have levels of their own, so that of their parent is not enough:
    # a node that leaves last would print the trace of a connection that the first one has closed.
    logging.disable(logging.CRITICAL)
    try:
        elastic_launch(configuration, sys.executable)("-m", module, *arguments)
    except ChildFailedError as error:
        rank, failure = error.get_first_failure()
        status = failure.exitcode if failure.exitcode > 0 else 128 - failure.exitcode
        if failure.exitcode < 0:
            print(f"error: process {rank} was killed (signal {-failure.exitcode})", file=sys.stderr)
        sys.exit(status)
    except SignalException as stop:
        sys.exit(128 + stop.sigval)
    sys.exit(0)


def index_of_node(nodes: int) -> int:
    """The index of this node, from 0, of a training on so many."""
    found = next((os.environ[name] for name in INDICES if name in os.environ), "")
    if not found.isdecimal() or int(found) >= nodes:
        raise InputError(
            f"this node's index is {found or 'not known'}, of {nodes} nodes",
            remedy=f"set JOB_COMPLETION_INDEX to 0 on the node of --rendezvous, and to 1 to {nodes - 1} on the others",
        )
    return int(found)


def _become_srun(module: str, arguments: Sequence[str], nodes: int, threads: int) -> NoReturn:
    """Replace this process, on the first node of a job of Slurm, by an srun of this command on all ``nodes``."""
    srun = shutil.which("srun")
    if srun is None or "SLURM_JOB_ID" not in os.environ:
        raise InputError(
            f"--nodes is {nodes}, and this is no job of Slurm",
            remedy="use profiles/slurm, set hardware.nodes to 1, or start this on every node with --rendezvous",
        )
    step = ["--nodes", str(nodes), "--ntasks", str(nodes), "--ntasks-per-node", "1", "--cpus-per-task", str(threads)]
    options = ["--input", "none", "--kill-on-bad-exit=1"]
    meeting = ["--rendezvous", f"{socket.gethostname()}:{free_port()}"]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(srun, [srun, *step, *options, sys.executable, "-m", module, *arguments, *meeting])
