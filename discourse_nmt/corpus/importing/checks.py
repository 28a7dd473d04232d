"""Checks of sentences and document ids, the same for every format, before anything is written."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.corpus.documents import Document, DocumentSide, Drop
from discourse_nmt.corpus.reading.requests import ALIGNED
from discourse_nmt.corpus.reading.sentence_ends import sentence_count

LONGEST = 100_000
LONGEST_ID = 500
TEXT_SENTENCES = 10  # of a field that is a text rather than a sentence
SAMPLE = 1000  # fields among which texts are counted
FORBIDDEN = re.compile("[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
CORRECTABLE = re.compile("[\x01-\x08\x0a-\x1f\x7f]")
CONTROLS = "control characters are read as blanks"


def check_fields(documents: Iterable[Document]) -> Iterator[Document]:
    """The same documents; raises :class:`InputError` where half of the first sentences are whole texts."""
    seen = long = 0
    for document in documents:
        for position, text in enumerate(document.source.sentences if seen < SAMPLE else []):
            seen += 1
            long += sentence_count(text) >= TEXT_SENTENCES
            if seen == SAMPLE and 2 * long >= seen:
                raise _no_sentences(document, position)
        yield document
    if 0 < seen < SAMPLE and 2 * long >= seen:
        raise _no_sentences(document, len(document) - 1)


def _no_sentences(document: Document, position: int) -> InputError:
    message = f"half of the fields up to here hold {TEXT_SENTENCES} sentences or more"
    return document.source.fault(position, message, ALIGNED)


def check(
    document: Document,
    *,
    drop_empty: bool,
    space_controls: bool,
    drops: list[Drop],
    notes: Counter[str] | None = None,
) -> bool:
    """Check ``document`` and strip its sentences; whether any sentence is left.

    A sentence without visible text is empty. With ``drop_empty``, sentence pairs with an empty side and documents
    without sentences are removed and recorded in ``drops``; otherwise they are errors. With ``space_controls``, control
    characters (of which only escapes are left in a file that has been read) become spaces, counted in ``notes``;
    otherwise they are errors. Raises :class:`InputError` naming file and line.
    """
    if (
        FORBIDDEN.search(document.doc_id)
        or "\t" in document.doc_id
        or not has_text(document.doc_id)
        or len(document.doc_id.strip()) > LONGEST_ID
    ):
        raise InputError(
            f"document id {document.doc_id[:40]!r} is empty, too long or holds a control character",
            file=document.source.file,
            line=document.line,
        )
    empty: set[int] = set()
    for side in (document.source, document.target):
        for position, raw in enumerate(side.sentences):
            sentence = raw
            if FORBIDDEN.search(raw):
                sentence = _spaced(raw, side, position, space_controls)
                if notes is not None:
                    notes[CONTROLS] += len(CORRECTABLE.findall(raw))
            sentence = sentence.strip()
            if not has_text(sentence):
                empty.add(position)
            elif len(sentence) > LONGEST:
                message = f"sentence of {len(sentence):,} characters (more than {LONGEST:,})"
                raise side.fault(position, message, "check the line ends and the columns of the file")
            side.sentences[position] = sentence
    if empty:
        _drop_empty(document, empty, drop_empty, drops)
    if len(document) == 0 and not empty:
        if not drop_empty:
            raise InputError(
                f"document {document.doc_id} has no sentence",
                file=document.source.file,
                line=document.line,
                remedy="remove the document or set empty_sentences: drop",
            )
        drops.append(Drop(document.doc_id, None, "empty document", "", 0))
    return len(document) > 0


def _spaced(raw: str, side: DocumentSide, position: int, space_controls: bool) -> str:
    spaced = CORRECTABLE.sub(" ", raw) if space_controls else raw
    if fault := FORBIDDEN.search(spaced):
        code = ord(fault.group())
        remedy = "is this a text file?" if code == 0 else "remove the character or set control_characters: space"
        raise side.fault(position, f"control character U+{code:04X}", remedy)
    return spaced


def _drop_empty(document: Document, empty: set[int], drop_empty: bool, drops: list[Drop]) -> None:
    first = min(empty)
    if not drop_empty:
        name, side = ("target", document.target) if document.source.sentences[first] else ("source", document.source)
        remedy = "remove the pair on both sides or set empty_sentences: drop"
        raise side.fault(first, f"empty sentence on the {name} side", remedy)
    kept = [index for index in range(len(document)) if index not in empty]
    for index in sorted(empty):
        between = bool(kept) and kept[0] < index < kept[-1]
        text = document.source.sentences[index] or document.target.sentences[index]
        drops.append(Drop(document.doc_id, document.source.lines[index], "empty sentence", text, 1, between))
    document.keep(kept)
