"""Translations by systems outside of the project, from text files to the sentences of a test set.

A file holds the sentences of the test set in the order of the corpus files. There are three formats: one sentence per
line; JSON lines (``.jsonl``), an object for each sentence or document; and one file per document, given by a pattern
whose wildcard is the document id, with one sentence per line.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from discourse_nmt.base.characters import without_controls
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source, expand, uncompressed
from discourse_nmt.corpus.importing.checks import FORBIDDEN
from discourse_nmt.corpus.reading.json_text import objects, strings_in
from discourse_nmt.corpus.reading.requests import one_line

SOURCE_TEXT = "write a line for each sentence, or texts with a blank line between documents"
FORMS = 'write {"doc_id": "...", "sent_id": 0, "hypothesis": "..."} or {"doc_id": "...", "hypotheses": [...]}'

Hypotheses = dict[str, list[str]]
"""The translation of each sentence, by document."""


def read_hypotheses(pattern: str, lengths: Mapping[str, int], test_set: str) -> Hypotheses:
    """The translations of a test set, whose documents have ``lengths`` sentences, in the order of the test set.

    Raises :class:`InputError` of one line: no such file, another number of sentences, an unknown or missing document,
    a NUL character; other control characters become blanks. An empty translation is none of these.
    """
    sources = [replace(source, controls="space") for source in expand(pattern)]
    if len(sources) > 1 or sources[0].key is not None:
        read = files_of_documents(sources, lengths, pattern, test_set)
        for document, sentences in read.items():
            _check_length(document, len(sentences), lengths[document], pattern)
        return read
    [source] = sources
    if is_json_lines(source.name):
        return _of_objects(source, lengths, test_set)
    return _in_order(_sentences(source), lengths, source.name, test_set)


def is_json_lines(name: str) -> bool:
    """Whether a file, compressed or not, holds JSON lines by its name."""
    return uncompressed(name).endswith(".jsonl")


def _in_order(sentences: list[str], lengths: Mapping[str, int], name: str, test_set: str) -> Hypotheses:
    expected = sum(lengths.values())
    if len(sentences) != expected:
        raise InputError(
            f"{len(sentences):,} lines, but {test_set} has {expected:,} sentences", file=name, remedy=SOURCE_TEXT
        )
    remaining = iter(sentences)
    return {document: list(islice(remaining, length)) for document, length in lengths.items()}


def files_of_documents(sources: list[Source], lengths: Mapping[str, int], pattern: str, test_set: str) -> Hypotheses:
    """The lines of the file of each document, in the order of ``lengths``; each file is named by its document."""
    source_of: dict[str, Source] = {}
    for source in sources:
        key = source.stem if source.key is None else source.key
        if key not in lengths:
            raise unknown(key, lengths, test_set, source.name)
        if key in source_of:
            raise InputError(f"document {key} is also in {source_of[key].name}", file=source.name)
        source_of[key] = source
    for document in lengths:
        if document not in source_of:
            remedy = "write one file for each document; the wildcard is its id"
            raise InputError(f"no file for document {document} of {test_set}", file=pattern, remedy=remedy)
    return {document: _sentences(source_of[document]) for document in lengths}


def _of_objects(source: Source, lengths: Mapping[str, int], test_set: str) -> Hypotheses:
    found: dict[str, dict[int, str]] = {}
    in_order: list[str] = []
    for line, value in objects(source, FORMS):
        given = strings_in(value.get("hypotheses", [value.get("hypothesis")]))
        if given is None:
            raise InputError("no text under hypothesis or hypotheses", file=source.name, line=line, remedy=FORMS)
        texts = [checked(one_line(text), source.name, line) for text in given]
        document = value.get("doc_id")
        if document is None:
            in_order += texts
            continue
        if not isinstance(document, str) or document not in lengths:
            raise unknown(document, lengths, test_set, source.name, line)
        first = value.get("sent_id", len(found.get(document, {})))
        if not isinstance(first, int) or isinstance(first, bool):
            raise InputError(f"sent_id {first!r} is no whole number", file=source.name, line=line, remedy=FORMS)
        sentences = found.setdefault(document, {})
        for number, text in enumerate(texts, start=first):
            if number in sentences:
                raise InputError(f"sentence {number} of document {document} occurs twice", file=source.name, line=line)
            sentences[number] = text
    if in_order and found:
        raise InputError("some objects have a doc_id and some do not", file=source.name, remedy=FORMS)
    if not found:
        return _in_order(in_order, lengths, source.name, test_set)
    for document, length in lengths.items():
        if document not in found:
            raise InputError(f"no translation of document {document} of {test_set}", file=source.name)
        _check_length(document, len(found[document]), length, source.name)
        if outside := sorted(found[document].keys() - set(range(length))):
            raise InputError(
                f"document {document} has no sentence {outside[0]}", file=source.name, remedy="sent_id counts from 0"
            )
    return {document: [found[document][number] for number in range(length)] for document, length in lengths.items()}


def _sentences(source: Source) -> list[str]:
    return [checked(text, source.name, line) for line, text in enumerate(source.lines(), start=1)]


def checked(text: str, name: str, line: int) -> str:
    """``text`` with blanks for control characters; a forbidden one in the line of a file is an :class:`InputError`."""
    text, _ = without_controls(text.replace("\r", " "), name, line)
    if fault := FORBIDDEN.search(text):
        what = f"control character U+{ord(fault.group()):04X}"
        raise InputError(what, file=name, line=line, remedy="remove the character")
    return text


def _check_length(document: str, found: int, expected: int, name: str) -> None:
    if found != expected:
        raise InputError(
            f"{found:,} translations of document {document}, which has {expected:,} sentences",
            file=name,
            remedy=SOURCE_TEXT,
        )


def unknown(
    document: object, lengths: Mapping[str, int], test_set: str, name: str, line: int | None = None
) -> InputError:
    """The error of a document that a test set lacks."""
    remedy = f"its documents are {', '.join(islice(lengths, 3))}{', …' if len(lengths) > 3 else ''}"
    return InputError(f"no document {document} in {test_set}", file=name, line=line, remedy=remedy)
