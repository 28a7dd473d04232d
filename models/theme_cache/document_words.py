"""The words of a document as a cache of source words reads them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class DocumentWords:
    """The words of one document by its N subwords in text order, of which sentence i has ``lengths[i]``."""

    lengths: Integers
    words: Integers
    """The word of each subword, counted in its sentence."""
    types: Integers
    """What is equal for all subwords of equal words, and of these alone."""
    stops: Booleans
    """Which subwords are of stop words."""
