"""Instances: consecutive sentences of one document that a packed system reads in one pass."""

from collections.abc import Sequence
from dataclasses import dataclass

from discourse_nmt.base.arrays import Integers


@dataclass(frozen=True)
class SourceInstance:
    """Consecutive sentences of one document and their discourse dependencies, to be translated.

    ``source`` holds the subword ids of each sentence without marks. ``edus`` holds the discourse unit of each source
    subword, counted from 0 over the instance; ``heads`` [M] the head of each unit, -1 for a root. With ``tree`` false
    the dependencies are not used: every unit is then related to every other, and ``edus`` and ``heads`` may be empty.
    """

    source: Sequence[Integers]
    edus: Sequence[Integers]
    heads: Integers
    tree: bool = True


@dataclass(frozen=True)
class Instance:
    """A :class:`SourceInstance` with its translation: ``target`` holds the subword ids of each sentence."""

    source: Sequence[Integers]
    target: Sequence[Integers]
    edus: Sequence[Integers]
    heads: Integers
    tree: bool = True


AnyInstance = SourceInstance | Instance
