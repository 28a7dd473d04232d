"""The batches of each epoch, as a pure function of (seed, epoch) that does not depend on the number of processes.

Units are sorted by size, units of equal size in a new random order in each epoch, and cut into batches, which are then
shuffled. The sorted sizes, and so the borders between batches, are the same in every epoch: the batches of any update
are found without computing the updates before it.
"""

import logging

import numpy as np

from discourse_nmt.base.errors import InputError

logger = logging.getLogger(__name__)


def cut(sizes: np.ndarray, batch_tokens: int, padded: bool = True) -> np.ndarray:
    """Cut ascending ``sizes`` into the longest possible runs.

    A run has at most ``batch_tokens`` tokens: its number of units times its largest size where units are ``padded``,
    else the sum of their sizes. A unit that is larger is a run by itself. Returns the borders, int64 ``[runs + 1]``.
    """
    borders = [0]
    while borders[-1] < len(sizes):
        first = borders[-1]
        window = sizes[first : first + max(1, batch_tokens // int(sizes[first]))]
        totals = window * np.arange(1, len(window) + 1) if padded else np.cumsum(window)
        borders.append(first + max(1, int(np.searchsorted(totals, batch_tokens, side="right"))))
    return np.array(borders, dtype=np.int64)


class BatchOrder:
    """The batches of every epoch.

    ``sides`` (int64 ``[2, units]``) holds the size of each unit on the source and the target side. The larger one
    counts, so that ``batch_tokens`` bounds the tokens of both sides, with padding where units are ``padded``.
    ``per_update`` batches make an update; the last update of an epoch may have fewer.
    Without ``shuffle``, for evaluation, batches come in the order of their sizes.
    """

    def __init__(
        self,
        sides: np.ndarray,
        batch_tokens: int,
        *,
        seed: int = 0,
        per_update: int = 1,
        shuffle: bool = True,
        padded: bool = True,
    ) -> None:
        if not sides.shape[1]:
            raise InputError(
                "there is nothing to make batches of", remedy="check the corpus, its filters and max_length"
            )
        self.sides = sides
        self.sizes = sides.max(axis=0)
        self.seed = seed
        self.per_update = per_update
        self.shuffle = shuffle
        self.borders = cut(np.sort(self.sizes), batch_tokens, padded)
        self._epoch: tuple[int, np.ndarray, np.ndarray] | None = None
        alone = int((self.sizes > batch_tokens).sum())
        if alone:
            logger.warning(
                f"{alone} units are larger than batch_tokens ({batch_tokens}), each is a batch by itself; "
                f"the largest has {self.sizes.max()} tokens"
            )

    @property
    def batches_per_epoch(self) -> int:
        """Batches of all processes in one epoch."""
        return len(self.borders) - 1

    @property
    def updates_per_epoch(self) -> int:
        """Updates in one epoch."""
        return -(-self.batches_per_epoch // self.per_update)

    def batch(self, epoch: int, position: int) -> np.ndarray:
        """The units, int64, of a batch by its position in an epoch, both from 0."""
        if self._epoch is None or self._epoch[0] != epoch:
            self._epoch = (epoch, *self._arrange(epoch))
        _, units, batches = self._epoch
        run = batches[position]
        return units[self.borders[run] : self.borders[run + 1]]

    def update(self, index: int) -> list[np.ndarray]:
        """The batches of an update, which is counted from 0 over all epochs; each of n processes takes every n-th."""
        epoch, update_of_epoch = divmod(index, self.updates_per_epoch)
        first = update_of_epoch * self.per_update
        stop = min(first + self.per_update, self.batches_per_epoch)
        return [self.batch(epoch, position) for position in range(first, stop)]

    def largest(self) -> list[np.ndarray]:
        """The units of the batch with most tokens, and of that with the largest units, by size; both are often one."""
        units = np.lexsort((self.sides[1], self.sides[0], self.sizes))
        tokens = np.diff(self.borders) * self.sizes[units[self.borders[1:] - 1]]
        runs = dict.fromkeys((int(tokens.argmax()), len(tokens) - 1))
        return [units[self.borders[run] : self.borders[run + 1]] for run in runs]

    def _arrange(self, epoch: int) -> tuple[np.ndarray, np.ndarray]:
        """Units in the order that the borders cut, and the runs between borders in the order of batches."""
        generator = np.random.default_rng([self.seed, epoch])
        units, batches = np.arange(len(self.sizes)), np.arange(self.batches_per_epoch)
        if self.shuffle:
            units, batches = generator.permutation(units), generator.permutation(batches)
        # By size, then by the size of each side, which keeps the padding of the shorter side low.
        return units[np.lexsort((self.sides[1, units], self.sides[0, units], self.sizes[units]))], batches
