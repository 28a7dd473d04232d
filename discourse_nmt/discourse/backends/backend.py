"""The interface of every analyser of the workflow: its input and its output."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from discourse_nmt.discourse.settings import Side
from discourse_nmt.discourse.structures.rows import Row

Stage = Literal["syntax", "edus", "rst", "coreference", "themes"]


@dataclass(frozen=True)
class DocumentInput:
    """One side of a document with its tables of earlier stages.

    ``sentences`` are raw text. ``tables`` has the rows of this document by table name (``syntax``, ``edus``), for the
    tables in :func:`.needed_tables` of the backend; list columns are Python lists. ``speakers`` has who says each
    sentence, None where nobody is named; it is empty if the corpus names nobody in the document.
    """

    doc_id: str
    sentences: tuple[str, ...]
    tables: Mapping[str, list[Row]]
    speakers: tuple[str | None, ...] = ()


@dataclass(frozen=True)
class Context:
    """Origin of the documents: corpus, split, side and language."""

    corpus: str
    split: str
    side: Side
    language: str
    """ISO 639-1 code of that side."""


class Backend(Protocol):
    """An analyser of one stage.

    A module with backends has a function ``make(stage, settings, context) -> Backend``; ``settings`` is an instance of
    its class in :mod:`.discourse.settings`.
    """

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        """Rows of the stage's table (:mod:`.storage.tables`) for each document, in order, in text order.

        Raises :class:`.InputError` for a fault in the user's files or settings.
        """
        ...
