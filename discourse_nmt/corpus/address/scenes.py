"""Scenes of a corpus: the sentences among which a rule looks for what decides."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

Row = Mapping[Any, Any]
"""A row of a table ``sentences``, with None for nulls."""


def rows_of(sentences: "pd.DataFrame") -> list[Row]:
    """The rows of a table ``sentences``."""
    return list(sentences.astype(object).where(sentences.notna(), None).to_dict("records"))


def scenes(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows of each scene, in order; a document without scenes is one. Rows of a document stand together."""
    for _, document in groupby(rows, lambda row: row["doc_id"]):
        found: dict[int | None, list[Row]] = {}
        for row in document:
            found.setdefault(row["scene"], []).append(row)
        yield from found.values()


def pairs_of(rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Source and target of rows."""
    return [(row["source"], row["target"]) for row in rows]
