"""Ranges of integers and spans on a line, computed for whole arrays."""

import numpy as np

from discourse_nmt.base.arrays import Integers


def ranges(starts: Integers, stops: Integers) -> Integers:
    """``arange(starts[0], stops[0])``, ``arange(starts[1], stops[1])`` … in one array."""
    lengths = stops - starts
    offsets = np.cumsum(lengths) - lengths
    return np.repeat(starts - offsets, lengths) + np.arange(lengths.sum())


def most_shared(starts: Integers, ends: Integers, unit_starts: Integers, unit_ends: Integers) -> Integers:
    """The index of the unit that overlaps each span ``[start, end)`` most; -1 for a span that overlaps none.

    Of several equal overlaps the first unit wins. Units are in order and do not overlap each other.
    """
    first = np.searchsorted(unit_ends, starts, side="right")
    stop = np.maximum(first, np.searchsorted(unit_starts, ends, side="left"))
    span_of_pair, unit_of_pair = np.repeat(np.arange(len(starts)), stop - first), ranges(first, stop)
    overlap = np.minimum(ends[span_of_pair], unit_ends[unit_of_pair])
    overlap -= np.maximum(starts[span_of_pair], unit_starts[unit_of_pair])
    order = np.lexsort((unit_of_pair, -overlap, span_of_pair))
    spans, best_pairs = np.unique(span_of_pair[order], return_index=True)
    best_unit = np.full(len(starts), -1, np.int64)
    best_unit[spans] = unit_of_pair[order][best_pairs]
    return best_unit
