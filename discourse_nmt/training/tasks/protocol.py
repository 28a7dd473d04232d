"""The task of a kind of system on a split: its batches, its loss, its translations and its scores.

Each kind has a module of its own, loaded by name, so that a change of its code re-trains no system of another kind.
"""

import importlib
from collections.abc import Iterator, Sequence
from typing import Protocol, Self, TypeVar

import numpy as np
import torch
from torch import nn

from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.switches.decoding import ContextRead, DecodingSettings
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import Units
from discourse_nmt.training.kinds import TASKS
from discourse_nmt.training.structures.opening import Structures
from discourse_nmt.training.tasks.loss import Objective


class TrainingBatch(Protocol):
    """A batch as the training loop uses it; the rest is for the objective."""

    @property
    def target_tokens(self) -> int:
        """Number of predicted tokens: target subwords and ``</s>``."""
        ...

    def to(self, device: torch.device) -> Self:
        """The batch on ``device``."""
        ...


NetworkRead = TypeVar("NetworkRead", bound=nn.Module, contravariant=True)
BatchRead = TypeVar("BatchRead", bound=TrainingBatch)


class Task(Protocol[NetworkRead, BatchRead]):
    """A split as one kind of system reads it; the function ``task`` of the kind's module returns it."""

    @property
    def dataset(self) -> ParallelDataset:
        """The split."""
        ...

    @property
    def padded(self) -> bool:
        """Whether all units of a batch are padded to the size of the largest one."""
        ...

    def training_units(self, units: Units) -> Units:
        """What training shuffles: the ``units`` of the system, or parts of them."""
        ...

    def batch(self, units: Units, chosen: np.ndarray, seed: int | None) -> BatchRead:
        """The batch of the ``chosen`` units.

        Training draws random values for it from ``seed``; evaluation has no seed and draws nothing.
        """
        ...

    def objective(self, smoothing: float) -> Objective[NetworkRead, BatchRead]:
        """The loss with this label smoothing."""
        ...

    def hypotheses(
        self, network: NetworkRead, settings: DecodingSettings, asked: np.ndarray | None = None
    ) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Yield each row of the dataset and its n-best translations; ``network`` is in evaluation mode.

        With ``asked``, bool [rows], other rows are left out where no asked one reads their translations.
        """
        ...

    def scores(
        self,
        network: NetworkRead,
        rows: Sequence[int],
        targets: Sequence[Sequence[int]],
        settings: DecodingSettings,
        context: ContextRead = "both",
    ) -> Iterator[tuple[int, float]]:
        """Yield the index of each of ``targets`` and its log-probability (nats) as the translation of its row.

        For systems that read several sentences at a time, the other sentences are those of the dataset. With the
        ``context`` source no target sentence is read before the own one; with target the source is the own sentence
        alone, and the earlier target sentences are read without theirs. It goes with ``use_tree: false``.
        """
        ...


SystemTask = Task[nn.Module, TrainingBatch]
"""The task of a system that is known by name only: its networks and batches are those of the system."""


def task_for(
    unit: str, network: nn.Module, dataset: ParallelDataset, structures: Structures[object] | None
) -> SystemTask:
    """The task of ``network``, which reads a ``unit`` at a time."""
    task: SystemTask = importlib.import_module(TASKS[unit]).task(network, dataset, structures)
    return task
