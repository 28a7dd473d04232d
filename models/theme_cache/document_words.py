"""The words of a document as a cache of source words reads them."""

from dataclasses import dataclass

from discourse_nmt.corpus.arrays import Booleans, Integers


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
