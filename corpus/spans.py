"""Spans on one line, and ranges of numbers, many at a time."""

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def ranges(starts: Integers, stops: Integers) -> Integers:
    """``arange(starts[0], stops[0])``, ``arange(starts[1], stops[1])`` … in one array."""
    lengths = stops - starts
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


def most_shared(starts: Integers, ends: Integers, unit_starts: Integers, unit_ends: Integers) -> Integers:
    """The unit with which each span ``[start, end)`` shares most places, the first of several; -1 where it shares none.

    Units are in order and do not overlap.
    """
    first = np.searchsorted(unit_ends, starts, side="right")
    last = np.maximum(first, np.searchsorted(unit_starts, ends, side="left"))
    spans, candidates = np.repeat(np.arange(len(starts)), last - first), ranges(first, last)
    shared = np.minimum(ends[spans], unit_ends[candidates]) - np.maximum(starts[spans], unit_starts[candidates])
    order = np.lexsort((candidates, -shared, spans))
    touched, places = np.unique(spans[order], return_index=True)
    best = np.full(len(starts), -1, np.int64)
    best[touched] = candidates[order][places]
    return best
