"""Line-aligned text with the document id of each line in a third file."""

from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.reading.requests import Request, aligned_lines


@dataclass(frozen=True)
class Options:
    """The format has no options."""


def read(request: Request, options: Options) -> Iterator[Document]:
    """One document per run of lines with equal ids."""
    for files in request.aligned_files("source", "target", "documents"):
        document: Document | None = None
        for line, (source, target, raw) in aligned_lines(files):
            doc_id = raw.strip()
            if document is None or doc_id != document.doc_id:
                if document is not None:
                    yield document
                document = Document.start(doc_id, files[2].name, files[2].name, line)
                document.source.file, document.target.file = files[0].name, files[1].name
            document.add(source, target, line)
        if document is not None:
            yield document
