"""Text units of a batch by the positions that belong to them: sentences, discourse units, graph nodes."""

from dataclasses import dataclass

import numpy as np

from discourse_nmt.base.arrays import Integers

NOWHERE = -1  # stands for "no unit": padding, which attends to nothing and is not attended to


@dataclass(frozen=True)
class Members:
    """The positions of each unit, in ascending order: ``positions[starts[u] : starts[u] + counts[u]]``."""

    positions: Integers
    starts: Integers
    counts: Integers

    @property
    def stops(self) -> Integers:
        """Where the positions of each unit end."""
        return self.starts + self.counts

    def first(self, absent: int) -> Integers:
        """The first position of each unit; ``absent`` where it has none."""
        return self._at(self.starts, absent)

    def last(self, absent: int) -> Integers:
        """The last position of each unit; ``absent`` where it has none."""
        return self._at(self.starts + self.counts - 1, absent)

    def _at(self, indices: Integers, absent: int) -> Integers:
        result = np.full(len(self.counts), absent, np.int64)
        present = self.counts > 0
        result[present] = self.positions[indices[present]]
        return result


def members(units: Integers, number: int) -> Members:
    """The positions of each of the ``number`` units; ``units`` (any shape) holds a unit or :data:`NOWHERE`."""
    flat = units.ravel()
    counts = np.bincount(flat[flat >= 0], minlength=number)
    positions = np.argsort(flat, kind="stable")[np.count_nonzero(flat < 0) :]
    return Members(positions, np.cumsum(counts) - counts, counts)
