"""Documents cut into pieces that are parsed separately, so that each piece has a complete tree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.backends.backend import DocumentInput

NUMBERED_COLUMNS = {"syntax": ("sent_id",), "edus": ("sent_id", "edu_id")}
# Columns of rst and rst_dependencies that number units and nodes; -1 stands for none.
OF_UNITS = ("edu_id", "head", "first_edu", "last_edu")
OF_NODES = ("node_id", "parent")


class Pieces:
    """The pieces of ``documents``, which begin at the sentences ``starts`` (by document id; the first start is 0).

    A piece is a document with the id ``<document>/<first sentence>``; its sentences and units are numbered from 0.
    """

    def __init__(self, documents: Iterable[DocumentInput], starts: Mapping[str, Sequence[int]]) -> None:
        self._documents, self._starts = documents, starts
        self._firsts: dict[str, int] = {}
        """The index in its document of the first unit of each piece so far."""

    def __iter__(self) -> Iterator[DocumentInput]:
        for document in self._documents:
            if document.doc_id not in self._starts:
                raise InputError(f"document {document.doc_id} is not in the dataset", remedy="make the dataset again")
            units_before = 0
            for start, stop in pairwise([*self._starts[document.doc_id], len(document.sentences)]):
                piece = _piece(document, start, stop, units_before)
                self._firsts[piece.doc_id] = units_before
                units_before += len(piece.tables["edus"])
                yield piece

    def joined(self, table: pd.DataFrame) -> pd.DataFrame:
        """The table ``rst`` or ``rst_dependencies`` of the documents, from that of all pieces; every piece has a root.

        Units and nodes are renumbered over the document; :func:`.trees_of` reads such a table ``rst``.
        """
        pieces = table["doc_id"]
        documents = pieces.str.replace(r"/\d+$", "", regex=True)
        units_before = pieces.map(self._firsts).astype("int64")
        nodes_before = table.groupby(documents).cumcount() - table.groupby(pieces).cumcount()
        shifts = dict.fromkeys(OF_UNITS, units_before) | dict.fromkeys(OF_NODES, nodes_before)
        columns = {
            name: table[name].where(table[name] < 0, table[name] + shifts[name]) for name in shifts if name in table
        }
        return table.assign(doc_id=documents, **columns)


def _piece(document: DocumentInput, start: int, stop: int, first: int) -> DocumentInput:
    """The piece of the sentences ``start … stop - 1`` with their rows of earlier tables, from the unit ``first`` on."""
    shifts = {"sent_id": start, "edu_id": first}
    tables = {
        name: [
            row | {column: row[column] - shifts[column] for column in NUMBERED_COLUMNS[name]}
            for row in rows
            if start <= row["sent_id"] < stop
        ]
        for name, rows in document.tables.items()
    }
    return DocumentInput(f"{document.doc_id}/{start}", document.sentences[start:stop], tables)
