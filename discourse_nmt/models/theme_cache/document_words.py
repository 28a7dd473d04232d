"""The words of a document, for a cache of source words."""

from dataclasses import dataclass

from discourse_nmt.base.arrays import Booleans, Integers


@dataclass(frozen=True)
class DocumentWords:
    """The words of one document by its N subwords in text order, of which sentence i has ``lengths[i]``."""

    lengths: Integers
    words: Integers
    """The word of each subword, counted in its sentence."""
    types: Integers
    """A number that is the same for subwords of equal words, and different for others."""
    stops: Booleans
    """Whether a subword belongs to a stop word."""
