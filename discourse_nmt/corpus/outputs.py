"""Outputs of systems outside of the project: a translation of each sentence, or a text for each document.

Texts are told from lines by their form: JSON lines with one ``hypothesis`` for a document of several sentences, files
of documents of which any has another number of lines than its document has sentences, or one file with as many blocks
between blank lines as there are documents.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source, expand
from discourse_nmt.corpus.hypotheses import (
    FORMS,
    Hypotheses,
    checked,
    files_of_documents,
    is_json_lines,
    read_hypotheses,
    unknown,
)
from discourse_nmt.corpus.reading.json_text import objects

PARAGRAPH = re.compile(r"</?p\b[^<>]*>|<br\s*/?>", re.IGNORECASE)


@dataclass(frozen=True)
class Output:
    """Either ``sentences`` or ``texts``, by document, in the order of the test set."""

    sentences: Hypotheses = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


def read_output(pattern: str, lengths: Mapping[str, int], test_set: str) -> Output:
    """The output for a test set whose documents have ``lengths`` sentences.

    Raises :class:`InputError` of one line, as :func:`.read_hypotheses` does; a text may have any number of sentences.
    """
    sources = [replace(source, controls="space") for source in expand(pattern)]
    if len(sources) > 1 or sources[0].key is not None:
        texts = _of_files(sources, lengths, pattern, test_set)
    elif is_json_lines(sources[0].name):
        texts = _of_objects(sources[0], lengths, test_set)
    else:
        texts = _of_blocks(sources[0], lengths)
    if texts is None:
        return Output(sentences=read_hypotheses(pattern, lengths, test_set))
    return Output(texts={document: PARAGRAPH.sub("\n", texts[document]) for document in lengths})


def _of_files(sources: list[Source], lengths: Mapping[str, int], pattern: str, test_set: str) -> dict[str, str] | None:
    """The texts of files of documents; None where each has a line for each sentence."""
    lines = files_of_documents(sources, lengths, pattern, test_set)
    if all(len(lines[document]) == length for document, length in lengths.items()):
        return None
    return {document: "\n".join(of_document) for document, of_document in lines.items()}


def _of_objects(source: Source, lengths: Mapping[str, int], test_set: str) -> dict[str, str] | None:
    """The texts of JSON lines with an object for each document; None where objects are of sentences or have lists."""
    texts: dict[str, str] = {}
    place: dict[str, int] = {}
    for line, value in objects(source, FORMS):
        document, text = value.get("doc_id"), value.get("hypothesis")
        other = "hypotheses" in value or "sent_id" in value
        if other or not isinstance(document, str) or not isinstance(text, str) or document in texts:
            return None
        texts[document] = "\n".join(checked(part, source.name, line) for part in text.split("\n"))
        place[document] = line
    if not texts or all(lengths.get(document, 1) == 1 for document in texts):
        return None
    for document, line in place.items():
        if document not in lengths:
            raise unknown(document, lengths, test_set, source.name, line)
    for document in lengths:
        if document not in texts:
            raise InputError(f"no translation of document {document} of {test_set}", file=source.name)
    return texts


def _of_blocks(source: Source, lengths: Mapping[str, int]) -> dict[str, str] | None:
    """The texts of a file with blank lines between documents; None where its lines are sentences."""
    lines = [checked(text, source.name, line) for line, text in enumerate(source.lines(), start=1)]
    if len(lines) == sum(lengths.values()):
        return None
    blocks = ["\n".join(block) for filled, block in groupby(lines, has_text) if filled]
    return dict(zip(lengths, blocks)) if len(blocks) == len(lengths) > 1 else None
