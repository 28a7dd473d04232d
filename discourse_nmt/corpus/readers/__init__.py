"""The corpus formats: options, reader and file roles of each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.readers import (
    dialogues,
    documents,
    gettext,
    html_pages,
    iwslt,
    joined,
    paradocs,
    table,
    tmx,
)
from discourse_nmt.corpus.readers.games import freedroidrpg, spoken, wesnoth
from discourse_nmt.corpus.readers.lines import blank_lines, document_ids, file_pairs, marked
from discourse_nmt.corpus.readers.wmt import jsonl as wmt_jsonl
from discourse_nmt.corpus.readers.wmt import sgm as wmt_sgm
from discourse_nmt.corpus.readers.wmt import xml as wmt_xml
from discourse_nmt.corpus.reading.requests import Request

PAIR = ("source", "target")
SINGLE = ("files",)


@dataclass(frozen=True)
class Format:
    """A corpus format: the dataclass of its options, its reader, and the sets of file roles that it accepts.

    ``endings`` are of files that no other format reads; ``aligns`` is for one that aligns text even undivided.
    """

    options: type
    read: Callable[[Request, Any], Iterator[Document]]
    roles: tuple[tuple[str, ...], ...]
    endings: tuple[str, ...] = ()
    aligns: bool = False


FORMATS: dict[str, Format] = {
    "marked": Format(marked.Options, marked.read, (PAIR,)),
    "blank_lines": Format(blank_lines.Options, blank_lines.read, (PAIR,)),
    "document_ids": Format(document_ids.Options, document_ids.read, ((*PAIR, "documents"),)),
    "file_pairs": Format(file_pairs.Options, file_pairs.read, (PAIR,)),
    "table": Format(table.Options, table.read, (SINGLE, PAIR)),
    "dialogues": Format(dialogues.Options, dialogues.read, (SINGLE,)),
    "iwslt": Format(iwslt.Options, iwslt.read, (PAIR,)),
    "wmt_sgm": Format(wmt_sgm.Options, wmt_sgm.read, (PAIR,)),
    "wmt_xml": Format(wmt_xml.Options, wmt_xml.read, (SINGLE,)),
    "wmt_jsonl": Format(wmt_jsonl.Options, wmt_jsonl.read, (SINGLE,)),
    "html_pages": Format(html_pages.Options, html_pages.read, (PAIR,)),
    "documents": Format(documents.Options, documents.read, (SINGLE, PAIR), aligns=True),
    "paradocs": Format(paradocs.Options, paradocs.read, (SINGLE,)),
    "tmx": Format(tmx.Options, tmx.read, (SINGLE,), (".tmx",)),
    "gettext": Format(gettext.Options, gettext.read, (SINGLE,)),
    "wesnoth": Format(spoken.Options, wesnoth.read, (PAIR,)),
    "freedroidrpg": Format(spoken.Options, freedroidrpg.read, (PAIR,)),
    "joined": Format(joined.Options, joined.read, (("corpora",),)),
}
# Formats whose splits may lack references: the source is also read as the target, by file, column or element.
SOURCE_ONLY = [
    *("marked", "blank_lines", "document_ids", "file_pairs", "table"),
    *("iwslt", "wmt_sgm", "wmt_xml", "wmt_jsonl", "html_pages"),
]
