"""Checks of the section ``hardware``: whether an update can be shared, and whether the GPUs are there."""

from collections.abc import Mapping
from typing import Any

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.rules.sections.experiments import corpora_of, experiment_settings


def check_shares(config: Mapping[str, Any]) -> None:
    """Raise :class:`InputError` where a training has more processes than an update of an experiment has batches.

    ``config`` has the schema's defaults.
    """
    gpus = config["hardware"]["gpus"]
    key, processes = ("gpus", gpus) if gpus not in ("auto", 0) else ("processes", config["hardware"]["processes"])
    runs = [(name, corpus) for name in config["experiments"] for corpus in sorted(corpora_of(config, name))]
    for name, corpus in runs:
        batches = experiment_settings(config, name, corpus)["training"]["accumulation"]
        if processes > batches:
            raise InputError(
                f"hardware.{key} is {processes}, but experiments.{name} has {batches} batches in an update to share",
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
