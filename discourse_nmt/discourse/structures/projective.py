"""The best projective dependency tree: Eisner 1996, "Three new probabilistic models for dependency parsing", COLING.

Li's rule turns every constituency tree into a projective tree with one root, and only such a tree can be turned back
(:func:`.constituency`).
"""

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
RIGHT, LEFT = 0, 1  # side of a span's dependents; the head is the span's first (RIGHT) or last (LEFT) unit


def best_projective_tree(scores: Scores) -> list[int]:
    """Heads of the projective tree with the highest sum of scores and one root, whose head is -1.

    ``scores`` [dependent, head] are finite; the diagonal has the scores of units as roots. The time is cubic in the
    number of units.
    """
    count = len(scores)
    whole, open_ = (np.full((2, count, count), -np.inf) for _ in range(2))
    whole_at, open_at = np.zeros((2, count, count), np.int64), np.zeros((count, count), np.int64)
    whole[:, range(count), range(count)] = 0
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            inner = whole[RIGHT, first, first:last] + whole[LEFT, first + 1 : last + 1, last]
            open_at[first, last] = first + inner.argmax()
            open_[RIGHT, first, last] = inner.max() + scores[last, first]
            open_[LEFT, first, last] = inner.max() + scores[first, last]
            right = open_[RIGHT, first, first + 1 : last + 1] + whole[RIGHT, first + 1 : last + 1, last]
            left = whole[LEFT, first, first:last] + open_[LEFT, first:last, last]
            whole_at[:, first, last] = first + 1 + right.argmax(), first + left.argmax()
            whole[:, first, last] = right.max(), left.max()
    root = int((scores.diagonal() + whole[LEFT, 0] + whole[RIGHT, :, -1]).argmax())
    heads = [-1] * count
    # Spans: (first, last, side of the dependents, whether the span is whole).
    waiting = [(0, root, LEFT, True), (root, count - 1, RIGHT, True)]
    while waiting:
        first, last, side, complete = waiting.pop()
        if first == last:
            continue
        if not complete:
            heads[last if side == RIGHT else first] = first if side == RIGHT else last
            middle = int(open_at[first, last])
            waiting += [(first, middle, RIGHT, True), (middle + 1, last, LEFT, True)]
            continue
        middle = int(whole_at[side, first, last])
        waiting += [(first, middle, side, side == LEFT), (middle, last, side, side == RIGHT)]
    return heads
