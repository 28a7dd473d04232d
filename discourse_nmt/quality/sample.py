"""A sample of a corpus: passages of consecutive sentences, so that what is measured costs the same for every corpus."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, takewhile

from discourse_nmt.base.shards import stable_hash

MOST_SENTENCES = 2_000
PASSAGE = 20  # consecutive sentences of a document at most: enough to tell their language


@dataclass(frozen=True, order=True)
class Excerpt:
    """Consecutive sentence pairs of one document; of all passages, those with the largest places are in the sample."""

    place: int
    source: Sequence[str] = field(compare=False)
    target: Sequence[str] = field(compare=False)

    def of(self, side: str) -> Sequence[str]:
        """The sentences of ``source`` or ``target``."""
        return self.source if side == "source" else self.target


class Sample:
    """Passages of all documents, 2,000 sentences at most, chosen by stable hashes: their order does not matter."""

    def __init__(self) -> None:
        self._kept: list[Excerpt] = []  # a heap, the smallest place first

    def add(self, doc_id: str, source: Sequence[str], target: Sequence[str]) -> None:
        """Offer the passages of a document."""
        for start in range(0, len(source), PASSAGE):
            place = stable_hash(f"{start} {doc_id}", "passage")
            if len(self._kept) < MOST_SENTENCES or place > self._kept[0].place:
                end = start + PASSAGE
                passage = Excerpt(place, source[start:end], target[start:end])
                offer = heapq.heappush if len(self._kept) < MOST_SENTENCES else heapq.heappushpop
                offer(self._kept, passage)

    def passages(self) -> list[Excerpt]:
        """The sample."""
        chosen = sorted(self._kept, reverse=True)
        totals = accumulate(len(passage.source) for passage in chosen)
        count = len(list(takewhile(lambda total: total <= MOST_SENTENCES, totals)))
        return chosen[:count]
