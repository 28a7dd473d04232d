"""One stage on all documents of a shard: what the document store knows is reused, the rest is computed."""

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.progress import progress
from discourse_nmt.corpus.storage.store import DocumentStore
from discourse_nmt.corpus.storage.tables import schema
from discourse_nmt.discourse.backends.backend import Backend, DocumentInput, Side, Stage
from discourse_nmt.discourse.backends.checks import check_rows
from discourse_nmt.discourse.structures.rows import Row

WINDOW = 50_000  # characters of the documents that are analysed and kept at a time
Places = dict[str, tuple[int, int]]


def documents_of(sentences: pd.DataFrame, side: Side, tables: Mapping[str, pd.DataFrame]) -> Iterator[DocumentInput]:
    """The documents of a ``sentences`` table with the rows of earlier tables of that side.

    Raises :class:`InputError` for a table that is not about these documents, or that breaks what must hold for it.
    """
    documents = _places(sentences, "sentences")
    places = {name: _places(frame, name) for name, frame in tables.items()}
    for name, found in places.items():
        if strange := sorted(found.keys() - documents.keys()):
            raise InputError(f"table {name}: document {strange[0]} is not in the corpus", remedy="delete it, run again")
    for doc_id, (start, end) in documents.items():
        rows = {name: _rows(frame, *places[name].get(doc_id, (0, 0))) for name, frame in tables.items()}
        document = DocumentInput(doc_id, tuple(sentences[side].iloc[start:end].tolist()), rows)
        for stage in ("syntax", "edus"):
            if stage in rows:
                check_rows(stage, document, rows[stage])
        yield document


def _places(frame: pd.DataFrame, name: str) -> Places:
    """First row and row after the last one of each document."""
    names = frame["doc_id"].to_numpy(object)
    starts = [number for number, doc_id in enumerate(names) if number == 0 or doc_id != names[number - 1]]
    places = {names[start]: (start, end) for start, end in zip(starts, [*starts[1:], len(names)])}
    if len(places) != len(starts):
        raise InputError(f"table {name}: the rows of a document are not together", remedy="delete it, run again")
    return places


def _rows(frame: pd.DataFrame, start: int, end: int) -> list[Row]:
    """Some rows of a frame as dictionaries of Python values, lists included."""
    columns = {str(name): [_plain(value) for value in frame[name].iloc[start:end].tolist()] for name in frame}
    return [dict(zip(columns, values)) for values in zip(*columns.values())]


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def analyse_shard(
    stage: Stage,
    documents: Iterable[DocumentInput],
    total: int,
    backend: Backend,
    store: DocumentStore | None,
    version: str,
    window: int | None = WINDOW,
) -> pd.DataFrame:
    """The stage's table for ``documents``, of which there are ``total``.

    ``version`` stands for code, models and settings: a result in the ``store`` that was made with another one, or
    from another text or other earlier tables, is not used. ``window`` is the number of characters analysed at a time;
    None analyses all at once.
    """
    table = schema(stage)
    pieces = [table.empty_table()]
    counts = {"reused": 0, "computed": 0}
    done = _analysed(stage, documents, backend, store, version, window, counts)
    for rows in progress(done, stage, "documents", total):
        pieces.append(pa.Table.from_pylist(rows, schema=table))
    logging.info("%s: reused %d, computed %d", stage, counts["reused"], counts["computed"])
    frame: pd.DataFrame = pa.concat_tables(pieces).to_pandas()
    return frame


def _analysed(
    stage: Stage,
    documents: Iterable[DocumentInput],
    backend: Backend,
    store: DocumentStore | None,
    version: str,
    window: int | None,
    counts: dict[str, int],
) -> Iterator[list[Row]]:
    """Rows of each document, in order."""
    for group in _windows(documents, window):
        keys = [key_of(document, version) for document in group]
        results = {key: rows for key in keys if store is not None and (rows := store.get(key)) is not None}
        missing = [(key, document) for key, document in zip(keys, group) if key not in results]
        computed: dict[str, list[Row]] = {}
        if missing:
            found = backend.analyse([document for _, document in missing])
            for (key, document), rows in zip(missing, found, strict=True):
                check_rows(stage, document, rows)
                computed[key] = rows
        if store is not None and computed:
            store.put(computed)
        counts["reused"] += len(results)
        counts["computed"] += len(missing)
        results |= computed
        yield from (results[key] for key in keys)


def _windows(documents: Iterable[DocumentInput], size: int | None) -> Iterator[list[DocumentInput]]:
    """Consecutive documents, together of about ``size`` characters; all of them for None."""
    group: list[DocumentInput] = []
    characters = 0
    for document in documents:
        group.append(document)
        characters += sum(map(len, document.sentences))
        if size is not None and characters >= size:
            yield group
            group, characters = [], 0
    if group:
        yield group


def key_of(document: DocumentInput, version: str) -> str:
    """What a document's result depends on, as one hash: its name and text, its earlier tables, the ``version``."""
    parts = [version, document.doc_id, document.sentences, document.tables]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
