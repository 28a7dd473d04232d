"""Tables with one row per sentence pair: tab-separated, quoted CSV, or one JSON object per line (JSONL).

Columns are named by the header (or the JSON key), or counted from 1. The two sides may be in two tables; their rows
are then matched by document and by the column ``key``, or by their position in the document.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, groupby
from pathlib import Path
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source, uncompressed
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.reading.records import Column, Record, RowLayout, records
from discourse_nmt.corpus.reading.requests import Request

Layout = Literal["tsv", "csv", "jsonl"]
LAYOUT_OF_ENDING: dict[str, Layout] = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


@dataclass(frozen=True)
class Options:
    """The notation of rows, the columns, and the division of rows into documents."""

    layout: Layout | None = setting(
        None, "layout of the files; null for that of a file's ending: csv, jsonl (or ndjson), and tsv for all others"
    )
    header: bool = setting(True, "the first line names the columns (tsv, csv)")
    delimiter: str | None = setting(None, "separator of columns; null for a tab in tsv, a comma in csv")
    quoted: bool | None = setting(None, "fields may be in double quotes; null for false in tsv, true in csv")
    source: Column = setting("source", "column of the source sentence, by name or counted from 1")
    target: Column = setting("target", "column of the target sentence, by name or counted from 1")
    document: Column = setting("doc_id", "column of the document id; documents: runs: of the title")
    documents: Literal["ids", "runs", "blank_lines"] = setting(
        "ids", "rows of a document: of one id, of a run of equal titles, or between blank rows"
    )
    direction: Column | None = setting(None, "column of the direction of translation; null for none")
    forward: list[str] | None = setting(
        None, "directions of rows that are kept as they are; null for the source language"
    )
    reversed: list[str] | None = setting(
        None, "directions of rows whose sides are swapped; null for the target language"
    )
    key: Column | None = setting(None, "with two tables: column of the row number in the document")
    unpaired: Literal["error", "drop"] = setting(
        "error", "with two tables: treatment of a row without a partner: an error, or drop it (counted)"
    )


def read(request: Request, options: Options) -> Iterator[Document]:
    """The documents of each table, or of each pair of tables, in file order."""
    if "files" not in request.sources:
        for source, target in request.aligned_files("source", "target"):
            yield from _joined(source, target, options, request.drops)
        return
    numbers, titles = count(1), Counter[str]()
    for file in request.sources["files"]:
        turned = _direction(options, request, file)
        rows = records(file, _row_layout(options, file))
        for title, group in _runs(rows, options):
            if options.documents == "blank_lines":
                doc_id = f"{request.split}-{next(numbers)}"
            else:
                titles[title] += 1
                repeated = options.documents == "runs" and titles[title] > 1
                doc_id = f"{title}-{titles[title]}" if repeated else title
            document = Document.start(doc_id, file.name, file.name)
            for record in group:
                document.line = document.line or record.line
                if not (options.documents == "blank_lines" and record.blank):
                    left, right = record.text(options.source), record.text(options.target)
                    if turned(record):
                        left, right = right, left
                    document.add(left, right, record.line)
            yield document


def _runs(rows: Iterator[Record], options: Options) -> Iterator[tuple[str, Iterator[Record]]]:
    """The rows of each document; a blank row belongs to the document that it ends."""
    if options.documents != "blank_lines":
        yield from groupby(rows, lambda record: record.text(options.document).strip())
        return
    document = 0

    def document_of(record: Record) -> str:
        nonlocal document
        current = str(document)
        document += record.blank
        return current

    yield from groupby(rows, document_of)


def layout_of(file: Source) -> Layout:
    """The layout of a table by the ending of its file, which may be compressed."""
    return LAYOUT_OF_ENDING.get(Path(uncompressed(file.filename)).suffix, "tsv")


def _row_layout(options: Options, file: Source) -> RowLayout:
    layout = options.layout or layout_of(file)
    quoted = layout == "csv" if options.quoted is None else options.quoted
    delimiter = options.delimiter or ("," if layout == "csv" else "\t")
    if quoted and (len(delimiter) > 1 or delimiter in '"\r\n'):
        raise InputError(
            f"options.delimiter is {delimiter!r}", remedy="between quoted fields it is one character and no quote"
        )
    return RowLayout(layout == "jsonl", options.header, delimiter, quoted)


def _direction(options: Options, request: Request, file: Source) -> Callable[[Record], bool]:
    column = options.direction
    if column is None:
        return lambda record: False
    forward = options.forward if options.forward is not None else [request.source_language]
    backward = options.reversed if options.reversed is not None else [request.target_language]

    def turned(record: Record) -> bool:
        value = record.text(column)
        if value not in forward and value not in backward:
            known = ", ".join([*forward, *backward])
            raise InputError(
                f"direction {value[:40]!r} is none of {known}",
                file=file.name,
                line=record.line,
                remedy="name all values in the options forward and reversed",
            )
        return value in backward

    return turned


def _joined(source: Source, target: Source, options: Options, drops: list[Drop]) -> Iterator[Document]:
    left = _rows(source, options, options.source)
    right = _rows(target, options, options.target)
    for doc_id in [*left, *(doc_id for doc_id in right if doc_id not in left)]:
        originals, translations = left.get(doc_id, {}), right.get(doc_id, {})
        document = Document.start(doc_id, source.name, target.name)
        for key in [*originals, *(key for key in translations if key not in originals)]:
            if key in originals and key in translations:
                (text, line), (translation, target_line) = originals[key], translations[key]
                document.add(text, translation, line, target_line)
                document.line = document.line or line
                continue
            file, other, (text, line) = (
                (source, target, originals[key]) if key in originals else (target, source, translations[key])
            )
            if options.unpaired == "error" or options.key is None:
                raise InputError(
                    f"row {key} of document {doc_id} has no partner in {other.name}",
                    file=file.name,
                    line=line,
                    remedy="correct the tables" + ("" if options.key is None else " or set unpaired: drop"),
                )
            drops.append(Drop(doc_id, line, "unpaired", text))
        if len(document):
            yield document


def _rows(file: Source, options: Options, column: Column) -> dict[str, dict[str, tuple[str, int]]]:
    documents: dict[str, dict[str, tuple[str, int]]] = {}
    last = None
    for record in records(file, _row_layout(options, file)):
        doc_id = record.text(options.document).strip()
        if doc_id != last and doc_id in documents:
            raise InputError(
                f"document {doc_id} begins again", file=file.name, line=record.line, remedy="sort the table"
            )
        last = doc_id
        rows = documents.setdefault(doc_id, {})
        key = str(len(rows) + 1) if options.key is None else record.text(options.key).strip()
        if key in rows:
            raise InputError(f"second row {key} of document {doc_id}", file=file.name, line=record.line)
        rows[key] = (record.text(column), record.line)
    return documents
