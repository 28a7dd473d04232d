"""Sums and best trees over all binary trees of a document (inside-outside and CKY algorithms).

A tree is a set of spans of EDUs. Spans are ordered by length, then by start, so that spans of one length are a slice.
Scores of spans have two columns: for the span as left child and as right child of its parent. The probability of a tree
is proportional to the exponential of the sum of its spans' scores, without the root, which is in every tree.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discourse_nmt.base.arrays import Integers

Floats = npt.NDArray[np.float64]
LEFT, RIGHT = 0, 1


def spans_of(edus: int) -> tuple[Integers, Integers]:
    """First EDU and end (exclusive) of every span of a document, in the order of the chart."""
    starts = np.concatenate([np.arange(edus - length + 1) for length in range(1, edus + 1)])
    lengths = np.repeat(np.arange(1, edus + 1), np.arange(edus, 0, -1))
    return starts, starts + lengths


@dataclass
class _Table:
    """Values of the spans as left children by (first EDU, length) and as right children by (end, length)."""

    left: Floats
    right: Floats

    def sums(self, length: int) -> Floats:
        """Value of the left child plus value of the right child, for the spans of one length [spans, length - 1] and
        each division."""
        count = len(self.left) - length
        return self.left[:count, 1:length] + self.right[length:, length - 1 : 0 : -1]

    def put(self, length: int, left: Floats, right: Floats) -> None:
        """Set the values of all spans of one length."""
        count = len(self.left) - length
        self.left[:count, length], self.right[length:, length] = left, right


def _table(edus: int) -> _Table:
    return _Table(np.zeros((edus + 1, edus + 1)), np.zeros((edus + 1, edus + 1)))


def probabilities(scores: Floats) -> tuple[float, Floats]:
    """Logarithm of the sum over all trees, and the probability [spans, 2] of each span as left and right child.

    ``scores`` [spans, 2]; score and probability of the last span, the root, are ignored. The probabilities are the
    gradient of the logarithm.
    """
    edus = int((np.sqrt(8 * len(scores) + 1) - 1) / 2)
    inside = _table(edus)
    totals: list[Floats] = []
    reached = 0
    for length in range(1, edus + 1):
        count = edus - length + 1
        if length == 1:
            total = np.zeros(count)
        else:
            sums = inside.sums(length)
            highest = sums.max(1)
            total = highest + np.log(np.exp(sums - highest[:, None]).sum(1))
        totals.append(total)
        own = scores[reached : reached + count]
        inside.put(length, total + own[:, LEFT], total + own[:, RIGHT])
        reached += count
    outside = _table(edus)
    gradient = np.zeros_like(scores)
    for length in range(edus, 0, -1):
        count = edus - length + 1
        reached -= count
        left, right = outside.left[:count, length], outside.right[length:, length]
        gradient[reached : reached + count, LEFT], gradient[reached : reached + count, RIGHT] = left, right
        if length > 1:
            whole = np.ones(1) if length == edus else left + right
            shares = np.exp(inside.sums(length) - totals[length - 1][:, None]) * whole[:, None]
            outside.left[:count, 1:length] += shares
            outside.right[length:, length - 1 : 0 : -1] += shares
    return float(totals[-1][0]), gradient


def best_tree(scores: Floats) -> list[tuple[int, int, int]]:
    """The tree with the greatest sum of ``scores`` [spans, 2], as (start, division, end) of its inner nodes in
    pre-order."""
    edus = int((np.sqrt(8 * len(scores) + 1) - 1) / 2)
    inside = _table(edus)
    divisions: list[Integers] = []
    reached = 0
    for length in range(1, edus + 1):
        count = edus - length + 1
        total = np.zeros(count)
        chosen = np.zeros(count, np.int64)
        if length > 1:
            sums = inside.sums(length)
            chosen = sums.argmax(1)
            total = sums[np.arange(count), chosen]
        divisions.append(chosen + 1)
        own = scores[reached : reached + count]
        inside.put(length, total + own[:, LEFT], total + own[:, RIGHT])
        reached += count
    nodes: list[tuple[int, int, int]] = []
    pending = [(0, edus)]
    while pending:
        start, end = pending.pop()
        if end - start > 1:
            division = start + int(divisions[end - start - 1][start])
            nodes.append((start, division, end))
            pending += [(division, end), (start, division)]
    return nodes
