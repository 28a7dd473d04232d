"""The batches of a split: their units, and their tensors."""

import logging
from dataclasses import dataclass
from typing import Generic

import numpy as np

from discourse_nmt.base.shards import stable_hash
from discourse_nmt.training.data.batches import BatchOrder
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import Units, sides_of, units_of
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.training.tasks.loss import Network
from discourse_nmt.training.tasks.protocol import BatchRead, Task

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Feed(Generic[Network, BatchRead]):
    """The batches of a split; ``order`` holds indices of ``units``."""

    order: BatchOrder
    units: Units
    task: Task[Network, BatchRead]

    def collate(self, chosen: np.ndarray, seed: int | None = None) -> BatchRead:
        """The batch of the ``chosen`` units; training draws random values for it from ``seed``."""
        return self.task.batch(self.units, chosen, seed)


def training_feed(
    task: Task[Network, BatchRead], unit: str, settings: TrainingSettings, seed: int
) -> Feed[Network, BatchRead]:
    """Shuffled batches of the units within ``max_length``, of the documents in the share that is learnt from."""
    units = task.training_units(units_of(task.dataset, unit, settings.batch_tokens))
    if settings.share_of_documents < 1:
        chosen = share_of_documents(task.dataset, settings.share_of_documents, settings.skipped_share)
        units = units.select(chosen[task.dataset.document_of(units.starts)])
        logger.info(f"{chosen.sum():,} of {len(chosen):,} documents are learnt from (share_of_documents)")
    if settings.max_length:
        keep = sides_of(task.dataset, units).max(axis=0, initial=0) <= settings.max_length
        units = units.select(keep)
        logger.info(
            f"{(~keep).sum():,} of {len(keep):,} units are longer than max_length ({settings.max_length}), left out"
        )
    order = BatchOrder(
        sides_of(task.dataset, units),
        settings.batch_tokens,
        seed=seed,
        per_update=settings.accumulation,
        padded=task.padded,
    )
    return Feed(order, units, task)


def share_of_documents(dataset: ParallelDataset, share: float, skipped: float) -> np.ndarray:
    """Whether each document is among the ``share`` with the smallest hashes after those of the ``skipped`` share.

    At least one is: bool ``[documents]``.
    """
    hashes = np.array([stable_hash(name, "share") for name in dataset.names], dtype=np.uint64)
    chosen = np.zeros(len(hashes), dtype=bool)
    first = min(round(skipped * len(hashes)), len(hashes) - 1)
    stop = max(first + 1, round((skipped + share) * len(hashes)))
    chosen[np.argsort(hashes, kind="stable")[first:stop]] = True
    return chosen


def development_feed(task: Task[Network, BatchRead], unit: str, settings: TrainingSettings) -> Feed[Network, BatchRead]:
    """Batches of all units, by size."""
    units = units_of(task.dataset, unit, settings.batch_tokens)
    order = BatchOrder(sides_of(task.dataset, units), settings.batch_tokens, shuffle=False, padded=task.padded)
    return Feed(order, units, task)
