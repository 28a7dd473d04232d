"""Shards of a corpus: the shard of a document depends only on its id and on the number of shards.

Each stage has one job per file of shards. With many shards a file holds several, so that the number of jobs stays
small: otherwise a workflow has to check hundreds of thousands of inputs.
"""

from collections.abc import Iterable
from hashlib import blake2b
from itertools import pairwise
from typing import Protocol, TypeVar


class Named(Protocol):
    """Anything with the id of a document."""

    @property
    def doc_id(self) -> str:
        """Its id."""


AnyDocument = TypeVar("AnyDocument", bound=Named)


def stable_hash(doc_id: str, purpose: str) -> int:
    """A 64-bit hash of ``doc_id``, equal on every machine; hashes for different purposes are independent."""
    return int.from_bytes(blake2b(doc_id.encode(), digest_size=8, person=purpose.encode()).digest(), "big")


def shard_of(doc_id: str, count: int) -> int:
    """The shard of the document among ``count`` shards, from 0."""
    return stable_hash(doc_id, "shard") % count


def shards(documents: Iterable[AnyDocument], count: int) -> list[list[AnyDocument]]:
    """``documents`` divided into ``count`` shards, in order; a shard may be empty."""
    dealt: list[list[AnyDocument]] = [[] for _ in range(count)]
    for document in documents:
        dealt[shard_of(document.doc_id, count)].append(document)
    return dealt


TRAINING_FILES, OTHER_FILES = 16, 4  # of a split at most
SHARDS = 64  # of a file of train, where 16 files would have more: a job should not take days


def files_of(split: str, count: int) -> int:
    """The number of files of a split with ``count`` shards."""
    return min(count, max(TRAINING_FILES, count // SHARDS) if split == "train" else OTHER_FILES)


def in_files(dealt: list[list[AnyDocument]], split: str) -> list[list[list[AnyDocument]]]:
    """The shards of each file of a split, in order; files differ by at most one shard."""
    files = files_of(split, len(dealt))
    borders = [number * len(dealt) // files for number in range(files + 1)]
    return [dealt[start:end] for start, end in pairwise(borders)]
