"""Line-aligned text in which a line with a mark begins a document, on the same lines of both sides.

This is the format of Maruf et al. (2019), with ``<d>``, and of the conversations of Maruf et al. (2018), with ``<chp>``
or ``<d>`` for documents, ``<sp>`` for speaker turns, and ``<en>`` or ``<2en>`` before lines of English origin.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.reading.requests import Request, aligned_lines


@dataclass(frozen=True)
class Options:
    """Marks and prefixes that are not text."""

    document_marks: list[str] = setting(["<d>"], "lines that open a document")
    skip_marks: list[str] = setting([], "lines that are left out, for example <sp>")
    line_prefixes: list[str] = setting([], "prefixes that are removed from lines, for example <2en>")


def read(request: Request, options: Options) -> Iterator[Document]:
    """The documents of each file pair; an id is the split's name and a running number."""
    marks = {*options.document_marks, *options.skip_marks}
    number = 0
    for files in request.aligned_files("source", "target"):
        document: Document | None = None
        for line, (source, target) in aligned_lines(files):
            left, right = source.strip(), target.strip()
            if left in marks or right in marks:
                if left != right:
                    side, mark, other = (0, left, right) if left in marks else (1, right, left)
                    raise InputError(
                        f"{mark} here, but {other[:40]!r} in {files[1 - side].name}",
                        file=files[side].name,
                        line=line,
                        remedy="marks must stand at the same lines of both sides",
                    )
                if left in options.document_marks:
                    if document is not None:
                        yield document
                    number += 1
                    document = Document.start(f"{request.split}-{number}", files[0].name, files[1].name, line)
                continue
            if document is None:
                raise InputError(
                    "text before the first document mark",
                    file=files[0].name,
                    line=line,
                    remedy=f"put {' or '.join(options.document_marks)} on a line before each document",
                )
            prefixes = options.line_prefixes
            document.add(_without_prefix(source, prefixes), _without_prefix(target, prefixes), line)
        if document is not None:
            yield document


def _without_prefix(text: str, prefixes: list[str]) -> str:
    for prefix in prefixes:
        if text.startswith(prefix):
            return text[len(prefix) :]
    return text
