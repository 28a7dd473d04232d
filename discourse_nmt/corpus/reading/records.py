"""Records of delimited text and of JSON lines, with named or numbered columns."""

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.reading.requests import ALIGNED, one_line

Column = str | int
PARAGRAPH_BREAK = re.compile(r"\n\s*\n(?=\s*\S)")


@dataclass(frozen=True)
class RowLayout:
    """The notation of rows."""

    json: bool
    header: bool
    delimiter: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Record:
    """A row: its file, 1-based line and fields as they are, and the position of each named column."""

    file: str
    line: int
    fields: list[str]
    positions: dict[str, int]

    @property
    def blank(self) -> bool:
        """Whether the row holds no text."""
        return not any(map(has_text, self.fields))

    def text(self, column: Column) -> str:
        """The field of a column, by name or 1-based number, on one line.

        Raises :class:`InputError` if there is no such column, and for a field of several paragraphs.
        """
        position = column - 1 if isinstance(column, int) else self.positions.get(column, -1)
        if not 0 <= position < len(self.fields):
            if self.blank:
                raise InputError("blank row", file=self.file, line=self.line, remedy="remove it")
            there = ", ".join(self.positions) or f"1 to {len(self.fields)}"
            only = self.fields[0] if len(self.fields) == 1 else ""
            divides = next((mark for mark in ("\t", ";", ",", "|") if mark in only), "")
            setting = f"delimiter: {json.dumps(divides)}" if divides else ""
            if divides == ",":
                setting = "layout: csv"
            if next(iter(self.positions), "").startswith("{"):
                setting = "layout: jsonl"
            raise InputError(
                f"no column {column}",
                file=self.file,
                line=self.line,
                remedy=f"columns are {there}: name one in the options" + (f", or set {setting}" if setting else ""),
            )
        text = self.fields[position]
        if paragraphs := len(PARAGRAPH_BREAK.findall(text)):
            message = f"column {column} holds a text of {paragraphs + 1} paragraphs, not a sentence"
            raise InputError(message, file=self.file, line=self.line, remedy=ALIGNED)
        return one_line(text)


def records(file: Source, layout: RowLayout) -> Iterator[Record]:
    """The rows of ``file``; raises :class:`InputError` for a broken row or one with a different number of fields.

    A row without text may have any number of fields: it divides documents.
    """
    if layout.json:
        yield from _json_records(file)
        return
    rows = _quoted(file, layout) if layout.quoted else _plain(file, layout)
    positions: dict[str, int] = {}
    width = 0
    for line, fields in rows:
        if not width:
            width = len(fields)
            if layout.header:
                positions = {name.strip(): position for position, name in enumerate(fields)}
                if len(positions) < width:
                    raise InputError("two columns have the same name", file=file.name, line=line)
                continue
        record = Record(file.name, line, fields, positions)
        if len(fields) != width and not record.blank:
            raise InputError(
                f"{len(fields)} columns, {width} in the first line",
                file=file.name,
                line=line,
                remedy="check the options delimiter and quoted, and this line",
            )
        yield record


def _plain(file: Source, layout: RowLayout) -> Iterator[tuple[int, list[str]]]:
    for line, text in enumerate(file.lines(), start=1):
        yield line, text.split(layout.delimiter)


def _quoted(file: Source, layout: RowLayout) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader((f"{text}\n" for text in file.lines()), delimiter=layout.delimiter, strict=True)
    line = 1
    try:
        for fields in reader:
            if reader.line_num > line:
                raise InputError(
                    "a field goes on to the next line",
                    file=file.name,
                    line=line,
                    remedy="write each row on one line; is a closing quote missing?",
                )
            yield line, fields
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"broken row ({error})", file=file.name, line=line, remedy="check its quotes") from None


def _json_records(file: Source) -> Iterator[Record]:
    for line, text in enumerate(file.lines(), start=1):
        if not has_text(text):
            yield Record(file.name, line, [], {})
            continue
        try:
            pairs = json.loads(text, object_pairs_hook=lambda pairs: pairs)
        except (ValueError, RecursionError) as error:
            reason = str(error).partition(":")[0]
            raise InputError(
                f"not JSON ({reason})", file=file.name, line=line, remedy="write one object a line"
            ) from None
        if not text.lstrip().startswith("{"):
            raise InputError("not a JSON object", file=file.name, line=line, remedy="write one object a line")
        # An object or a list is not a sentence, so that its key is not a column.
        positions = {key: position for position, (key, value) in enumerate(pairs) if not isinstance(value, list)}
        if len({key for key, _ in pairs}) < len(pairs):
            raise InputError("a key is there twice", file=file.name, line=line)
        yield Record(file.name, line, [_field(value) for _, value in pairs], positions)


def _field(value: object) -> str:
    """A string as it is, null as the empty string, numbers in JSON notation."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
