"""Documents on disk during the import of a corpus: memory holds their ids, and one document at a time."""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from discourse_nmt.base.storage.files import naming
from discourse_nmt.corpus.documents import OF_PAIRS, Document, DocumentSide


@dataclass(frozen=True, slots=True)
class Entry:
    """Position and size of a document in the file, in bytes, and its number of sentence pairs."""

    doc_id: str
    start: int
    size: int
    sentences: int


class SpilledDocuments:
    """An ordered collection of documents in an unnamed file, which is gone when the process ends; read on access."""

    def __init__(self, file: IO[bytes], entries: list[Entry]) -> None:
        self._file = file
        self.entries = entries

    @classmethod
    def write(cls, documents: Iterable[Document], folder: str | Path | None = None) -> "SpilledDocuments":
        """Write each document to disk, in ``folder`` or in the folder for temporary files."""
        where = str(folder or tempfile.gettempdir())
        with naming(where):
            file = tempfile.TemporaryFile(dir=where)  # noqa: SIM115
        entries, start = list[Entry](), 0
        for document in documents:
            sides = [asdict(side) for side in (document.source, document.target)]
            more = (
                document.line,
                document.domain,
                document.gaps,
                *(getattr(document, name) for name in OF_PAIRS.values()),
            )
            line = json.dumps([document.doc_id, *sides, *more], ensure_ascii=False).encode()
            with naming(where):
                size = file.write(line)
            entries.append(Entry(document.doc_id, start, size, len(document)))
            start += size
        with naming(where):
            file.flush()
        return cls(file, entries)

    def of(self, entries: list[Entry]) -> "SpilledDocuments":
        """A subset of the documents, given by their entries."""
        return SpilledDocuments(self._file, entries)

    @property
    def sentences(self) -> int:
        """Sentence pairs in all documents."""
        return sum(entry.sentences for entry in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Document]:
        return map(self._read, self.entries)

    def __getitem__(self, index: int) -> Document:
        return self._read(self.entries[index])

    def _read(self, entry: Entry) -> Document:
        content = json.loads(os.pread(self._file.fileno(), entry.size, entry.start))
        doc_id, source, target, *more = content
        return Document(doc_id, DocumentSide(**source), DocumentSide(**target), *more)
