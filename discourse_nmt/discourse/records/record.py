"""A document with its annotation, from the tables that stages exchange and back."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discourse_nmt.discourse.structures.rows import Row

if TYPE_CHECKING:
    import pandas as pd

LAYERS = ("tokens", "syntax", "edus", "rst", "rst_dependencies", "coreference", "themes", "document_graph")
"""The tables of annotation that a record may hold; one row of a table belongs to one document."""
TWO_SIDED = ("tokens", "syntax")  # tables that hold both sides
IDENTITY = ("doc_id", "side")
"""Columns that rows of a record lack, as they are the same for all rows of a layer."""
Link = tuple[int, int]
"""A source word and the target word that it is linked with: places in the rows of the layer ``tokens``, from 0."""


@dataclass(frozen=True)
class DocumentRecord:
    """A document; offsets and numbers are those of the tables in :mod:`.base.storage.tables`."""

    doc_id: str
    source: Sequence[str]
    """Its sentences."""
    target: Sequence[str]
    """A translation of each; empty where there is none."""
    layers: Mapping[str, Mapping[str, Sequence[Row]]] = field(default_factory=dict)
    """By side and table; rows lack the columns :data:`IDENTITY`. A table that is absent was not made; one without rows
    is empty."""
    links: Sequence[Sequence[Link]] | None = None
    """Word alignment of each sentence; None if it was not made."""

    def layer(self, table: str, side: str = "source") -> Sequence[Row]:
        """The rows of a table; none if it was not made."""
        return self.layers.get(side, {}).get(table, ())


def records(sentences: "pd.DataFrame", tables: Mapping[str, Mapping[str, "pd.DataFrame"]]) -> Iterator[DocumentRecord]:
    """Yield the documents of a table ``sentences`` in its order, with their rows of ``tables`` by side and name."""
    rows = {
        side: {table: rows_by_document(frame, side) for table, frame in named.items()} for side, named in tables.items()
    }
    for name, of_document in sentences.groupby("doc_id", sort=False, observed=True):
        layers = {
            side: {table: by_document.get(str(name), []) for table, by_document in named.items()}
            for side, named in rows.items()
        }
        yield DocumentRecord(str(name), of_document["source"].tolist(), of_document["target"].tolist(), layers)


def rows_by_document(frame: "pd.DataFrame", side: str) -> dict[str, list[Row]]:
    """The rows of each document as a record has them; only those of ``side`` if the table has sides."""
    if "side" in frame:
        frame = frame[frame["side"] == side].drop(columns="side")
    names = frame["doc_id"].astype(str).tolist()
    columns = {
        str(name): [value.tolist() if isinstance(value, np.ndarray) else value for value in column.tolist()]
        for name, column in frame.drop(columns="doc_id").items()
    }
    rows: dict[str, list[Row]] = {}
    for name, values in zip(names, zip(*columns.values())):
        rows.setdefault(name, []).append(dict(zip(columns, values)))
    return rows


def table_rows(documents: Iterable[DocumentRecord], table: str, side: str = "source") -> Iterator[Row]:
    """Yield the rows of a ``table`` of records, as they stand in the table; ``sentences`` is one of them."""
    for record in documents:
        if table == "sentences":
            for number, (source, target) in enumerate(zip(record.source, record.target, strict=True)):
                yield {"doc_id": record.doc_id, "sent_id": number, "source": source, "target": target}
            continue
        identity = {"doc_id": record.doc_id, **({"side": side} if table in TWO_SIDED else {})}
        for row in record.layer(table, side):
            yield {**identity, **row}
