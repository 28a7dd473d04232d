"""Annotated sentences for the training of the joint network, and their selection and division into folds."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Genres of GUM with texts for any purpose; essay, fiction, letter, podcast, reddit and whow are restricted.
FREE_GENRES = (
    "academic",
    "bio",
    "conversation",
    "court",
    "interview",
    "news",
    "speech",
    "textbook",
    "vlog",
    "voyage",
)


@dataclass(frozen=True)
class Example:
    """One annotated sentence; every tuple has one entry per word.

    ``heads`` are word indices from 0, -1 for the root. ``features`` is the FEATS column as written (``_`` for none).
    ``edu_starts`` is true for words that begin an elementary discourse unit. ``xpos``, ``features`` and ``edu_starts``
    are None if the treebank lacks them or follows other guidelines; they then have no loss.
    """

    document: str
    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...] | None
    features: tuple[str, ...] | None
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    edu_starts: tuple[bool, ...] | None
    treebank: str


def genre_of(document: str) -> str:
    """Genre of a document: the second of three or more parts of its name (``GUM_news_iodine``), else ``other``."""
    parts = document.split("_")
    return parts[1] if len(parts) > 2 else "other"


def hash_of(document: str) -> int:
    """A stable hash of a document's name."""
    return int.from_bytes(hashlib.sha256(document.encode()).digest()[:8], "big")


def fold_of(document: str, folds: int) -> int:
    """Fold of a document: a stable hash of its name, so that new documents do not move others."""
    return hash_of(document) % folds


def without_fold(examples: Iterable[Example], folds: int, fold: int) -> tuple[list[Example], list[Example]]:
    """Examples for training, and those of the held-out ``fold`` (0 to ``folds - 1``); documents stay whole."""
    kept: list[Example] = []
    held: list[Example] = []
    for example in examples:
        (held if fold_of(example.document, folds) == fold else kept).append(example)
    return kept, held


def words_of(examples: Sequence[Example]) -> int:
    """Number of words."""
    return sum(len(example.forms) for example in examples)


def by_document(examples: Iterable[Example]) -> dict[str, list[Example]]:
    """Examples grouped by their document, in order."""
    documents: dict[str, list[Example]] = {}
    for example in examples:
        documents.setdefault(example.document, []).append(example)
    return documents
