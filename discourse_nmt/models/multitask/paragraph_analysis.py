"""The discourse analysis of a paragraph as multi-task learning reads it: words, units, heads and relations."""

from collections.abc import Sequence
from dataclasses import dataclass

from discourse_nmt.base.arrays import Integers

UNANNOTATED = -1  # head or class of a unit without annotation, and at padding


@dataclass(frozen=True)
class ParagraphAnalysis:
    """A paragraph: ``words`` and, where there is a parser, ``units`` hold one entry per subword of each sentence."""

    words: Sequence[Integers]
    """The word of each subword in its sentence."""
    units: Sequence[Integers] | None = None
    """The unit of each subword, counted from 0 over the paragraph in text order."""
    heads: Sequence[int] | Integers = ()
    """The head of each unit, a root being its own; :data:`UNANNOTATED` where unknown."""
    relations: Sequence[str] = ()
    """The relation of each unit to its head."""
