"""Stable pieces of a corpus: a document's shard depends on its id and the number of shards, and on nothing
else.
"""

from collections.abc import Iterable
from hashlib import blake2b

from corpus.documents import Document


def stable_hash(doc_id: str, purpose: str) -> int:
    """A 64-bit hash of ``doc_id`` that is the same on every machine; hashes for different purposes are
    independent.
    """
    return int.from_bytes(blake2b(doc_id.encode(), digest_size=8, person=purpose.encode()).digest(), "big")


def shard_of(doc_id: str, count: int) -> int:
    """The shard, from 0, of ``count`` shards that the document belongs to."""
    return stable_hash(doc_id, "shard") % count


def shards(documents: Iterable[Document], count: int) -> list[list[Document]]:
    """``documents`` dealt to ``count`` shards, in their order; a shard may be empty."""
    dealt: list[list[Document]] = [[] for _ in range(count)]
    for document in documents:
        dealt[shard_of(document.doc_id, count)].append(document)
    return dealt
