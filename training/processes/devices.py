"""Processes and devices of a run, by Lightning Fabric: one device, several devices, or processes of torchrun."""

import logging
import os

import torch
from lightning_fabric import Fabric
from lightning_fabric.plugins.environments import LightningEnvironment, TorchElasticEnvironment
from lightning_fabric.strategies import DDPStrategy

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.models.core.inference import device_named

PRECISIONS = {"fp32": "32-true", "bf16": "bf16-mixed", "fp16": "16-mixed"}


def make_fabric(device: str, devices: int, precision: str, threads: int) -> Fabric:
    """Join the processes of torchrun, or without it start one for each of ``devices`` devices of this machine.

    ``device`` is auto (cuda if there is one), cpu or cuda; ``threads`` is for each process. Raises
    :class:`InputError` for numbers, a precision or devices that are not available.
    """
    if devices < 1 or threads < 1:
        raise InputError(f"--devices is {devices}, --threads is {threads}", remedy="both must be at least 1")
    kind = device_named(device).type
    if precision == "fp16" and kind == "cpu":
        raise InputError("training: precision fp16 needs a GPU", remedy="use bf16 or fp32")
    elastic = TorchElasticEnvironment.detect()
    nodes = 1
    if elastic:
        devices = int(os.environ["LOCAL_WORLD_SIZE"])
        nodes = int(os.environ["WORLD_SIZE"]) // devices
    if kind == "cuda" and devices > torch.cuda.device_count():
        raise InputError(f"{devices} devices wanted, {torch.cuda.device_count()} found", remedy="lower --devices")
    # Named, as Lightning would otherwise take a job of a cluster's scheduler for one of its parallel tasks.
    environment = TorchElasticEnvironment() if elastic else LightningEnvironment()
    several = devices * nodes > 1
    fabric = Fabric(
        accelerator=kind,
        devices=devices,
        num_nodes=nodes,
        strategy=DDPStrategy(cluster_environment=environment) if several else "auto",
        plugins=None if several else [environment],
        precision=PRECISIONS[precision],  # type: ignore[arg-type]
    )
    logging.getLogger("lightning_fabric").setLevel(logging.WARNING)
    fabric.launch()
    if not fabric.is_global_zero:
        logging.getLogger().setLevel(logging.ERROR)
    torch.set_num_threads(threads)
    return fabric


def make_deterministic() -> None:
    """Prefer reproducible GPU kernels; operations without one only warn."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
