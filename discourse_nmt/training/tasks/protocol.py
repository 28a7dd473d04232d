"""The task of a kind of system on a split: its batches, its loss, its translations and its scores.

Each kind has a module of its own, loaded by name, so that a change of its code re-trains no system of another kind.
"""

import importlib
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from discourse_nmt.models.core.beam_search import Hypothesis
from discourse_nmt.models.switches.decoding import DecodingSettings
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

    def to(self, device: torch.device) -> Any:
        """The batch on ``device``."""
        ...


class Task(Protocol):
    """A split as one kind of system reads it; the function ``task`` of the kind's module returns it."""

    @property
    def dataset(self) -> ParallelDataset:
        """The split."""
        ...

    @property
    def padded(self) -> bool:
        """Whether all units of a batch are padded to the size of the largest one."""
        ...

    def batch(self, units: Units, chosen: np.ndarray, seed: int | None) -> TrainingBatch:
        """The batch of the ``chosen`` units.

        Training draws random values for it from ``seed``; evaluation has no seed and draws nothing.
        """
        ...

    def objective(self, smoothing: float) -> Objective:
        """The loss with this label smoothing."""
        ...

    def hypotheses(self, network: nn.Module, settings: DecodingSettings) -> Iterator[tuple[int, list[Hypothesis]]]:
        """Yield each row of the dataset and its n-best translations; ``network`` is in evaluation mode."""
        ...

    def scores(
        self, network: nn.Module, rows: Sequence[int], targets: Sequence[Sequence[int]], settings: DecodingSettings
    ) -> Iterator[tuple[int, float]]:
        """Yield the index of each of ``targets`` and its log-probability (nats) as the translation of its row.

        For systems that read several sentences at a time, the other sentences are those of the dataset.
        """
        ...


def task_for(unit: str, network: nn.Module, dataset: ParallelDataset, structures: Structures[Any] | None) -> Task:
    """The task of ``network``, which reads a ``unit`` at a time."""
    task: Task = importlib.import_module(TASKS[unit]).task(network, dataset, structures)
    return task
