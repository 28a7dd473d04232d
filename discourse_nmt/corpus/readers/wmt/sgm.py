"""WMT test sets in SGML: a source file with ``<srcset>`` and a target file with one or more ``<refset>``."""

from collections.abc import Iterator
from dataclasses import dataclass

from discourse_nmt.base.settings import setting
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.reading.mteval import pair
from discourse_nmt.corpus.reading.requests import Request


@dataclass(frozen=True)
class Options:
    """The choice of the reference."""

    reference: str | None = setting(None, "sysid of the reference if the target file holds several")


def read(request: Request, options: Options) -> Iterator[Document]:
    """The documents in the order of the source file, with their docid as id."""
    for source, target in request.aligned_files("source", "target"):
        yield from pair(source, target, options.reference)
