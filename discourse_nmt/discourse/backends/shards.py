"""One stage on all documents of a shard: results in the document store are reused, the others computed.

The stages of an analysis are chained by the workflow, one job per stage and file of shards, through tables on disk;
:mod:`.discourse.pipeline` says how this differs from the analysis of raw text.
"""

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import progress
from discourse_nmt.base.storage.store import DocumentStore
from discourse_nmt.base.storage.tables import schema
from discourse_nmt.discourse.backends.backend import Backend, DocumentInput, Side, Stage
from discourse_nmt.discourse.backends.checks import check_rows
from discourse_nmt.discourse.failures import results_or_errors, told
from discourse_nmt.discourse.structures.rows import Row

WINDOW = 50_000  # characters of the documents that are analysed and stored at a time
REMEDY = "report it; until then leave these documents out, or choose another backend"
RowRanges = dict[str, tuple[int, int]]


def documents_of(sentences: pd.DataFrame, side: Side, tables: Mapping[str, pd.DataFrame]) -> Iterator[DocumentInput]:
    """The documents of a ``sentences`` table with their rows of earlier tables of that side.

    Raises :class:`InputError` for a table of other documents or with invalid rows.
    """
    documents = _row_ranges(sentences, "sentences")
    ranges = {name: _row_ranges(frame, name) for name, frame in tables.items()}
    for name, table_ranges in ranges.items():
        if unknown := sorted(table_ranges.keys() - documents.keys()):
            raise InputError(f"table {name}: document {unknown[0]} is not in the corpus", remedy="delete it, run again")
    for doc_id, (start, end) in documents.items():
        rows = {name: _rows(frame, *ranges[name].get(doc_id, (0, 0))) for name, frame in tables.items()}
        speakers = _speakers(sentences.iloc[start:end])
        document = DocumentInput(doc_id, tuple(sentences[side].iloc[start:end].tolist()), rows, speakers)
        for stage in ("syntax", "edus"):
            if stage in rows:
                check_rows(stage, document, rows[stage])
        yield document


def _speakers(sentences: pd.DataFrame) -> tuple[str | None, ...]:
    """Who says each sentence of a document; empty if nobody is named."""
    if "speaker" not in sentences or sentences["speaker"].isna().all():
        return ()
    return tuple(name if isinstance(name, str) else None for name in sentences["speaker"].tolist())


def _row_ranges(frame: pd.DataFrame, name: str) -> RowRanges:
    """First row of each document, and the row after its last one."""
    doc_ids = frame["doc_id"].to_numpy(object)
    starts = [index for index, doc_id in enumerate(doc_ids) if index == 0 or doc_id != doc_ids[index - 1]]
    ranges = {doc_ids[start]: (start, end) for start, end in zip(starts, [*starts[1:], len(doc_ids)])}
    if len(ranges) != len(starts):
        raise InputError(f"table {name}: the rows of a document are not together", remedy="delete it, run again")
    return ranges


def _rows(frame: pd.DataFrame, start: int, end: int) -> list[Row]:
    """The rows ``start … end - 1`` of a frame as dictionaries of Python values; arrays become lists."""
    columns = {str(name): [_plain(value) for value in frame[name].iloc[start:end].tolist()] for name in frame}
    return [dict(zip(columns, values)) for values in zip(*columns.values())]


def _plain(value: object) -> Any:
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
    """The stage's table of ``total`` ``documents``.

    ``version`` stands for code, models and settings. A result in the ``store`` is used only if its version, text and
    earlier tables are the same. ``window`` is the number of characters analysed at a time; None analyses all at once.
    A warning tells of documents that all have no row. Raises :class:`InputError` that names the documents on which the
    backend fails, after the others are in the store.
    """
    table = schema(stage)
    document_tables = [table.empty_table()]
    counts = {"reused": 0, "computed": 0}
    failed: list[str] = []
    done = _analysed(stage, documents, backend, store, version, window, counts, failed)
    for rows in progress(done, stage, "documents", total):
        document_tables.append(pa.Table.from_pylist(rows, schema=table))
    logging.info("%s: reused %d, computed %d", stage, counts["reused"], counts["computed"])
    if failed:
        raise InputError(f"{stage} fails on {len(failed)} of {total} documents: {'; '.join(failed)}", remedy=REMEDY)
    if total and not any(map(len, document_tables)):
        logging.warning("%s: the backend finds nothing in any of the %d documents of a shard", stage, total)
    frame: pd.DataFrame = pa.concat_tables(document_tables).to_pandas()
    return frame


def _analysed(
    stage: Stage,
    documents: Iterable[DocumentInput],
    backend: Backend,
    store: DocumentStore | None,
    version: str,
    window: int | None,
    counts: dict[str, int],
    failed: list[str],
) -> Iterator[list[Row]]:
    """Rows of each document, in order; of a document on which the backend fails ``failed`` tells, and it has none."""
    for group in _windows(documents, window):
        keys = [key_of(document, version) for document in group]
        results = {key: rows for key in keys if store is not None and (rows := store.get(key)) is not None}
        missing = [(key, document) for key, document in zip(keys, group) if key not in results]
        computed: dict[str, list[Row]] = {}
        analyses = results_or_errors(backend.analyse, [document for _, document in missing]) if missing else []
        for (key, document), rows in zip(missing, analyses, strict=True):
            if isinstance(rows, Exception):
                failed.append(f"{document.doc_id} ({told(rows)})")
                continue
            check_rows(stage, document, rows)
            computed[key] = rows
        if store is not None and computed:
            store.put(computed)
        counts["reused"] += len(results)
        counts["computed"] += len(computed)
        results |= computed
        yield from (results.get(key, []) for key in keys)


def _windows(documents: Iterable[DocumentInput], size: int | None) -> Iterator[list[DocumentInput]]:
    """Groups of consecutive documents with about ``size`` characters each; None gives one group."""
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
    """A hash of everything that a document's result depends on: id, text, tables, speakers, and the ``version``."""
    inputs = [version, document.doc_id, document.sentences, document.tables, *document.speakers]
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()
