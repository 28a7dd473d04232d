"""Documents that share most of their sentences, so that a test document has no near-duplicate among those of training.

Two documents are near-duplicates if the Jaccard index of their sets of source sentences is at least a threshold. Case,
digits and punctuation do not count. The result is exact: a pair that reaches the threshold shares a sentence among the
rarest of each (prefix filtering: Chaudhuri, Ganti and Kaushik 2006; Bayardo, Ma and Srikant 2007), and only such pairs
are compared. Memory holds 8 bytes for each distinct sentence of a document, and the candidates.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

Tokens = np.ndarray
"""Distinct hashes of a document's sentences."""
IGNORED = re.compile(r"[\W\d_]+")


def sentence_hashes(sentences: Iterable[str]) -> Tokens:
    """The distinct 64-bit hashes of sentences without case, digits and punctuation, ascending."""
    texts = {IGNORED.sub(" ", sentence).strip().casefold() for sentence in sentences} - {""}
    hashes = [int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") for text in texts]
    return np.unique(np.array(hashes, dtype=np.uint64))


@dataclass(frozen=True)
class NearDuplicates:
    """Which documents are alike, by their ids. Of equal documents, the first stands for all."""

    representative: dict[str, str]
    """For each document the first one that is equal to it: itself, if none stands before it."""
    pairs: list[tuple[str, str]]
    """The near-duplicates among those first ones, in order."""

    def linked_to(self, doc_ids: set[str]) -> set[str]:
        """The documents that are equal to one of ``doc_ids`` or its near-duplicates; ``doc_ids`` included."""
        given = {self.representative[doc_id] for doc_id in doc_ids}
        near = {doc_id for pair in self.pairs for doc_id in pair if given.intersection(pair)}
        return {doc_id for doc_id, representative in self.representative.items() if representative in given | near}

    def links(self) -> list[tuple[str, str]]:
        """Pairs of ids that lead from every document to all that are alike."""
        equal = [(first, doc_id) for doc_id, first in self.representative.items() if first != doc_id]
        return equal + self.pairs


def near_duplicates(documents: Mapping[str, Tokens], threshold: float) -> NearDuplicates:
    """The equal documents and the near-duplicates; ``documents`` are the results of :func:`sentence_hashes` by id.

    Documents without sentences have no duplicates.
    """
    first_of: dict[bytes, str] = {}
    representative = {
        doc_id: first_of.setdefault(tokens.tobytes(), doc_id) if len(tokens) else doc_id
        for doc_id, tokens in documents.items()
    }
    distinct = list(first_of.values())
    candidates = _candidates([documents[doc_id] for doc_id in distinct], threshold)
    pairs = [(distinct[one], distinct[other]) for one, other in sorted(candidates)]
    reached = [pair for pair in pairs if _jaccard(documents[pair[0]], documents[pair[1]]) >= threshold]
    return NearDuplicates(representative, reached)


def _candidates(documents: Sequence[Tokens], threshold: float) -> Iterator[tuple[int, int]]:
    """The pairs that may reach the threshold: they share a token among the rarest of each, and sizes allow it."""
    if not documents:
        return
    tokens, counts = np.unique(np.concatenate(documents), return_counts=True)
    holders: dict[int, list[int]] = defaultdict(list)
    seen: set[tuple[int, int]] = set()
    for position in sorted(range(len(documents)), key=lambda position: len(documents[position])):
        document = documents[position]
        size = len(document)
        order = np.lexsort((document, counts[np.searchsorted(tokens, document)]))
        for token in document[order[: size - math.ceil(threshold * size) + 1]].tolist():
            for other in holders[token]:
                pair = (min(position, other), max(position, other))
                if pair not in seen and len(documents[other]) >= threshold * size:
                    seen.add(pair)
                    yield pair
            holders[token].append(position)


def _jaccard(one: Tokens, other: Tokens) -> float:
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / (len(one) + len(other) - shared)
