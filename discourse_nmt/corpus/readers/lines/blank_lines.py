"""Line-aligned text with blank lines between documents, on the same lines of both sides."""

from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.reading.requests import Request, aligned_lines

LONGEST_FILE_OF_ONE = 2000  # lines of a file that may be a single document


@dataclass(frozen=True)
class Options:
    """The format has no options."""


def read(request: Request, options: Options) -> Iterator[Document]:
    """The documents of each file pair; an id is the split's name and a running number.

    A line without visible text ends a document; at the end of a file it begins no new one. Raises
    :class:`InputError` for a long file without a blank line: as one document it would be silently wrong.
    """
    number = 0
    for files in request.aligned_files("source", "target"):
        document: Document | None = None
        first = number + 1
        for line, (source, target) in aligned_lines(files):
            if has_text(source) != has_text(target):
                blank, text = (0, 1) if has_text(target) else (1, 0)
                raise InputError(
                    f"blank here, but text in {files[text].name}",
                    file=files[blank].name,
                    line=line,
                    remedy="blank lines part documents and must stand at the same lines of both sides",
                )
            if document is None:
                number += 1
                document = Document.start(f"{request.split}-{number}", files[0].name, files[1].name, line)
            if has_text(source):
                document.add(source, target, line)
            else:
                yield document
                document = None
        if document is not None:
            if number == first and len(document) > LONGEST_FILE_OF_ONE:
                raise InputError(
                    f"{len(document):,} lines without a blank line, which would be one document",
                    file=files[0].name,
                    remedy="put blank lines between documents; or use the format file_pairs for one document per file, "
                    "document_ids for ids beside the text",
                )
            yield document
