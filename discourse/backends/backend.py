"""What every analyser of the workflow is given and gives back, whoever wrote it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from discourse_nmt.discourse.settings import Side
from discourse_nmt.discourse.structures.rows import Row

Stage = Literal["syntax", "edus", "rst", "coreference", "themes"]


@dataclass(frozen=True)
class DocumentInput:
    """One side of a document and what earlier stages said about it.

    ``sentences`` are raw text. ``tables`` holds the rows of this document's earlier tables by table name
    (``syntax``, ``edus``), those that the backend asks for in :func:`.needed_tables`;
    list columns are Python lists.
    """

    doc_id: str
    sentences: tuple[str, ...]
    tables: Mapping[str, list[Row]]


@dataclass(frozen=True)
class Context:
    """Where the documents come from."""

    corpus: str
    split: str
    side: Side
    language: str
    """ISO 639-1 code of that side."""


class Backend(Protocol):
    """An analyser of one stage.

    A module that offers backends has ``make(stage, settings, context) -> Backend``; ``settings`` is an instance of
    its class in :mod:`.discourse.settings`.
    """

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        """Rows of the stage's table (:mod:`.storage.tables`) for each document, in order, in text order.

        Raises :class:`.InputError` for a fault in what a user gave.
        """
        ...
