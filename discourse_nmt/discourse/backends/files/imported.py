"""The import backend: a user's annotation in files of any format in :mod:`.files.readings`.

A file belongs to one document (its pattern has ``{document}``) or, if the format allows it, to all documents.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.discourse.backends.backend import Context, DocumentInput, Stage
from discourse_nmt.discourse.backends.files.file_rows import rows_of
from discourse_nmt.discourse.backends.files.readings import OWN, RECORDS, Reading, document_in, reading_named
from discourse_nmt.discourse.backends.files.user_files import check_pattern, file_name, names_of, sources_of
from discourse_nmt.discourse.settings import ImportSettings
from discourse_nmt.discourse.structures.rows import Row
from discourse_nmt.discourse.structures.trees import StructureError

if TYPE_CHECKING:
    import pandas as pd

REMEDY = "the file must have the text of the corpus and no unit across its sentences; for rst, import edus from it too"
# Tables in which a document may have no rows.
MAY_BE_EMPTY = ("coreference", "themes")


class ImportedFiles:
    """The files of one pattern."""

    def __init__(self, stage: Stage, settings: ImportSettings, context: Context) -> None:
        self._stage = stage
        self._context = context
        self._pattern = settings.files
        reading = reading_named(stage, settings.format, settings.unattached)
        self._reader = FileReader(stage, reading, context.side)
        self._single = check_pattern(settings.files, stage, context)
        if not self._single and not reading.many:
            raise InputError(
                f"{stage}: a file of the format {settings.format} holds one document",
                file=settings.files,
                remedy="files needs the placeholder {document}",
            )

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        """Rows of the stage's table."""
        names = [
            file_name(self._pattern, names_of(self._stage, self._context, document.doc_id)) for document in documents
        ]
        sources = sources_of(names)
        return [self._reader.rows(sources[name], document, self._single) for name, document in zip(names, documents)]


class FileReader:
    """Reads files of one format as rows; a file of many documents is read once."""

    def __init__(self, stage: Stage, reading: Reading, side: str) -> None:
        self._stage = stage
        self._reading = reading
        self._side = side
        self._last: tuple[str, Any] = ("", None)

    def rows(self, source: Source, document: DocumentInput, alone: bool) -> list[Row]:
        """Rows of a document from its file; with ``alone``, the file holds only this document.

        Raises :class:`InputError` naming the file.
        """
        if self._last[0] != source.name:
            self._last = (source.name, self._content(source))
        content = self._last[1]
        if self._reading.read is None:
            if document.doc_id not in content.rows and self._stage not in MAY_BE_EMPTY:
                raise InputError(f"holds no rows of document {document.doc_id}", file=source.name)
            if content.sentences.get(document.doc_id, document.sentences) != document.sentences:
                remedy = "its places are characters of its sentences: write it from this corpus"
                raise InputError(f"document {document.doc_id} has other sentences", file=source.name, remedy=remedy)
            return list(content.rows.get(document.doc_id, ()))
        annotation = document_in(content, document.doc_id, source.name, alone)
        try:
            return rows_of(self._stage, annotation, document, self._side)
        except StructureError as error:
            raise InputError(f"document {document.doc_id}: {error}", file=source.name, remedy=REMEDY) from None

    def _content(self, source: Source) -> Any:
        if self._reading.read is not None:
            return self._reading.read(source.text(), source.name)
        if self._reading is OWN[RECORDS]:
            return rows_of_records(source, self._stage, self._side)
        if source.data is not None:
            raise InputError("a table is not read from an archive", file=source.name, remedy="unpack the archive")
        # Loaded only where it is needed: the checks of every start of the workflow make this backend.
        from discourse_nmt.base.storage.tables import read_table

        return OwnRows(rows_by_document(read_table(source.path, self._stage), self._side))


@dataclass(frozen=True)
class OwnRows:
    """The rows of each document in a table or in records, and its sentences where the file has them."""

    rows: dict[str, list[Row]]
    sentences: dict[str, tuple[str, ...]] = field(default_factory=dict)


def rows_of_records(source: Source, table: str, side: str) -> OwnRows:
    """The rows of a ``table`` in the records of a file; a record without that layer is an :class:`InputError`."""
    # Loaded only where they are needed, as they load Arrow.
    from discourse_nmt.discourse.records.json_lines import read_records
    from discourse_nmt.discourse.records.record import table_rows

    rows: dict[str, list[Row]] = {}
    sentences: dict[str, tuple[str, ...]] = {}
    for record, _ in read_records(source):
        if table not in record.layers.get(side, {}):
            raise InputError(f"document {record.doc_id} has no layer {table} of the {side}", file=source.name)
        sentences[record.doc_id] = tuple(record.source if side == "source" else record.target)
        rows[record.doc_id] = list(table_rows([record], table, side))
    return OwnRows(rows, sentences)


def rows_by_document(frame: "pd.DataFrame", side: str) -> dict[str, list[Row]]:
    """The rows of each document of a table, only those of ``side`` if the table has sides; arrays become lists."""
    if "side" in frame:
        frame = frame[frame["side"] == side]
    rows: dict[str, list[Row]] = {}
    for record in frame.to_dict("records"):
        row = {str(key): value.tolist() if isinstance(value, np.ndarray) else value for key, value in record.items()}
        rows.setdefault(row["doc_id"], []).append(row)
    return rows


def make(stage: Stage, settings: ImportSettings, context: Context) -> ImportedFiles:
    """The backend for documents of ``context``; a wrong pattern or format is an :class:`InputError`."""
    return ImportedFiles(stage, settings, context)
