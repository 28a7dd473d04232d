"""Translation memories (TMX) whose units name their documents, in a property or a note.

Most memories do not: they hold sentence pairs in no order. Of a text that repeats a sentence, a memory has it once.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.languages import is_of_language
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.reading.requests import Request, one_line
from discourse_nmt.corpus.reading.xml_text import root

PROPERTIES = ("x-document", "file", "x-filename", "source-document")
"""Types of properties by which programs name documents: memoQ, OmegaT, others, Bitextor."""
NOTE = "note"
CODE = ("bpt", "ept", "it", "ph", "ut")  # inline elements whose content is markup of the original format
LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True)
class Options:
    """Where a unit names its document."""

    document: str | None = setting(
        None,
        "type of the property that names the document of a unit, or note; null: "
        + ", ".join(PROPERTIES)
        + ", whichever the file has first",
    )


def read(request: Request, options: Options) -> Iterator[Document]:
    """The documents in the order in which the files name them, each with its units in file order.

    Left out and counted are units without a document and those without both languages. Raises :class:`InputError` for a
    memory in which no unit names a document.
    """
    for source in request.sources["files"]:
        memory = root(source.text(), source.name, "tmx", remedy="give a translation memory")
        units = list(memory.iter("tu"))
        kind = _kind(units, options, source)
        documents: dict[str, Document] = {}
        for unit in units:
            sides = [_segment(unit, language) for language in (request.source_language, request.target_language)]
            name = _named(unit, kind)
            if name is None or sides[0] is None or sides[1] is None:
                reason = "unit without a document" if name is None else "unit without both languages"
                request.drops.append(Drop(name or "", unit.sourceline, reason, sides[0] or sides[1] or ""))
                continue
            document = documents.setdefault(name, Document.start(name, source.name, source.name, unit.sourceline))
            document.add(sides[0], sides[1], unit.sourceline)
        yield from documents.values()


def _kind(units: list[etree._Element], options: Options, source: Source) -> str:
    """The type of the property that names documents, or ``note``."""
    types = Counter(prop.get("type", "") for unit in units for prop in unit.iter("prop"))
    notes = sum(unit.find(f".//{NOTE}") is not None for unit in units)
    wanted = PROPERTIES if options.document is None else (options.document,)
    for kind in wanted:
        if types[kind] or (kind == NOTE and notes):
            return kind
    there = [*(kind for kind, _ in types.most_common(5)), *([NOTE] if notes else [])]
    raise InputError(
        "no unit names its document: these are sentence pairs in no order",
        file=source.name,
        remedy=f"set the option document to one of {', '.join(there)}, if it names files"
        if there
        else "get the documents that they come from, with the format documents",
    )


def _named(unit: etree._Element, kind: str) -> str | None:
    """The document of a unit; None if it names none."""
    found = unit.iter(NOTE) if kind == NOTE else (prop for prop in unit.iter("prop") if prop.get("type") == kind)
    return next((name for element in found if (name := " ".join("".join(element.itertext()).split()))), None)


def _segment(unit: etree._Element, language: str) -> str | None:
    """The text of a unit in a language, the first if there are several."""
    for variant in unit.iter("tuv"):
        segment = variant.find("seg")
        if segment is not None and is_of_language(variant.get(LANGUAGE) or variant.get("lang") or "", language):
            return one_line(_text(segment))
    return None


def _text(element: etree._Element) -> str:
    """The text of an element without the markup of the original format."""
    parts = [element.text or ""]
    for child in element:
        parts += ["" if child.tag in CODE else _text(child), child.tail or ""]
    return "".join(parts)
