"""One pair of line-aligned files per document, in a folder or an archive: ``17.zh`` and ``17.en`` are document 17."""

from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import natural
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.reading.requests import Request, aligned_lines, by_key


@dataclass(frozen=True)
class Options:
    """The format has no options."""


def read(request: Request, options: Options) -> Iterator[Document]:
    """The documents in natural order of their ids.

    An id is the text that the wildcards of the pattern matched, or the file's name up to its first dot.
    """
    sources, targets = (by_key(request.sources[role]) for role in ("source", "target"))
    for key in sorted(sources.keys() ^ targets.keys(), key=natural):
        alone, missing = (sources, "target") if key in sources else (targets, "source")
        raise InputError(
            f"no {missing} file for document {key}",
            file=alone[key].name,
            remedy="wildcards of source and target must match the same names",
        )
    for key in sorted(sources, key=natural):
        files = (sources[key], targets[key])
        document = Document.start(key, files[0].name, files[1].name, 1)
        for line, (source, target) in aligned_lines(files):
            document.add(source, target, line)
        yield document
