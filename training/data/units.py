"""What one training example is: a sentence, 16 sentences (a paragraph), a document, or an instance of under 512 tokens.

Units are runs of consecutive rows of a dataset within one document. A unit's size on a side is the number of
its subwords plus two for each sentence, for ``<s>`` and ``</s>`` (overview, section 4).
"""

from dataclasses import dataclass

import numpy as np

from discourse_nmt.corpus.spans import ranges
from discourse_nmt.training.data.dataset import ParallelDataset

PARAGRAPH_SENTENCES = 16
INSTANCE_TOKENS = 512


@dataclass(frozen=True)
class Units:
    """Unit ``u`` covers the rows ``starts[u] … stops[u] - 1``; both int64 ``[units]``, in document order."""

    starts: np.ndarray
    stops: np.ndarray

    def __len__(self) -> int:
        return len(self.starts)

    def rows(self, chosen: np.ndarray) -> np.ndarray:
        """The rows of the ``chosen`` units one after the other, int64 ``[rows]``."""
        return ranges(self.starts[chosen], self.stops[chosen])

    def select(self, keep: np.ndarray) -> "Units":
        """The units for which the boolean array ``keep`` is true."""
        return Units(self.starts[keep], self.stops[keep])


def whole_documents(documents: np.ndarray) -> Units:
    """Every document."""
    return Units(documents[:-1], documents[1:])


def sentences(documents: np.ndarray) -> Units:
    """Every sentence by itself."""
    starts = np.arange(documents[-1])
    return Units(starts, starts + 1)


def paragraphs(documents: np.ndarray, size: int = PARAGRAPH_SENTENCES) -> Units:
    """Runs of ``size`` sentences; the last one of a document is shorter where its length demands it."""
    counts = -(-np.diff(documents) // size)
    first = np.repeat(documents[:-1], counts)
    starts = first + size * (np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts))
    return Units(starts, np.minimum(starts + size, np.repeat(documents[1:], counts)))


def instances(documents: np.ndarray, costs: np.ndarray, limit: int = INSTANCE_TOKENS) -> Units:
    """Greedy packing: a sentence joins the instance before it while their total cost stays below ``limit``.

    ``costs`` (int64 ``[rows]``) is the size of each sentence on its longer side. A sentence that reaches the
    limit alone is an instance by itself.
    """
    total = np.concatenate([[0], np.cumsum(costs)])
    starts = []
    for first, end in zip(documents[:-1].tolist(), documents[1:].tolist()):
        while first < end:
            starts.append(first)
            beyond = int(np.searchsorted(total, total[first] + limit)) - 1
            first = min(max(beyond, first + 1), end)
    begin = np.array(starts, dtype=np.int64)
    return Units(begin, np.append(begin[1:], documents[-1])[: len(begin)])


def first_sentences(dataset: ParallelDataset, units: Units) -> dict[str, list[int]]:
    """The number of the first sentence of each of the ``units`` of each document, by document id."""
    numbers: dict[str, list[int]] = {}
    sentences_of_units = dataset.table["sent_id"].take(units.starts).to_pylist()
    for start, number in zip(units.starts.tolist(), sentences_of_units):
        numbers.setdefault(dataset.document(start), []).append(number)
    return numbers


def sides_of(dataset: ParallelDataset, units: Units) -> np.ndarray:
    """Size of each unit on the source and the target side, int64 ``[2, units]``."""
    marks = 2 * (units.stops - units.starts)
    both = (dataset.source.offsets, dataset.target.offsets)
    return np.stack([offsets[units.stops] - offsets[units.starts] + marks for offsets in both])


def units_of(dataset: ParallelDataset, unit: str, room: int | None = None) -> Units:
    """The units of a dataset for a system whose ``unit`` is sentence, paragraph, document or instance.

    With ``room`` a document is cut where a part reaches so many tokens; the other units have limits of their own.
    """
    if unit == "sentence":
        return sentences(dataset.documents)
    if unit == "paragraph":
        return paragraphs(dataset.documents)
    if unit == "document" and room is None:
        return whole_documents(dataset.documents)
    costs = np.maximum(dataset.source.lengths, dataset.target.lengths) + 2
    if unit == "document" and room is not None:
        return instances(dataset.documents, costs, room + 1)
    if unit == "instance":
        return instances(dataset.documents, costs)
    raise ValueError(f"no unit {unit}")
