"""Annotated sentences that the joint network learns from, and how a treebank is chosen and divided."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# Genres of GUM whose texts may be used for any purpose; not so essay, fiction, letter, podcast, reddit, whow.
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

    ``heads`` are word numbers from 0, -1 for the root. ``features`` is the FEATS column as written (``_`` for none).
    ``edu_starts`` tells whether the word begins an elementary discourse unit; ``xpos``, ``features`` and
    ``edu_starts`` are None where the treebank has none or follows other guidelines, and then teach nothing.
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
    """Genre of a document, which is the second part of its name (``GUM_news_iodine``, ``gcdt_bio_chao``); ``other``
    where the name has fewer than three parts."""
    parts = document.split("_")
    return parts[1] if len(parts) > 2 else "other"


def fold_of(document: str, folds: int) -> int:
    """Fold of a document: a stable hash of its name, so that adding documents moves no other."""
    return int.from_bytes(hashlib.sha256(document.encode()).digest()[:8], "big") % folds


def without_fold(examples: Iterable[Example], folds: int, fold: int) -> tuple[list[Example], list[Example]]:
    """Examples to train on, and those of the held-out ``fold``; whole documents, ``fold`` from 0 to ``folds - 1``."""
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
