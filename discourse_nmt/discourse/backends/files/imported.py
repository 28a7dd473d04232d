"""The import backend: a user's annotation in files of any format in :mod:`.files.readings`.

A file belongs to one document (its pattern has ``{document}``) or, if the format allows it, to all documents.
"""

from collections.abc import Sequence
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.discourse.backends.backend import Context, DocumentInput, Stage
from discourse_nmt.discourse.backends.files.file_rows import rows_of
from discourse_nmt.discourse.backends.files.readings import OWN, RECORDS, Reading, document_in, reading_named
from discourse_nmt.discourse.backends.files.user_files import check_pattern, file_name, names_of, sources_of
from discourse_nmt.discourse.records.record import DocumentRecord, rows_by_document, table_rows
from discourse_nmt.discourse.settings import ImportSettings
from discourse_nmt.discourse.structures.rows import Row
from discourse_nmt.discourse.structures.trees import StructureError

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
            record = content.get(document.doc_id)
            if record is None and self._stage not in MAY_BE_EMPTY:
                raise InputError(f"holds no rows of document {document.doc_id}", file=source.name)
            if record is None:
                return []
            sentences = record.source if self._side == "source" else record.target
            if sentences and tuple(sentences) != document.sentences:
                remedy = "its places are characters of its sentences: write it from this corpus"
                raise InputError(f"document {document.doc_id} has other sentences", file=source.name, remedy=remedy)
            return list(table_rows([record], self._stage, self._side))
        annotation = document_in(content, document.doc_id, source.name, alone)
        try:
            return rows_of(self._stage, annotation, document, self._side)
        except StructureError as error:
            raise InputError(f"document {document.doc_id}: {error}", file=source.name, remedy=REMEDY) from None

    def _content(self, source: Source) -> Any:
        if self._reading.read is not None:
            return self._reading.read(source.text(), source.name)
        if self._reading is OWN[RECORDS]:
            return records_with(source, self._stage, self._side)
        if source.data is not None:
            raise InputError("a table is not read from an archive", file=source.name, remedy="unpack the archive")
        # Loaded only where it is needed: the checks of every start of the workflow make this backend.
        from discourse_nmt.base.storage.tables import read_table

        rows = rows_by_document(read_table(source.path, self._stage), self._side)
        return {name: DocumentRecord(name, (), (), {self._side: {self._stage: own}}) for name, own in rows.items()}


def records_with(source: Source, table: str, side: str) -> dict[str, DocumentRecord]:
    """The records of a file by document; one without the layer ``table`` is an :class:`InputError`."""
    from discourse_nmt.discourse.records.json_lines import read_records  # which loads Arrow

    records = {record.doc_id: record for record, _ in read_records(source)}
    for name, record in records.items():
        if table not in record.layers.get(side, {}):
            raise InputError(f"document {name} has no layer {table} of the {side}", file=source.name)
    return records


def make(stage: Stage, settings: ImportSettings, context: Context) -> ImportedFiles:
    """The backend for documents of ``context``; a wrong pattern or format is an :class:`InputError`."""
    return ImportedFiles(stage, settings, context)
