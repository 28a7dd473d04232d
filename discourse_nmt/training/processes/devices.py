"""Processes and devices of a run, by Lightning Fabric: one device, several devices, or processes of torchrun."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

import torch
from lightning_fabric import Fabric
from lightning_fabric.plugins.environments import LightningEnvironment, TorchElasticEnvironment
from lightning_fabric.strategies import DDPStrategy

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.core.inference import device_named
from discourse_nmt.training.precision import Precision

PRECISIONS: dict[Precision, str] = {"fp32": "32-true", "bf16": "bf16-mixed", "fp16": "16-mixed"}

logger = logging.getLogger(__name__)


def resolved(precision: Literal["auto"] | Precision, begun: Precision | None, device: str) -> Precision:
    """The arithmetic of a run, which is logged where it is not that of the settings.

    ``auto`` is bf16 on a ``device`` that has instructions for it, else fp32. A run that was ``begun`` continues as it
    began, also on another machine, so that no model is trained with a mixture of both.
    """
    if precision != "auto":
        return precision
    native = has_bf16(device)
    if begun is not None:
        slow = "" if native or begun == "fp32" else ", which is slow on this machine"
        logger.info(f"precision: auto continues in {begun}, as the run began{slow}")
        return begun
    chosen: Precision = "bf16" if native else "fp32"
    logger.info(f"precision: auto is {chosen}; {'' if native else 'no '}instructions for bf16 on this machine")
    return chosen


def has_bf16(device: str) -> bool:
    """Whether the ``device`` (auto, cpu or cuda) computes with bf16 rather than emulates it."""
    if device_named(device).type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


def process_count(device: str, devices: int) -> int:
    """Processes of a run: those of torchrun, or without it one for each of ``devices``.

    Where ``device`` is auto and there is a GPU, that one computes, whatever ``devices`` says. Raises
    :class:`InputError` for fewer than one.
    """
    if devices < 1:
        raise InputError(f"--devices is {devices}", remedy="it must be at least 1")
    if TorchElasticEnvironment.detect():
        return int(os.environ["WORLD_SIZE"])
    return 1 if device == "auto" and device_named(device).type == "cuda" else devices


def make_fabric(
    device: str, devices: int, precision: Precision, threads: int, release: Callable[[], None] = lambda: None
) -> Fabric:
    """Join the processes of torchrun, or without it start those of :func:`process_count` on this machine.

    ``device`` is auto (cuda if there is one), cpu or cuda; ``threads`` is for each process. ``release`` lets those go
    on that have started and wait. Raises :class:`InputError` for numbers, a precision or devices that are not
    available.
    """
    if threads < 1:
        raise InputError(f"--threads is {threads}", remedy="it must be at least 1")
    kind = device_named(device).type
    if precision == "fp16" and kind == "cpu":
        raise InputError("training: precision fp16 needs a GPU", remedy="use bf16 or fp32")
    elastic = TorchElasticEnvironment.detect()
    processes = process_count(device, devices)
    devices = int(os.environ["LOCAL_WORLD_SIZE"]) if elastic else processes
    nodes = processes // devices
    if kind == "cuda" and devices > torch.cuda.device_count():
        raise InputError(
            f"{devices} devices wanted, {torch.cuda.device_count()} found",
            remedy="lower hardware.gpus, or set it to auto",
        )
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
    release()
    fabric.launch()
    if several:
        logger.info(f"{processes} processes{f' on {nodes} nodes' if nodes > 1 else ''} share the batches of an update")
    torch.set_num_threads(threads)
    return fabric


@contextmanager
def small_numbers_as_zero() -> Iterator[None]:
    """Compute with 0 for numbers below 1e-38 on a CPU, in this thread and in those that begin meanwhile.

    Where attention is sharp, many of its weights and their gradients are so small, and a processor computes with such
    numbers many times more slowly.
    """
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def make_deterministic() -> None:
    """Prefer reproducible GPU kernels; operations without one only warn."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
