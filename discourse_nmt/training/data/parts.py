"""Parts of a split that separate jobs translate or score, with results equal to those of one job.

A split is first divided into stretches: whole documents in order, until they have :data:`SENTENCES` sentences. Batches
are made within a stretch, so that no batch depends on the number of jobs. A part is some consecutive stretches.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.shard_files import read_shards, write_shards

if TYPE_CHECKING:
    import pandas as pd  # long to import, and not used by every command that reads files

SENTENCES = 10_000  # of a stretch at least; a larger one sorts sentences by length hardly better
Stretch = TypeVar("Stretch")
OfRows = TypeVar("OfRows", covariant=True)


class JobPart(NamedTuple):
    """The part ``number``, from 0, of ``total`` parts."""

    number: int
    total: int

    @classmethod
    def named(cls, name: str) -> "JobPart":
        """The part of a name such as ``0/4``, the first of four; raises :class:`InputError` for another text."""
        found = re.fullmatch(r"(\d+)/(\d+)", name)
        if found is None or not int(found[1]) < int(found[2]):
            raise InputError(f"no part {name}", remedy="give NUMBER/COUNT with a number from 0 to COUNT - 1")
        return cls(int(found[1]), int(found[2]))

    def of(self, stretches: Sequence[Stretch]) -> Sequence[Stretch]:
        """The consecutive ``stretches`` of this part; none where there are fewer stretches than parts."""
        first, last = (place * len(stretches) // self.total for place in (self.number, self.number + 1))
        return stretches[first:last]


def stretches_of(documents: np.ndarray, sentences: int = SENTENCES) -> list[tuple[int, int]]:
    """First and one past the last row of each stretch.

    ``documents`` (int64 ``[documents + 1]``) holds the first row of each document and, last, the number of rows.
    """
    borders = [0]
    while borders[-1] < documents[-1]:
        document = int(np.searchsorted(documents, borders[-1] + sentences))
        borders.append(int(documents[min(document, len(documents) - 1)]))
    return list(pairwise(borders))


class ByRows(Protocol[OfRows]):
    """Structures, see :class:`.Structures`."""

    def __getitem__(self, rows: slice) -> OfRows:
        """Those of the rows ``start … stop - 1``."""
        ...


class StructuresFrom(Generic[OfRows]):
    """Structures as a stretch reads them, whose rows are counted from its first row ``start``."""

    def __init__(self, structures: ByRows[OfRows], start: int) -> None:
        self.structures, self.start = structures, start

    def __getitem__(self, rows: slice) -> OfRows:
        """Those of the rows ``start … stop - 1`` of the stretch."""
        return self.structures[rows.start + self.start : rows.stop + self.start]


def join_parts(paths: Iterable[str], output: str, name: str) -> None:
    """Write the tables ``name`` of all parts, in order, as one; the file is that of an undivided job."""

    def frames() -> Iterator["pd.DataFrame"]:
        for path in paths:
            yield from read_shards(path, name)

    write_shards(frames(), output, name)
