"""Texts of documents and of their translations whose sentences are not aligned: the import aligns them.

A document is a file of each side, of two folders or named in a manifest, or an object of a file. It is plain text or an
HTML page; its units are lines, paragraphs or blocks.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import PurePath
from typing import Literal

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source, expand, uncompressed
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.reading.alignment import TextUnits, Unaligned, aligned, divided, learn_words
from discourse_nmt.corpus.reading.html_blocks import HEADINGS, PAGES, blocks_of_page
from discourse_nmt.corpus.reading.json_text import Json, objects, objects_in, strings_in
from discourse_nmt.corpus.reading.requests import Request

MANIFEST = "write on each line the path of a source file, a tab and that of its translation, relative to this file"
FORMS = 'write {"doc_id": "...", "source": "...", "target": "..."} or DocHPLT\'s lists of src and tgt on each line'


@dataclass(frozen=True)
class Options:
    """The units of a text, and the pairs that are kept."""

    units: Literal["lines", "paragraphs"] = setting(
        "lines", "units of plain text: lines, or paragraphs between blank lines, whose text goes on over line ends"
    )
    container: str = setting("", "id of the element that holds the text of a page; empty for the whole page")
    blocks: list[str] = setting(
        ["p", *HEADINGS, "li", "dt", "dd", "td", "th", "caption"],
        "elements of a page that are one block of text; the innermost one counts",
    )
    skip_classes: list[str] = setting([], "classes of elements of a page whose blocks are left out")
    split_sentences: bool = setting(True, "divide units into sentences; or each unit is a sentence")
    equal_sides: bool = setting(True, "keep pairs whose source and target are the same text")
    least_quality: float = setting(0, "least quality of a pair that is kept", minimum=0, maximum=1)


def read(request: Request, options: Options) -> Iterator[Document]:
    """The documents that both sides have, with the sentence pairs that both sides have.

    An id is what the wildcards matched, the source path in the manifest, or ``doc_id``, or else the split and a number.
    Left out and counted are documents and sentences of one side alone, pairs below ``least_quality`` and, with
    ``equal_sides: false``, pairs with the same text on both sides.
    """
    learn_words(_documents(replace(request, drops=[]), options), request)
    splitters = request.splitters if options.split_sentences else dict.fromkeys(("source", "target"), _whole)
    for document, sides in divided(_documents(request, options), replace(request, splitters=splitters)):
        built = aligned(document, sides, request, options.least_quality)
        if not options.equal_sides:
            _drop_equal(built, request)
        if len(built):
            yield built


def _whole(texts: Sequence[str]) -> list[list[str]]:
    return [[text] for text in texts]


def _drop_equal(document: Document, request: Request) -> None:
    """Leave out the pairs with the same text on both sides."""
    sentences = document.source.sentences
    equal = {number for number, text in enumerate(sentences) if text == document.target.sentences[number]}
    kept = [number for number in range(len(document)) if number not in equal]
    for number in sorted(equal):
        between = bool(kept) and kept[0] < number < kept[-1]
        request.drops.append(
            Drop(document.doc_id, document.source.lines[number], "equal sides", sentences[number], 1, between)
        )
    document.keep(kept)


def _documents(request: Request, options: Options) -> Iterator[Unaligned]:
    """The documents with text on both sides; the others are dropped."""
    for doc_id, source, target in _sides(request, options):
        if source is None or target is None or not source.texts or not target.texts:
            side = next((one for one in (source, target) if one is not None and one.texts), None)
            text = side.texts[0] if side else ""
            request.drops.append(Drop(doc_id, None, "document on one side only", text, len(side.texts) if side else 0))
        else:
            yield Unaligned(doc_id, source, target)


Side = TextUnits | None
"""One side of a document, if it is there."""


def _sides(request: Request, options: Options) -> Iterator[tuple[str, Side, Side]]:
    if "files" not in request.sources:
        for key, *files in request.files_by_key(PAGES):
            source, target = (None if file is None else _units(file, options) for file in files)
            yield key, source, target
        return
    for number, file in enumerate(request.sources["files"], start=1):
        kind = PurePath(uncompressed(file.filename)).suffix
        if kind == ".tsv":
            yield from _of_manifest(file, options)
        elif kind == ".parquet":
            from discourse_nmt.corpus.reading.parquet_rows import rows  # a plan, which loads readers, needs no Arrow

            yield from _of_records(file, rows(file), f"{request.split}-{number}", options)
        else:
            yield from _of_records(file, objects(file, FORMS), f"{request.split}-{number}", options)


def _of_manifest(manifest: Source, options: Options) -> Iterator[tuple[str, Side, Side]]:
    """The documents whose paths stand in a file."""
    for line, text in enumerate(manifest.lines(), start=1):
        if not has_text(text):
            continue
        paths = text.split("\t")
        if len(paths) != 2:
            raise InputError(f"{len(paths)} paths, not 2", file=manifest.name, line=line, remedy=MANIFEST)
        try:
            found = [expand(str(manifest.path.parent / path.strip())) for path in paths]
        except InputError as error:
            raise InputError(str(error), file=manifest.name, line=line) from None
        if any(len(files) > 1 for files in found):
            raise InputError("a path stands for several files", file=manifest.name, line=line, remedy=MANIFEST)
        yield paths[0].strip(), _units(found[0][0], options), _units(found[1][0], options)


def _of_records(
    file: Source, records: Iterable[tuple[int, dict[str, Json]]], name: str, options: Options
) -> Iterator[tuple[str, Side, Side]]:
    """The documents of a file with a text for each side, or with the lists of sentences of DocHPLT, in each record."""
    for line, record in records:
        doc_id = record.get("doc_id", f"{name}-{line}")
        texts = [text for side in ("source", "target") if isinstance(text := record.get(side), str)]
        if len(texts) == 2:
            units: list[list[str] | None] = [_of_text(text, options) for text in texts]
        else:
            lists = next((lists for value in record.values() if (lists := objects_in(value))), [])
            units = [_of_lists(lists, side) for side in ("src", "tgt")] if lists else [None]
        if None in units or not isinstance(doc_id, str):
            raise InputError("no text of a source and a target", file=file.name, line=line, remedy=FORMS)
        source, target = (TextUnits(file.name, texts, [line] * len(texts)) for texts in units if texts is not None)
        yield doc_id, source, target


def _of_text(text: str, options: Options) -> list[str]:
    return [unit for _, unit in _divided_lines(text.replace("\r\n", "\n").split("\n"), options)]


def _of_lists(lists: list[dict[str, Json]], side: str) -> list[str] | None:
    """The sentences of a side; None where they are no lists of texts."""
    found = [strings_in(one.get(side)) for one in lists]
    sentences = [one for one in found if one is not None]
    return [text for one in sentences for text in one if has_text(text)] if len(sentences) == len(found) else None


def _units(file: Source, options: Options) -> TextUnits:
    """The units of a file: blocks of a page, else lines or paragraphs."""
    if uncompressed(file.filename).endswith(PAGES):
        blocks = blocks_of_page(file, options.container, options.blocks, options.skip_classes)
        kept = [(block.line, block.text) for block in blocks if not block.fault and has_text(block.text)]
    else:
        kept = list(_divided_lines(file.lines(), options))
    return TextUnits(file.name, [text for _, text in kept], [line for line, _ in kept])


def _divided_lines(lines: Iterable[str], options: Options) -> Iterator[tuple[int, str]]:
    """The first line and the text of each unit."""
    numbered = [(line, text.strip()) for line, text in enumerate(lines, start=1)]
    if options.units == "lines":
        yield from ((line, text) for line, text in numbered if has_text(text))
        return
    for filled, group in groupby(numbered, key=lambda one: has_text(one[1])):
        if filled:
            paragraph = list(group)
            yield paragraph[0][0], " ".join(text for _, text in paragraph)
