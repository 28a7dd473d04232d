"""Trees turned over the units of their text: a control that keeps all but the match of tree and text.

Every tree moves on by some units, and what moves beyond the last unit goes on at the first. So the tree has the same
shape and its arcs the same lengths, except those that cross the seam, while every unit has another place in it.
"""

import hashlib

import numpy as np

from discourse_nmt.base.arrays import Integers
from discourse_nmt.training.data.dataset import ParallelDataset


def steps_at(dataset: ParallelDataset, start: int, units: int) -> int:
    """The number of units that the tree of ``units`` units moves on whose text begins at the row ``start``.

    A hash of the document's id and of the row in the document decides, so it is the same in every part of a corpus.
    A tree of one unit, or of none, does not move.
    """
    if units < 2:
        return 0
    first = dataset.documents[dataset.document_of(np.array(start))]
    return steps_of(dataset.document(start), int(start - first), units)


def steps_of(doc_id: str, row: int, units: int) -> int:
    """The number of units, 1 to ``units`` - 1, that a tree moves on which begins at a row of a document."""
    drawn = hashlib.sha256(f"{doc_id}\t{row}".encode()).digest()
    return 1 + int.from_bytes(drawn[:8], "big") % (units - 1)


def turned(heads: Integers, steps: int) -> Integers:
    """The ``heads`` [M] of a forest (negative: none) after every unit moved on by ``steps``, the last to the front."""
    moved: Integers = np.roll(np.where(heads < 0, -1, (heads + steps) % max(1, len(heads))), steps)
    return moved
