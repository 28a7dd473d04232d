"""Records as JSON lines, an object for each document; docs/reference/discourse-formats.md shows one.

``source`` and ``target`` are the texts of the document, a sentence on each line; ``sentences`` has the characters of
each sentence in both. Annotation lies under ``layers`` by side and table, in the columns of the tables; a layer is null
or absent where it was not made. Every object has the same keys with the same types, whatever the document.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any

import pyarrow as pa

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import TEXT_BYTES, Source
from discourse_nmt.base.storage.tables import TABLES
from discourse_nmt.discourse.records.record import IDENTITY, LAYERS, DocumentRecord
from discourse_nmt.discourse.structures.rows import Row
from discourse_nmt.text.settings import SIDES

ABOUT = ("corpus", "split", "source_language", "target_language", "licence")
REMEDY = "docs/reference/discourse-formats.md shows an object"


def columns(table: str) -> dict[str, pa.DataType]:
    """The columns of a layer and their types."""
    return {name: column.type for name, column in TABLES[table].items() if name not in IDENTITY}


def schema() -> pa.Schema:
    """The Arrow schema of the objects, which readers need where a layer is null in all documents."""
    span = pa.list_(pa.int32())
    layers = pa.struct([(table, pa.list_(pa.struct(list(columns(table).items())))) for table in LAYERS])
    return pa.schema(
        [
            ("id", pa.string()),
            *((name, pa.string()) for name in ABOUT),
            ("source", pa.string()),
            ("target", pa.string()),
            ("sentences", pa.list_(pa.struct([(side, span) for side in SIDES]))),
            ("layers", pa.struct([(side, layers) for side in SIDES])),
            ("word_alignment", pa.list_(pa.list_(span))),
        ]
    )


def json_line(record: DocumentRecord, about: Mapping[str, str | None]) -> str:
    """The object of a record without a line end; ``about`` has a value for each of :data:`ABOUT`."""
    texts = {"source": record.source, "target": record.target}
    spans = [_spans(sentences) for sentences in texts.values()]
    value = {
        "id": record.doc_id,
        **{name: about.get(name) for name in ABOUT},
        **{side: "\n".join(sentences) for side, sentences in texts.items()},
        "sentences": [dict(zip(texts, pair)) for pair in zip(*spans, strict=True)],
        "layers": {side: {table: _rows(record.layers.get(side, {}).get(table)) for table in LAYERS} for side in SIDES},
        "word_alignment": None if record.links is None else [[list(link) for link in links] for links in record.links],
    }
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _spans(sentences: Iterable[str]) -> list[list[int]]:
    """The characters of each sentence where they are joined by line ends."""
    starts = list(accumulate((len(sentence) + 1 for sentence in sentences), initial=0))
    return [[start, following - 1] for start, following in pairwise(starts)]


def _rows(rows: Iterable[Row] | None) -> list[Row] | None:
    return None if rows is None else list(rows)


def read_records(source: Source) -> Iterator[tuple[DocumentRecord, dict[str, str | None]]]:
    """Yield the records of a file with what is said about each; a broken object is an :class:`InputError`."""
    seen: dict[str, int] = {}
    for line, text in enumerate(source.lines(TEXT_BYTES), start=1):
        if not has_text(text):
            continue
        try:
            record, about = _record(json.loads(text))
        except (ValueError, RecursionError) as error:
            reason = str(error).partition(": line 1")[0]
            raise InputError(f"not a document ({reason})", file=source.name, line=line, remedy=REMEDY) from None
        if record.doc_id in seen:
            raise InputError(
                f"document {record.doc_id} is also on line {seen[record.doc_id]}", file=source.name, line=line
            )
        seen[record.doc_id] = line
        yield record, about


def _record(value: object) -> tuple[DocumentRecord, dict[str, str | None]]:
    """The record of an object; :class:`ValueError` with what is wrong."""
    if not isinstance(value, dict):
        raise ValueError("no object")
    name = _text(value, "id")
    spans = value.get("sentences")
    if not isinstance(spans, list) or not all(isinstance(span, dict) for span in spans):
        raise ValueError("sentences is no list of objects")
    texts = {side: [_cut(_text(value, side), span.get(side), side) for span in spans] for side in SIDES}
    layers = value.get("layers") or {}
    if not isinstance(layers, dict) or not all(isinstance(layers.get(side) or {}, dict) for side in SIDES):
        raise ValueError("layers is no object by side")
    read: dict[str, dict[str, list[Row]]] = {
        side: {
            table: _checked(rows, table, side, len(spans))
            for table, rows in (layers.get(side) or {}).items()
            if rows is not None
        }
        for side in SIDES
        if layers.get(side)
    }
    links = value.get("word_alignment")
    if links is not None and not _are_links(links, len(spans)):
        raise ValueError("word_alignment is no list of pairs of numbers for each sentence")
    about = {key: None if value.get(key) is None else _text(value, key) for key in ABOUT}
    pairs = None if links is None else [[(first, second) for first, second in sentence] for sentence in links]
    return DocumentRecord(name, texts["source"], texts["target"], read, pairs), about


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    if not isinstance(text, str):
        raise ValueError(f"{key} is no text")
    return text


def _cut(text: str, span: object, side: str) -> str:
    if (
        not isinstance(span, list)
        or len(span) != 2
        or not all(_is_number(place) for place in span)
        or not 0 <= span[0] <= span[1] <= len(text)
    ):
        raise ValueError(f"a sentence has the {side} {span!r}, which is no span of the text")
    return text[span[0] : span[1]]


def _checked(rows: object, table: str, side: str, sentences: int) -> list[Row]:
    if table not in LAYERS:
        raise ValueError(f"no layer {table}; there are {', '.join(LAYERS)}")
    if not isinstance(rows, list):
        raise ValueError(f"layer {table} of the {side} is no list")
    wanted = columns(table)
    for row in rows:
        if not isinstance(row, dict) or row.keys() != wanted.keys():
            raise ValueError(f"a row of {table} does not have the keys {', '.join(wanted)}")
        for name, kind in wanted.items():
            if not _fits(row[name], kind):
                raise ValueError(f"{name} of a row of {table} is {row[name]!r}")
        if not all(0 <= row[name] < sentences for name in ("sent_id", "from_sent", "to_sent") if name in row):
            raise ValueError(f"a row of {table} is of a sentence that the document does not have")
    return rows


def _fits(value: object, kind: pa.DataType) -> bool:
    if pa.types.is_list(kind):
        return isinstance(value, list) and all(_fits(each, kind.value_type) for each in value)
    return isinstance(value, str) if pa.types.is_string(kind) else _is_number(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _are_links(value: object, sentences: int) -> bool:
    return (
        isinstance(value, list)
        and len(value) == sentences
        and all(
            isinstance(links, list)
            and all(isinstance(link, list) and len(link) == 2 and all(map(_is_number, link)) for link in links)
            for links in value
        )
    )
