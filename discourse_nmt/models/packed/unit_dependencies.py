"""The discourse units of some sentences and their dependencies, as packed systems read them."""

from collections.abc import Sequence
from typing import NamedTuple

from discourse_nmt.base.arrays import Integers


class UnitDependencies(NamedTuple):
    """Consecutive sentences of one document with M units (EDUs), counted from 0 over these sentences."""

    edus: Sequence[Integers]
    """The unit of each source subword of each sentence."""
    heads: Integers
    """The head of each unit, [M]; -1 for a root."""
