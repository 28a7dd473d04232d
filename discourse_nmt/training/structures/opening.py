"""Structures that systems read beside their dataset, and how the files that hold them are opened.

Each kind has a reader of its own, found by name, so that a change of one kind re-trains no system that reads another.
"""

from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

from discourse_nmt.base.errors import InputError
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.kinds import STRUCTURES, loaded

T_co = TypeVar("T_co", covariant=True)


class Structures(Protocol[T_co]):
    """What a system reads beside the rows of a dataset."""

    def __getitem__(self, rows: slice) -> T_co:
        """What the rows ``start … stop - 1`` have: those of a unit that the system reads, all of one document."""
        ...


@runtime_checkable
class WithDraft(Protocol):
    """Structures of a draft of the target, with its subwords; they need not be in the target of the dataset."""

    largest_draft_id: int


def open_structure(
    kind: str, path: Path | None, dataset: ParallelDataset, target_symbols: int | None = None
) -> Structures[object] | None:
    """The structures in a file of this kind; None for a system that reads none, or where there is no file.

    A kind that the dataset itself holds needs no file. ``target_symbols`` is the size of the target's vocabulary.
    Raises :class:`.InputError` where the file is another one or damaged, or has a subword outside the vocabulary.
    """
    declared = STRUCTURES[kind]
    if not declared.reader or (declared.tables and path is None):
        return None
    structures: Structures[object] = loaded(declared.reader)(path, dataset)
    largest = structures.largest_draft_id if isinstance(structures, WithDraft) else -1
    if target_symbols is not None and largest >= target_symbols:
        raise InputError(
            f"subword {largest} is outside the target vocabulary of {target_symbols} symbols",
            file=path,
            remedy="delete it and run again",
        )
    return structures
