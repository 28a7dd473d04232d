"""Recognition of a corpus's format from its files."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice, pairwise
from typing import Any

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.languages import suggested
from discourse_nmt.base.sources import Source, expand, uncompressed
from discourse_nmt.corpus.readers import FORMATS, html_pages
from discourse_nmt.corpus.readers.table import layout_of
from discourse_nmt.corpus.reading.foreign import check_known
from discourse_nmt.corpus.reading.html_blocks import PAGES, blocks_of_page
from discourse_nmt.corpus.reading.json_text import objects, objects_in
from discourse_nmt.corpus.reading.records import PARAGRAPH_BREAK, Record, RowLayout, records
from discourse_nmt.new_configuration.headers import names_columns, roles_of
from discourse_nmt.new_configuration.languages import are_exchanged

HEAD = 20_000  # lines in which marks and boundaries are looked for
MARK = re.compile(r"<[A-Za-z]+>")
REPEATED_IDS, REPEATED_TEXT = 0.3, 0.05  # shares of lines like the one before: more in ids, fewer in text
FIRST_LINES = 50  # lines from which a separator of columns is told
SOURCE_COLUMNS = ("source", "src")
TARGET_COLUMNS = ("target", "tgt", "reference", "translation")
DOCUMENT_COLUMNS = ("doc_id", "document", "document_id", "docid", "doc", "title")
DELIMITERS = ("\t", ",", ";", "|")
LANGUAGE = re.compile(r"[a-z]{2}")
WMT_DOCUMENT = {"doc_id", "src_lang", "tgt_lang", "src_text"}
WMT_PARAGRAPH = {"lp", "document_id", "source", "target"}
HEADER = (
    "if it names the columns, call them source, target and doc_id, or by the codes of their languages; if it is text, "
    "write the configuration by hand with header: false"
)
BOUNDARIES = (
    "put a line <d> before each document of both files, or an empty line between documents, or give a third file with "
    "the document id of each line; docs/how-to/corpora.md shows all formats"
)


@dataclass(frozen=True)
class Recognised:
    """A format with its options, the files by role, what it was recognised by, and the languages that columns name."""

    format: str
    options: dict[str, Any]
    roles: dict[str, list[str]]
    sign: str
    languages: tuple[str, str] | None = field(default=None)


def recognise(patterns: Sequence[str]) -> Recognised:
    """The format of one file with both sides, of a source and a target file, or of these and one of document ids.

    Raises :class:`InputError` for files that cannot be read, and for those without boundaries of documents.
    """
    sources = [expand(pattern) for pattern in patterns]
    for source in (source for matched in sources for source in matched):
        check_known(source.name, accepted=FORMATS["tmx"].endings)
        if set("{}") & set(str(source.path)):
            raise InputError("Snakemake takes braces for wildcards", file=source.path, remedy="rename it")
    if len(patterns) == 1:
        return _of_one(patterns[0], sources[0][0])
    if len(patterns) == 3:
        _check_ids(patterns, [matched[0] for matched in sources])
        roles = dict(zip(("source", "target", "documents"), ([pattern] for pattern in patterns)))
        return Recognised("document_ids", {}, roles, "a third file with the document id of each line")
    roles = {"source": [patterns[0]], "target": [patterns[1]]}
    return _of_two(roles, sources[0][0], sources[1][0], all("*" in pattern for pattern in patterns))


def turned(recognised: Recognised, given: tuple[str | None, str | None]) -> Recognised:
    """With source and target exchanged, if columns are named by languages and the ``given`` ones are in this order."""
    told, options = recognised.languages, recognised.options
    if told is None or not {"source", "target"} <= options.keys() or not are_exchanged(given, told):
        return recognised
    columns = {"source": options["target"], "target": options["source"]}
    return replace(recognised, options={**options, **columns}, languages=(told[1], told[0]))


def _check_ids(patterns: Sequence[str], sources: Sequence[Source]) -> None:
    """Raise :class:`InputError` where the third file seems to be text, and another one to be the document ids."""
    repeated = [_repeated(source) for source in sources]
    ids = max(range(3), key=lambda place: repeated[place])
    if repeated[ids] > REPEATED_IDS and repeated[2] < REPEATED_TEXT:
        source, target = (pattern for place, pattern in enumerate(patterns) if place != ids)
        message = f"seems to hold the document ids, and {patterns[2]} text"
        raise InputError(message, file=patterns[ids], remedy=f"give the files as {source} {target} {patterns[ids]}")


def _repeated(source: Source) -> float:
    """The share of lines with text that are like the one before."""
    lines = [line.strip() for line in islice(source.lines(), HEAD) if has_text(line)]
    return sum(before == after for before, after in pairwise(lines)) / max(1, len(lines))


def _of_one(pattern: str, source: Source) -> Recognised:
    name = uncompressed(source.filename)
    roles = {"files": [pattern]}
    if name.endswith(".po"):
        return Recognised("gettext", {}, roles, "a gettext catalogue")
    if name.endswith(".xml"):
        return Recognised("wmt_xml", {}, roles, "an XML test set")
    if name.endswith(".json"):
        return Recognised("dialogues", {}, roles, "JSON of dialogues")
    if name.endswith(FORMATS["tmx"].endings):
        return Recognised("tmx", {}, roles, "a translation memory")
    if name.endswith(".parquet"):
        return Recognised("documents", {}, roles, "rows of DocHPLT")
    if name.endswith((".jsonl", ".ndjson")) and (texts := _of_texts(source, roles)):
        return texts
    if name.endswith(".tsv") and _names_files(source):
        return Recognised("documents", {}, roles, "paths of texts and of their translations")
    return _table(source, roles)


def _of_texts(source: Source, roles: dict[str, list[str]]) -> Recognised | None:
    """The format of objects with texts of documents; None for those with sentences."""
    _, first = next(objects(source, "write one object a line"), (0, {}))
    if first.keys() >= WMT_DOCUMENT or first.keys() >= WMT_PARAGRAPH:
        pair = first.get("lp", f"{first.get('src_lang')}-{first.get('tgt_lang')}")
        codes = [suggested(re.split("[-_]", tag)[0]) for tag in str(pair).split("-", 1)]
        languages = (codes[0], codes[1]) if len(codes) == 2 and codes[0] and codes[1] else None
        return Recognised("wmt_jsonl", {}, roles, "a test set of WMT", languages)
    lists = any("src" in one for value in first.values() for one in objects_in(value)[:1])
    if lists or any(isinstance(value, str) and PARAGRAPH_BREAK.search(value) for value in first.values()):
        return Recognised("documents", {}, roles, "rows of DocHPLT" if lists else "a text of each side in an object")
    return None


def _names_files(source: Source) -> bool:
    """Whether the first line names two files, relative to this one."""
    paths = next(source.lines(), "").split("\t")
    return len(paths) == 2 and all((source.path.parent / path.strip()).is_file() for path in paths)


def _table(source: Source, roles: dict[str, list[str]]) -> Recognised:
    layout = layout_of(source)
    delimiter = "\t" if layout == "jsonl" else _delimiter(source, layout)
    layout = "csv" if layout == "tsv" and delimiter != "\t" else layout
    quoted = layout == "csv"

    def head(header: bool) -> list[Record]:
        return list(islice(records(source, RowLayout(layout == "jsonl", header, delimiter, quoted)), HEAD))

    rows = head(False)
    names = [] if not rows else list(rows[0].positions) if layout == "jsonl" else rows[0].fields
    if len(names) < 2:
        remedy = "separate columns by tabs, or name two files"
        raise InputError("no table with two columns", file=source.name, remedy=remedy)
    chosen: dict[str, Any] = {} if layout == layout_of(source) else {"layout": layout}
    chosen |= {"delimiter": delimiter} if layout == "csv" and delimiter != "," else {}
    columns, languages = _named([name.strip() for name in names])
    if columns:
        rows = head(True)
    elif layout == "jsonl":
        remedy = "name the keys source, target and doc_id, or write the configuration by hand"
        raise InputError(f"keys are {', '.join(names)}", file=source.name, line=1, remedy=remedy)
    elif names_columns(names, [row.fields for row in rows[1:] if not row.blank]):
        raise InputError(f"the first row is {', '.join(names)[:80]}", file=source.name, line=1, remedy=HEADER)
    else:
        chosen["header"] = False
        columns = _counted(rows)
    document = columns.pop("document", None)
    chosen |= {side: column for side, column in columns.items() if column != side}
    sign = f"a table ({layout})"
    if document is not None:
        ids = [row.text(document).strip() for row in rows if not row.blank]
        begins = Counter(after for before, after in pairwise(chain([""], ids)) if before != after)
        chosen |= {} if document == "doc_id" else {"document": document}
        chosen |= {"documents": "runs"} if max(begins.values(), default=1) > 1 else {}
    elif any(row.blank for row in rows):
        chosen["documents"] = "blank_lines"
    else:
        remedy = "add a column doc_id with the document of each row, or an empty row between documents"
        raise InputError("no column of document ids", file=source.name, remedy=remedy)
    return Recognised("table", chosen, roles, sign, languages)


def _delimiter(source: Source, layout: str) -> str:
    """The separator that divides each of the first lines into as many columns, if only another than the usual one."""
    lines = [line for line in islice(source.lines(), FIRST_LINES) if has_text(line)]
    usual = "," if layout == "csv" else "\t"
    for delimiter in (usual, *(other for other in DELIMITERS if other != usual)):
        counts = {_width(line, delimiter, quoted=layout == "csv" or delimiter != "\t") for line in lines}
        if len(counts) == 1 and min(counts) > 1:
            return delimiter
    return usual


def _width(line: str, delimiter: str, *, quoted: bool) -> int:
    """The number of columns; 0 for a line that is too long for quoted columns."""
    try:
        return len(next(csv.reader([line], delimiter=delimiter)) if quoted else line.split(delimiter))
    except csv.Error:
        return 0


def _named(names: Sequence[str]) -> tuple[dict[str, Any], tuple[str, str] | None]:
    """The columns by role where the first row names them, or two languages, and these languages; else none."""
    lower = {name.lower(): name for name in names}

    def first(candidates: Iterable[str]) -> str | None:
        return next((lower[name] for name in candidates if name in lower), None)

    source, target = first(SOURCE_COLUMNS), first(TARGET_COLUMNS)
    codes = [name for name in names if LANGUAGE.fullmatch(name.lower()) and name.lower() != "id"]
    if (source is None or target is None) and len(codes) == 2:
        source, target = codes
    document = first(DOCUMENT_COLUMNS)
    if source is None or target is None:
        columns, languages = roles_of([name for name in names if name != document])
        return ({"document": document} if columns and document else {}) | columns, languages
    languages = (source.lower(), target.lower()) if [source, target] == codes else None
    return {"source": source, "target": target} | ({} if document is None else {"document": document}), languages


def _counted(rows: Sequence[Record]) -> dict[str, int]:
    """The columns of a table without header: the two with the longest texts, and one that repeats from row to row."""
    full = [row.fields for row in rows if not row.blank]
    width = min(map(len, full), default=0)
    lengths = [sum(len(fields[column]) for fields in full) for column in range(width)]
    source, target = sorted(sorted(range(width), key=lambda column: -lengths[column])[:2])
    runs = {
        column: 1 + sum(before[column] != after[column] for before, after in pairwise(full))
        for column in range(width)
        if column not in (source, target)
    }
    repeating = [column for column, number in runs.items() if 1 < number < 0.7 * len(full)]
    columns = {"source": source + 1, "target": target + 1}
    return columns | ({"document": max(repeating, key=lambda column: runs[column]) + 1} if repeating else {})


def _of_two(roles: dict[str, list[str]], source: Source, target: Source, wildcards: bool) -> Recognised:
    name = uncompressed(source.filename)
    if name.endswith(PAGES):
        if any(block.key for block in blocks_of_page(source, "", html_pages.Options().blocks, [])):
            return Recognised("html_pages", {}, roles, "HTML pages")
        return Recognised("documents", {}, roles, "HTML pages whose blocks have no ids")
    if wildcards and sum(1 for _ in source.lines()) != sum(1 for _ in target.lines()):
        return Recognised("documents", {}, roles, "two files for each document, with different numbers of lines")
    if wildcards:
        return Recognised("file_pairs", {}, roles, "two files for each document")
    if name.endswith((".sgm", ".sgml")):
        return Recognised("wmt_sgm", {}, roles, "SGML test sets")
    if name.startswith("train.tags.") or name.endswith(".xml"):
        return Recognised("iwslt", {}, roles, "files of IWSLT")
    head = [
        tuple(line.strip() if has_text(line) else "" for line in pair)
        for pair in islice(zip(source.lines(), target.lines()), HEAD)
    ]
    marks = Counter(left for left, right in head if left == right and MARK.fullmatch(left))
    if head and head[0][0] in marks:
        mark = head[0][0]
        options = {} if mark == "<d>" else {"document_marks": [mark]}
        others = sorted(set(marks) - {mark})
        options |= {"skip_marks": others} if others else {}
        return Recognised("marked", options, roles, f"lines {mark} before documents")
    if any(left == right == "" for left, right in head[1:-1]):
        return Recognised("blank_lines", {}, roles, "empty lines between documents")
    raise InputError(f"no boundary of documents in the first {len(head):,} lines", file=source.name, remedy=BOUNDARIES)
