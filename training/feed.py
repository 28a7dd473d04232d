"""The batches of a split: which units they hold, and how units become tensors."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from training.batches import BatchOrder
from training.collation import Batch, collate
from training.dataset import ParallelDataset
from training.settings import TrainingSettings
from training.units import sides_of, units_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Feed:
    """The order of batches and the function that makes the tensors of the units of one."""

    order: BatchOrder
    collate: Callable[[np.ndarray], Batch]


def training_feed(dataset: ParallelDataset, unit: str, settings: TrainingSettings, seed: int, processes: int) -> Feed:
    """Shuffled batches of the units that ``max_length`` admits."""
    units = units_of(dataset, unit)
    if settings.max_length:
        keep = sides_of(dataset, units).max(axis=0, initial=0) <= settings.max_length
        units = units.select(keep)
        logger.info(
            f"{(~keep).sum():,} of {len(keep):,} units are longer than max_length ({settings.max_length}), left out"
        )
    per_update = settings.accumulation * processes
    order = BatchOrder(sides_of(dataset, units), settings.batch_tokens, seed=seed, per_update=per_update)
    return Feed(order, lambda chosen: collate(dataset, units, chosen))


def development_feed(dataset: ParallelDataset, unit: str, settings: TrainingSettings) -> Feed:
    """Batches of all units, by size."""
    units = units_of(dataset, unit)
    order = BatchOrder(sides_of(dataset, units), settings.batch_tokens, shuffle=False)
    return Feed(order, lambda chosen: collate(dataset, units, chosen))
