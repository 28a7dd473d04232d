"""Units that a system reads at a time: a sentence, a paragraph (16 sentences), a document, an instance (512 tokens).

A unit is a run of consecutive rows of a dataset within one document. Its size on a side is the number of its
subwords plus two for each sentence, for ``<s>`` and ``</s>`` (overview, section 4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from discourse_nmt.base.spans import ranges
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

    def asked(self, asked: np.ndarray | None) -> tuple["Units", list[np.ndarray] | None]:
        """The units with a row that is ``asked`` for, bool [rows], and for each of them whether each of its rows is.

        None asks for all.
        """
        if asked is None:
            return self, None
        before = np.concatenate(([0], np.cumsum(asked)))
        chosen = self.select(before[self.stops] > before[self.starts])
        return chosen, [asked[start:stop] for start, stop in zip(chosen.starts, chosen.stops)]


def whole_documents(documents: np.ndarray) -> Units:
    """One unit per document."""
    return Units(documents[:-1], documents[1:])


def sentences(documents: np.ndarray) -> Units:
    """One unit per sentence."""
    starts = np.arange(documents[-1])
    return Units(starts, starts + 1)


def paragraphs(documents: np.ndarray, size: int = PARAGRAPH_SENTENCES) -> Units:
    """Runs of ``size`` sentences; the last one of a document may be shorter."""
    return runs(whole_documents(documents), size)


def runs(units: Units, size: int) -> Units:
    """The ``units`` cut into runs of ``size`` sentences; the last one of a unit may be shorter."""
    counts = -(-(units.stops - units.starts) // size)
    first = np.repeat(units.starts, counts)
    starts = first + size * (np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts))
    return Units(starts, np.minimum(starts + size, np.repeat(units.stops, counts)))


def drawn_runs(units: Units, sizes: Sequence[int], seed: int) -> Units:
    """The ``units``, each cut into runs of one of ``sizes`` sentences, which is drawn; 0 cuts nothing.

    The first run ends at a drawn place, so that any two neighbours may be parted.
    """
    generator = np.random.default_rng(seed)
    borders: list[tuple[int, int]] = []
    for start, stop in zip(units.starts.tolist(), units.stops.tolist()):
        size = sizes[int(generator.integers(len(sizes)))]
        first = start + 1 + int(generator.integers(size)) if size else stop
        borders += pairwise([start, *range(first, stop, size or 1), stop])
    return Units(*np.array(borders, np.int64).T)


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
    """By document id: the sentence number of the first sentence of each of the document's ``units``."""
    firsts: dict[str, list[int]] = {}
    sentence_numbers = dataset.table["sent_id"].take(units.starts).to_pylist()
    for start, number in zip(units.starts.tolist(), sentence_numbers):
        firsts.setdefault(dataset.document(start), []).append(number)
    return firsts


def sides_of(dataset: ParallelDataset, units: Units) -> np.ndarray:
    """Size of each unit on the source and the target side, int64 ``[2, units]``."""
    marks = 2 * (units.stops - units.starts)
    offsets_of_sides = (dataset.source.offsets, dataset.target.offsets)
    return np.stack([offsets[units.stops] - offsets[units.starts] + marks for offsets in offsets_of_sides])


def units_of(dataset: ParallelDataset, unit: str, largest_document: int | None = None) -> Units:
    """The units of a dataset for a system whose ``unit`` is sentence, paragraph, document or instance.

    Instances are cut by the source side alone, or by the larger side of each pair: the dataset says which. Documents of
    more than ``largest_document`` tokens are cut into parts of at most as many; other units are not cut.
    """
    if unit == "sentence":
        return sentences(dataset.documents)
    if unit == "paragraph":
        return paragraphs(dataset.documents)
    if unit == "document" and largest_document is None:
        return whole_documents(dataset.documents)
    larger_side = np.maximum(dataset.source.lengths, dataset.target.lengths)
    if unit == "document" and largest_document is not None:
        return instances(dataset.documents, larger_side + 2, largest_document + 1)
    if unit == "instance":
        return instances(dataset.documents, (dataset.source.lengths if dataset.cut_by == "source" else larger_side) + 2)
    raise ValueError(f"no unit {unit}")
