"""Which units form which batch of which epoch: a pure function of (seed, epoch), the same for any number of
workers.

Units are sorted by size, those of equal size in another random order in each epoch, and cut into batches; the
batches are then shuffled. The sorted sizes are the same in every epoch and so are the borders between
batches: any update of any epoch is found without going through those before it.
"""

import logging

import numpy as np

from discourse_nmt.corpus.errors import InputError

logger = logging.getLogger(__name__)


def cut(sizes: np.ndarray, batch_tokens: int, padded: bool = True) -> np.ndarray:
    """Cut ascending ``sizes`` into runs, each as long as its own size allows.

    The size of a run, its number of units times its largest size where units are ``padded``, else the sum of their
    sizes, is at most ``batch_tokens``; only a unit that is larger by itself exceeds it, as a run by itself. Returns the
    borders, int64 ``[runs + 1]``.
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

    ``sides`` (int64 ``[2, units]``) is the size of each unit on the source and the target side; its size is
    the larger one, so that ``batch_tokens`` bounds the tokens of both sides, with padding where units are
    ``padded``. ``per_update`` batches make an update (accumulation times processes); the last update of an
    epoch has fewer where they do not come out even. Without ``shuffle`` the batches come in the order of
    their sizes, for evaluation.
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

    def batch(self, epoch: int, place: int) -> np.ndarray:
        """The units, int64, of the batch at ``place`` (from 0) of ``epoch`` (from 0)."""
        if self._epoch is None or self._epoch[0] != epoch:
            self._epoch = (epoch, *self._arrange(epoch))
        _, units, batches = self._epoch
        number = batches[place]
        return units[self.borders[number] : self.borders[number + 1]]

    def update(self, number: int) -> list[np.ndarray]:
        """The batches of update ``number``, counted from 0 over all epochs; a process takes every n-th of them."""
        epoch, place = divmod(number, self.updates_per_epoch)
        first = place * self.per_update
        last = min(first + self.per_update, self.batches_per_epoch)
        return [self.batch(epoch, batch) for batch in range(first, last)]

    def _arrange(self, epoch: int) -> tuple[np.ndarray, np.ndarray]:
        """Units in the order that the borders cut, and batch numbers in the order they come."""
        generator = np.random.default_rng([self.seed, epoch])
        units, batches = np.arange(len(self.sizes)), np.arange(self.batches_per_epoch)
        if self.shuffle:
            units, batches = generator.permutation(units), generator.permutation(batches)
        # By size; among equal sizes by the length of either side, which keeps the padding of the shorter one low.
        return units[np.lexsort((self.sides[1, units], self.sides[0, units], self.sizes[units]))], batches
