"""WMT test sets since 2021 in XML: ``<dataset>``, ``<doc id>``, ``<src>`` and ``<ref>`` with ``<seg id>``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lxml import etree

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.languages import is_of_language
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.reading.foreign import check_known
from discourse_nmt.corpus.reading.mteval import Part, match
from discourse_nmt.corpus.reading.requests import Request, one_line
from discourse_nmt.corpus.reading.xml_text import root

BEGINNING = 4096  # characters in which the root of another format is looked for


@dataclass(frozen=True)
class Options:
    """The choice of the reference."""

    reference: str | None = setting(None, "translator of the reference if documents hold several")
    without_reference: Literal["error", "drop"] = setting(
        "error", "treatment of a document without this reference: an error, or drop it (counted)"
    )


def read(request: Request, options: Options) -> Iterator[Document]:
    """The documents of each file in order, with their id."""
    for source in request.sources["files"]:
        for element in _root(source).iter("doc"):
            docid = element.get("id", "").strip()
            originals = [_part(child, docid, source) for child in element.findall("src")]
            if len(originals) != 1:
                raise _fault(element, source, f"document {docid} has {len(originals)} <src>")
            if not request.references:
                yield match(originals[0], originals[0], source, source)
                continue
            references = [
                _part(child, docid, source)
                for child in element.findall("ref")
                if is_of_language(child.get("lang") or request.target_language, request.target_language)
            ]
            names = ", ".join(part.sysid for part in references) or "none"
            chosen = [part for part in references if options.reference in (None, part.sysid)]
            if not chosen and options.without_reference == "drop":
                segments = originals[0].segments
                text = segments[0][1] if segments else ""
                request.drops.append(Drop(docid, None, "no reference", text, len(segments)))
                continue
            if len(chosen) != 1:
                wanted = f"reference {options.reference}" if options.reference else "one reference"
                raise InputError(
                    f"document {docid} does not have {wanted} (translators: {names})",
                    file=source.name,
                    line=element.sourceline,
                    remedy="choose with the option reference, or set without_reference: drop",
                )
            yield match(originals[0], chosen[0], source, source)


def _root(source: Source) -> etree._Element:
    text = source.text()
    check_known(source.name, text[:BEGINNING])
    return root(text, source.name, "dataset", remedy="correct the file", forbidden=("<!DOCTYPE", "<!ENTITY"))


def _part(element: etree._Element, docid: str, source: Source) -> Part:
    part = Part(docid, element.get("translator", ""), element.sourceline)
    for segment in element.iter("seg"):
        if len(segment) or "id" not in segment.attrib:
            fault = f"<{segment[0].tag}> inside <seg>" if len(segment) else "<seg> without an id"
            raise _fault(segment, source, fault)
        text = one_line(segment.text or "")
        part.segments.append((segment.get("id"), text, segment.sourceline))
    return part


def _fault(element: etree._Element, source: Source, message: str) -> InputError:
    return InputError(message, file=source.name, line=element.sourceline, remedy="correct the file")
