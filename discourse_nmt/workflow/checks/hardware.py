"""Checks of the section ``hardware``: whether an update can be shared, and whether the GPUs are there."""

from discourse_nmt.base.errors import InputError
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.experiments import corpora_of, experiment_settings


def check_shares(config: Configuration) -> None:
    """Raise :class:`InputError` where a training has more processes than an update of an experiment has batches.

    ``config`` has the schema's defaults.
    """
    gpus, nodes = config.hardware.gpus, config.hardware.nodes
    if nodes > 1 and gpus == "auto":
        raise InputError(
            f"hardware.nodes is {nodes} and hardware.gpus is auto",
            remedy="set gpus to the GPUs that a training uses on each node, or to 0",
        )
    wanted = config.hardware.wanted_gpus
    key, own = ("gpus", wanted) if wanted else ("processes", config.hardware.processes)
    processes = nodes * own
    hardware = f"hardware.{key} is {own}" + (f" on each of {nodes} nodes" if nodes > 1 else "")
    runs = [(name, corpus) for name in config.experiments for corpus in sorted(corpora_of(config, name))]
    for name, corpus in runs:
        batches = experiment_settings(config, name, corpus).training.accumulation
        if processes > batches:
            raise InputError(
                f"{hardware}, but experiments.{name} has {batches} batches in an update to share",
                remedy=f"set training.accumulation to {processes} or a multiple and divide training.batch_tokens by it",
            )


def check_gpus(wanted: int) -> None:
    """Raise :class:`InputError` where this machine has fewer GPUs than are ``wanted``."""
    if not wanted:
        return
    import torch  # takes seconds, which a machine without GPUs need not spend

    found = torch.cuda.device_count()
    if found < wanted:
        raise InputError(
            f"hardware.gpus is {wanted}, but this machine has {found}", remedy="lower it, or set it to auto"
        )


def check_nodes(nodes: int, *, local: bool) -> None:
    """Raise :class:`InputError` where a training wants several ``nodes`` and jobs run on this machine, ``local``."""
    if nodes > 1 and local:
        raise InputError(
            f"hardware.nodes is {nodes}, but jobs run on this machine",
            remedy="use --workflow-profile profiles/slurm, or set it to 1",
        )
