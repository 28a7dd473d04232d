"""Where the discourse units of a paragraph are in its tree, as selective attention reads it."""

from collections.abc import Sequence
from typing import NamedTuple

from discourse_nmt.base.arrays import Integers
from discourse_nmt.discourse.structures.positions import PositionTables


class ParagraphPositions(NamedTuple):
    """A paragraph with M units (EDUs), counted from 0 over the paragraph."""

    units: Sequence[Integers]
    """The unit of each source subword of each sentence."""
    tables: PositionTables
    """What the positions of the units are computed from."""
