"""The memory that a training will need, before it starts.

Parameters, gradients and Adam's state are counted. Activations are measured: the forward pass of one and of two units
of the largest batch, on the CPU, tells how the tensors that are kept for the gradient grow with the batch.
"""

import contextlib
import logging
import os
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.core.recomputation import layers_of
from discourse_nmt.training.operation.machine_memory import machine_memory, resident_memory
from discourse_nmt.training.precision import Precision
from discourse_nmt.training.tasks.feed import Feed
from discourse_nmt.training.tasks.loss import Network, Objective, rows_at_a_time
from discourse_nmt.training.tasks.protocol import BatchRead

logger = logging.getLogger(__name__)

GIGABYTE = 1e9
CONTEXT = int(0.6 * GIGABYTE)  # of CUDA and its libraries, beside all tensors
LIBRARIES = int(0.07 * GIGABYTE)  # loaded on the CPU between this plan and the first update
SINGLE, ADAM = 4, 8  # bytes of a parameter, and of the two means of its gradient


@dataclass(frozen=True)
class Activations:
    """Bytes of the tensors that the forward pass of a batch keeps for the gradient."""

    all_layers: float
    """Kept inside layers of encoder and decoder."""
    largest_layer: float
    inputs: float
    """Inputs of these layers."""
    rest: float
    """Kept outside of layers."""

    def along(self, other: "Activations", steps: float) -> "Activations":
        """The point after ``steps`` on the line from this to ``other``."""
        values = zip(vars(self).values(), vars(other).values())
        return Activations(*(one + steps * (two - one) for one, two in values))

    def bytes(self, recompute: bool) -> float:
        """At the peak of the backward pass, where one layer has all its states and as many gradients."""
        kept = self.inputs + self.largest_layer if recompute else self.all_layers
        return self.rest + kept + self.largest_layer / 2


@dataclass(frozen=True)
class MemoryPlan:
    """Bytes of one process of a training."""

    base: float
    """Of the program."""
    parameters: float
    gradients: float
    optimiser: float
    exchange: float
    """Copy of the gradients while processes sum them."""
    activations: float
    """Of the largest batch, with the scores of its subwords."""

    @property
    def total(self) -> float:
        """At the peak of an update; gradients are exchanged when no activations are left."""
        lasting = self.base + self.parameters + self.gradients + self.optimiser
        return lasting + max(self.activations, self.exchange)

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {value / GIGABYTE:.2f}" for name, value in vars(self).items() if value)
        return f"about {self.total / GIGABYTE:.2f} GB a process: {parts}"


@dataclass(frozen=True)
class Measured:
    """The needs of a network and its largest batch on any hardware."""

    parameters: int
    trained: int
    vocabulary: int
    batches: tuple[tuple[Activations, Activations, int, int], ...]
    """Of each candidate for the largest batch: activations of one and of two units, units, target tokens."""

    def plan(
        self,
        *,
        device: str,
        processes: int,
        precision: Precision,
        recompute: bool,
        shard: bool,
        base: float,
        share: float = 1.0,
    ) -> MemoryPlan:
        """The memory of one of ``processes`` on a cpu or cuda ``device``, for a ``share`` of the units of a batch."""
        activations = 0.0
        for one, two, units, tokens in self.batches:
            rows = min(rows_at_a_time(device, self.vocabulary), max(1, int(tokens * share)))
            scores = rows * self.vocabulary * (4 + (4 if precision == "fp32" else 2))
            activations = max(activations, one.along(two, max(0.0, units * share - 1)).bytes(recompute) + scores)
        return MemoryPlan(
            base=base,
            parameters=SINGLE * self.parameters,
            gradients=SINGLE * self.trained,
            optimiser=ADAM * self.trained / (processes if shard else 1),
            exchange=SINGLE * self.trained if processes > 1 else 0,
            activations=activations,
        )


def plan_memory(
    network: Network,
    feed: Feed[Network, BatchRead],
    objective: Objective[Network, BatchRead],
    *,
    vocabulary: int,
    trained: Collection[str],
    batch_tokens: int,
    device: torch.device,
    precision: Precision,
    processes: int,
    recompute: bool,
    shard: bool,
) -> None:
    """Log the memory that training will need; :class:`InputError` where the device, or this machine, has less.

    The ``network``, which is on the CPU, and the random numbers of torch stay as they are. ``trained`` are the names of
    the parameters that are not frozen, and ``vocabulary`` is the size of the target side's.
    """
    found = measured(network, feed, objective, precision, vocabulary, trained)
    hardware: dict[str, Any] = {
        "device": device.type,
        "processes": processes,
        "precision": precision,
        "recompute": recompute,
        "shard": shard,
        "base": CONTEXT if device.type == "cuda" else memory_of_program(network),
    }
    plan = found.plan(**hardware)
    capacity = memory_of_device(device, int(os.environ.get("LOCAL_WORLD_SIZE", processes)))
    logger.info(f"memory: {plan}; {capacity / GIGABYTE:.1f} GB {'of the GPU' if device.type == 'cuda' else 'there'}")
    require_memory(found, plan, capacity, batch_tokens, **hardware)


def measured(
    network: Network,
    feed: Feed[Network, BatchRead],
    objective: Objective[Network, BatchRead],
    precision: Precision,
    vocabulary: int,
    trained: Collection[str],
) -> Measured:
    """Measure a network, which is on the CPU, with the largest batches of its training.

    Its dropout draws from a copy of torch's random numbers. ``trained`` are the names of the parameters that are not
    frozen, and ``vocabulary`` is that of the target side.
    """
    sizes = {name: parameter.numel() for name, parameter in network.named_parameters()}
    batches = []
    for units in feed.order.largest():
        tokens = 0
        points = []
        for number in (1, 2):
            chosen = units[-min(number, len(units)) :]
            batch = feed.collate(chosen, 0)
            with torch.random.fork_rng(devices=[]):
                points.append(_activations(network, objective, batch, precision))
            tokens = max(tokens, batch.target_tokens * len(units) // len(chosen))
        batches.append((points[0], points[1], len(units), tokens))
    return Measured(sum(sizes.values()), sum(sizes[name] for name in trained), vocabulary, tuple(batches))


def _activations(
    network: Network, objective: Objective[Network, BatchRead], batch: BatchRead, precision: Precision
) -> Activations:
    """The tensors that the forward pass of ``batch`` keeps, each storage once, parameters aside."""
    own = {tensor.untyped_storage().data_ptr() for tensor in (*network.parameters(), *network.buffers())}
    seen: set[int] = set()
    kept: dict[int, int] = defaultdict(int)
    inside: list[int] = [-1]
    inputs = 0

    def count(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own | seen:
            seen.add(storage.data_ptr())
            kept[inside[-1]] += storage.nbytes()
        return tensor

    def enter(index: int, states: Tensor) -> None:
        nonlocal inputs
        inputs += states.untyped_storage().nbytes()
        inside.append(index)

    with contextlib.ExitStack() as stack:
        for index, layer in enumerate(layers_of(network)):
            hooks = [
                layer.register_forward_pre_hook(lambda _, words, index=index: enter(index, words[0])),
                layer.register_forward_hook(lambda *_: (inside.pop(), None)[1], always_call=True),
            ]
            for hook in hooks:
                stack.callback(hook.remove)
        network.train()
        stack.enter_context(torch.autograd.graph.saved_tensors_hooks(count, lambda tensor: tensor))
        stack.enter_context(torch.autocast("cpu", torch.bfloat16, enabled=precision != "fp32"))
        losses = objective(network, batch.to(torch.device("cpu")))
        del losses
    layers = [size for index, size in kept.items() if index >= 0]
    return Activations(sum(layers), max(layers, default=0), inputs, kept[-1])


def require_memory(found: Measured, plan: MemoryPlan, capacity: float, batch_tokens: int, **hardware: Any) -> None:
    """Raise :class:`InputError`, with what to lower, where a ``plan`` does not fit into ``capacity`` bytes.

    ``hardware`` are the arguments of :meth:`Measured.plan` that gave it.
    """
    if plan.total <= capacity:
        return
    changes = {"hardware.recompute_activations": {"recompute": True}, "hardware.shard_optimiser": {"shard": True}}
    if hardware["processes"] == 1:
        del changes["hardware.shard_optimiser"]
    together = {key: value for change in changes.values() for key, value in change.items()}
    remedies = [
        f"set {name}: true" for name, change in changes.items() if found.plan(**hardware | change).total <= capacity
    ]
    if not remedies and len(changes) > 1 and found.plan(**hardware | together).total <= capacity:
        remedies.append(f"set {' and '.join(changes)} to true")
    shares = [share for share in np.arange(0.95, 0.0, -0.05) if found.plan(**hardware, share=share).total <= capacity]
    if shares:
        remedies.append(f"lower training.batch_tokens to {int(batch_tokens * shares[0])}")
    raise InputError(
        f"training needs {plan}; there are {capacity / GIGABYTE:.2f} GB for it",
        remedy=" or ".join(remedies) or "use a smaller network, shorter units (training.max_length) or a larger device",
    )


def memory_of_device(device: torch.device, processes_here: int) -> float:
    """Bytes for one process: of its GPU, or its share of the memory that this machine or its control group has."""
    if device.type == "cuda":
        return torch.cuda.get_device_properties(device).total_memory
    return machine_memory() / processes_here


def memory_of_program(network: nn.Module) -> float:
    """Bytes that this process will use on the CPU, tensors of the training aside."""
    parameters = sum(parameter.numel() * parameter.element_size() for parameter in network.parameters())
    return max(0, resident_memory() - parameters) + LIBRARIES
