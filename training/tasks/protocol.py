"""How each kind of system is trained: its batches, its loss, and its translations of the development set.

A kind has a module of its own, found by name, so that a change of one kind's code re-trains no system of another.
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
    """What the loop asks of a batch; the objective knows the rest."""

    @property
    def target_tokens(self) -> int:
        """Tokens that are predicted: target subwords and ``</s>``."""
        ...

    def to(self, device: torch.device) -> Any:
        """The batch on ``device``."""
        ...


class Task(Protocol):
    """How one kind of system reads a split; the module of a kind makes it by its function ``task``."""

    @property
    def dataset(self) -> ParallelDataset:
        """The split."""
        ...

    @property
    def padded(self) -> bool:
        """Whether every unit of a batch takes as much room as its largest one."""
        ...

    def batch(self, units: Units, chosen: np.ndarray, seed: int | None) -> TrainingBatch:
        """The batch of the ``chosen`` units.

        What training draws for it follows from ``seed``; in evaluation there is none, and nothing is drawn.
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
        """Yield the number of each of ``targets`` and its log-probability (nats) as the translation of its row.

        A system that reads several sentences at a time sees the other sentences as the dataset has them.
        """
        ...


def task_for(unit: str, network: nn.Module, dataset: ParallelDataset, structures: Structures[Any] | None) -> Task:
    """The task of ``network``, which reads a ``unit`` at a time."""
    found: Task = importlib.import_module(TASKS[unit]).task(network, dataset, structures)
    return found
