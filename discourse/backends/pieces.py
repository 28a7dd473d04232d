"""Documents cut into pieces that are parsed by themselves, so that the tree of each piece is complete."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import pandas as pd

from corpus.errors import InputError
from discourse.backends.backend import DocumentInput

NUMBERS = {"syntax": ("sent_id",), "edus": ("sent_id", "edu_id")}


class Pieces:
    """The pieces of ``documents``, which begin at the sentences ``starts`` (by document id, the first being 0).

    A piece is a document called ``<document>/<first sentence>`` whose sentences and units are counted from 0.
    """

    def __init__(self, documents: Iterable[DocumentInput], starts: Mapping[str, Sequence[int]]) -> None:
        self._documents, self._starts = documents, starts
        self._firsts: dict[str, int] = {}
        """The first unit of each piece so far, counted over its document."""

    def __iter__(self) -> Iterator[DocumentInput]:
        for document in self._documents:
            if document.doc_id not in self._starts:
                raise InputError(f"document {document.doc_id} is not in the dataset", remedy="make the dataset again")
            reached = 0
            for start, stop in pairwise([*self._starts[document.doc_id], len(document.sentences)]):
                piece = _piece(document, start, stop, reached)
                self._firsts[piece.doc_id] = reached
                reached += len(piece.tables["edus"])
                yield piece

    def joined(self, dependencies: pd.DataFrame) -> pd.DataFrame:
        """The table ``rst_dependencies`` of the documents from that of all pieces: every piece has a root."""
        shift = dependencies["doc_id"].map(self._firsts).astype("int64")
        return dependencies.assign(
            doc_id=dependencies["doc_id"].str.replace(r"/\d+$", "", regex=True),
            edu_id=dependencies["edu_id"] + shift,
            head=dependencies["head"].where(dependencies["head"] < 0, dependencies["head"] + shift),
        )


def _piece(document: DocumentInput, start: int, stop: int, first: int) -> DocumentInput:
    """The sentences ``start … stop - 1`` with their rows of earlier tables; ``first`` is their first unit."""
    shifts = {"sent_id": start, "edu_id": first}
    tables = {
        name: [
            row | {column: row[column] - shifts[column] for column in NUMBERS[name]}
            for row in rows
            if start <= row["sent_id"] < stop
        ]
        for name, rows in document.tables.items()
    }
    return DocumentInput(f"{document.doc_id}/{start}", document.sentences[start:stop], tables)
