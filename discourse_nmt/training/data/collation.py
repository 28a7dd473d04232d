"""The padded tensors of a batch of units, computed by numpy on the flat arrays of the dataset."""

from dataclasses import dataclass, fields

import numpy as np
import torch
from torch import Tensor

from discourse_nmt.base.spans import ranges
from discourse_nmt.base.vocabulary import BEGIN, END, PAD
from discourse_nmt.training.data.dataset import ParallelDataset, Side
from discourse_nmt.training.data.units import Units


@dataclass(frozen=True)
class Batch:
    """The sentences of the chosen units, one row each, in text order within a unit; all int64.

    ``source_ids`` [B, S] is ``<s> ids </s>``, ``target_input`` [B, T] ``<s> ids`` and ``target_output`` [B,
    T] ``ids </s>``, each padded with ``<pad>``. ``rows`` [B] are the rows of the dataset;
    ``units`` [B] is the index of the unit of each sentence in the batch.
    """

    source_ids: Tensor
    target_input: Tensor
    target_output: Tensor
    rows: Tensor
    units: Tensor

    @property
    def target_tokens(self) -> int:
        """Tokens that are predicted: target subwords and ``</s>``."""
        return int((self.target_output != PAD).sum())

    def to(self, device: torch.device) -> "Batch":
        """The batch on ``device``; it is copied to a GPU while the GPU still computes."""
        if device.type == "cpu":
            return self
        tensors = [getattr(self, field.name) for field in fields(self)]
        return Batch(*(tensor.pin_memory().to(device, non_blocking=True) for tensor in tensors))


def pad(side: Side, rows: np.ndarray) -> np.ndarray:
    """``<s> ids </s>`` of each row, padded: int64 ``[rows, longest + 2]``."""
    starts, stops = side.offsets[rows], side.offsets[rows + 1]
    lengths = stops - starts
    padded = np.full((len(rows), int(lengths.max()) + 2), PAD, dtype=np.int64)
    padded[:, 0] = BEGIN
    padded[np.arange(len(rows)), lengths + 1] = END
    filled = np.arange(padded.shape[1] - 2) < lengths[:, None]
    padded[:, 1:-1][filled] = side.ids[ranges(starts, stops)]
    return padded


def collate(dataset: ParallelDataset, units: Units, chosen: np.ndarray) -> Batch:
    """The batch of the ``chosen`` units."""
    rows = units.rows(chosen)
    target = pad(dataset.target, rows)
    # Dropping the last column drops the longest rows' </s>; the shorter rows' own is replaced by padding.
    target_input = np.where(target[:, :-1] == END, PAD, target[:, :-1])
    unit_of_row = np.repeat(np.arange(len(chosen)), units.stops[chosen] - units.starts[chosen])
    arrays = (pad(dataset.source, rows), target_input, target[:, 1:].copy(), rows, unit_of_row)
    return Batch(*map(torch.from_numpy, arrays))
