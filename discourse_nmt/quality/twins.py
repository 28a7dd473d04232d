"""Documents that share half of their sentences with another document."""

from collections.abc import Iterable, Mapping

import numpy as np

from discourse_nmt.corpus.importing.near_duplicates import Tokens, near_duplicates

HALF = 0.5
"""Jaccard index of the sets of distinct sentences; case, digits and punctuation do not count."""
Hashes = Mapping[str, Tokens]
"""By the id of a document, what :func:`.sentence_hashes` gives for its source."""


def near_train(splits: Mapping[str, Hashes], train: Iterable[tuple[str, Tokens]]) -> dict[str, int]:
    """By split, the number of its documents with a near-duplicate in ``train``.

    Of train, memory holds only documents that share half of their sentences with the splits: others cannot be alike.
    """
    tokens = [document for documents in splits.values() for document in documents.values()]
    known = np.unique(np.concatenate(tokens)) if tokens else np.array([], dtype=np.uint64)
    near = {
        doc_id: document
        for doc_id, document in train
        if len(document) and np.isin(document, known, assume_unique=True).sum() >= HALF * len(document)
    }
    alike = near_duplicates(
        {**near, **{doc: tokens for split in splits.values() for doc, tokens in split.items()}}, HALF
    )
    linked = alike.linked_to(set(near))
    return {name: len(linked & documents.keys()) for name, documents in splits.items()}


def share_alike(documents: Hashes) -> tuple[float, float]:
    """Percentages: documents with a near-duplicate, and distinct sentences of documents that another one has, too."""
    alike = {doc_id for pair in near_duplicates(documents, HALF).links() for doc_id in pair}
    counts = np.unique(np.concatenate(list(documents.values())), return_counts=True)[1]
    return 100 * len(alike) / len(documents), 100 * counts[counts > 1].sum() / max(1, counts.sum())
