"""WMT test sets in JSON lines: WMT24++ with an object for each paragraph, since WMT25 one for each document.

Files hold many pairs of languages; those of the corpus are read. A text has several units: lines, or the paragraphs of
its HTML. Their order and what stands between them are kept, so that a translation can be written in the same form.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.languages import is_of_language
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.reading.alignment import (
    TextUnits,
    Unaligned,
    aligned_whole,
    divided,
    gaps_between,
    learn_words,
    source_only,
    unit_pairs,
)
from discourse_nmt.corpus.reading.json_text import Json, fields_of, objects
from discourse_nmt.corpus.reading.requests import Request

FORMS = (
    "write doc_id, domain, src_lang, tgt_lang, src_text and refs, as WMT25 does, "
    "or lp, domain, document_id, source and target, as WMT24++ does"
)
BREAK = re.compile(r"</?p>|<br\s*/?>|^```\w*$|\n", re.IGNORECASE | re.MULTILINE)
WORD = re.compile(r"\w")


@dataclass(frozen=True)
class Options:
    """The choice of languages and reference, and the division of text."""

    reference: str | None = setting(None, "name of the reference, for example refA, if documents hold several")
    without_reference: Literal["error", "drop"] = setting(
        "error", "treatment of a document without this reference: an error, or drop it (counted)"
    )
    target_code: str | None = setting(
        None, "code of the target language in the file, for example zh_TW, if it has several for this language"
    )
    bad_sources: Literal["drop", "keep"] = setting(
        "drop", "treatment of paragraphs that WMT24++ marks as bad sources: drop them (counted), or keep them"
    )
    split_sentences: bool = setting(
        True, "divide paragraphs into sentences, aligned with those of the reference; or each line is a sentence pair"
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """An object of a file: a document of one pair of languages, or a paragraph of it."""

    file: str
    line: int
    doc_id: str
    codes: tuple[str, str]
    fields: dict[str, Json]

    @classmethod
    def of(cls, fields: dict[str, Json], file: str, line: int) -> "_Entry":
        """Raises :class:`InputError` for an object that lacks its document or its languages."""
        pair = fields.get("lp")
        codes = pair.split("-", 1) if isinstance(pair, str) else [fields.get("src_lang"), fields.get("tgt_lang")]
        doc_id = fields.get("doc_id", fields.get("document_id"))
        texts = [one for one in (*codes, doc_id) if isinstance(one, str) and has_text(one)]
        if len(texts) != 3:
            raise InputError("no document id, or no languages", file=file, line=line, remedy=FORMS)
        return cls(file, line, texts[2].strip(), (texts[0], texts[1]), fields)

    def text(self, *keys: str) -> str:
        """The text under the first of the keys that is there."""
        key = next((key for key in keys if key in self.fields), keys[0])
        value = self.fields.get(key)
        if not isinstance(value, str) or not has_text(value):
            raise self.fault(f"no text under {key}", FORMS)
        return value.replace("\r\n", "\n").replace("\r", "\n")

    def reference(self, options: Options) -> str | None:
        """The text of the reference; None for a document without it, where that is no error."""
        if "refs" not in self.fields:
            return self.text("target")
        references = {
            name: fields_of(value).get("ref", value) for name, value in fields_of(self.fields["refs"]).items()
        }
        chosen = [name for name in references if options.reference in (None, name)]
        if not chosen and options.without_reference == "drop":
            return None
        if len(chosen) != 1:
            wanted = f"reference {options.reference}" if options.reference else "one reference"
            message = f"document {self.doc_id} does not have {wanted} (references: {', '.join(references) or 'none'})"
            raise self.fault(message, "choose with the option reference, or set without_reference: drop")
        return replace(self, fields={chosen[0]: references[chosen[0]]}).text(chosen[0])

    def fault(self, message: str, remedy: str) -> InputError:
        """An error about the object."""
        return InputError(message, file=self.file, line=self.line, remedy=remedy)


def read(request: Request, options: Options) -> Iterator[Document]:
    """The documents in the corpus's languages, in file order, with their ids.

    All of the source text is kept: a sentence that the reference or the source has alone joins a neighbour. Left out
    and counted are bad sources and, with ``without_reference: drop``, documents without the reference.
    """
    if not options.split_sentences:
        for document in _documents(request, options):
            yield _with_gaps(document, unit_pairs(document))
        return
    if request.references:
        learn_words(_documents(replace(request, drops=[]), options), request)
    for document, sides in divided(_documents(request, options), request):
        pairs = aligned_whole(document, sides, request) if request.references else source_only(document, sides[0])
        yield _with_gaps(document, pairs)


def _with_gaps(document: Unaligned, pairs: Document) -> Document:
    return replace(pairs, gaps=gaps_between(pairs.source.sentences, document.text))


def _documents(request: Request, options: Options) -> Iterator[Unaligned]:
    """The documents that are not left out."""
    for file in request.sources["files"]:
        for (doc_id, _), group in groupby(_entries(file, request, options), key=_document):
            entries: list[_Entry] = []
            texts: list[tuple[str, str]] = []
            for entry in group:
                source = entry.text("src_text", "source")
                target = entry.reference(options) if request.references else source
                bad = entry.fields.get("is_bad_source") is True and options.bad_sources == "drop"
                if bad or target is None:
                    request.drops.append(Drop(doc_id, entry.line, "bad source" if bad else "no reference", source))
                    continue
                entries.append(entry)
                texts.append((source, target))
            if not entries:
                continue
            sides = [
                _units(file.name, [(text[side], entry.line) for text, entry in zip(texts, entries)]) for side in (0, 1)
            ]
            if not all(side.texts for side in sides):
                raise entries[0].fault(f"document {doc_id} has no word on one side", "remove it")
            domain = entries[0].fields.get("domain")
            text = "\n".join(source for source, _ in texts)
            yield Unaligned(doc_id, sides[0], sides[1], domain if isinstance(domain, str) else None, text)


def _entries(file: Source, request: Request, options: Options) -> Iterator[_Entry]:
    """The objects of a file in the languages of the corpus; raises :class:`InputError` if there is none."""
    others: dict[str, None] = {}
    chosen: str | None = None
    for line, fields in objects(file, FORMS):
        entry = _Entry.of(fields, file.name, line)
        source, target = entry.codes
        wanted = (
            target == options.target_code if options.target_code else is_of_language(target, request.target_language)
        )
        if not is_of_language(source, request.source_language) or not (wanted or not request.references):
            others["-".join(entry.codes)] = None
            continue
        chosen = chosen or target
        if target != chosen:
            message = f"has two target languages, {chosen} and {target}"
            raise entry.fault(message, f"choose one with the option target_code, for example {chosen}")
        yield entry
    if chosen is None:
        languages = f"{request.source_language}-{options.target_code or request.target_language}"
        remedy = f"it has {', '.join(list(others)[:5])}: correct the languages, or set target_code"
        raise InputError(f"no document in {languages}", file=file.name, remedy=remedy if others else FORMS)


def _document(entry: _Entry) -> tuple[str, int]:
    """The document of an entry; one that is a document of its own has its line, too."""
    return entry.doc_id, entry.line if "src_text" in entry.fields else 0


def _units(file: str, texts: list[tuple[str, int]]) -> TextUnits:
    """The pieces of texts that have words, without what breaks a text."""
    pieces = [(piece.strip(), line) for text, line in texts for piece in BREAK.split(text) if WORD.search(piece)]
    return TextUnits(file, [piece for piece, _ in pieces], [line for _, line in pieces])
