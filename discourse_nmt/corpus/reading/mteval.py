"""The SGML of the NIST and WMT scorers, also used by the development and test files of IWSLT.

``<srcset>`` or ``<refset>`` holds ``<doc docid=...>``, which holds ``<seg id=...>``. Such files are seldom well-formed
XML (bare ``&``, upper-case tags), so only their tags are read. Both sides are then matched by document and segment ids.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.documents import Document
from discourse_nmt.corpus.reading.requests import one_line

TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^<>]*)>", re.IGNORECASE)
# Possessive: otherwise a long word in a tag is tried from each of its letters, in quadratic time.
ATTRIBUTE = re.compile(r"""(?<![\w:])([\w:]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)')""")
ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")


@dataclass
class Part:
    """A ``<doc>``: its id, its system or reference, its line, and ``(id, text, line)`` of its segments."""

    docid: str
    sysid: str
    line: int
    segments: list[tuple[str, str, int]] = field(default_factory=list)


def parts(source: Source) -> Iterator[Part]:
    """The documents of a file in order; raises :class:`InputError` for tags that do not fit together."""
    text = source.text()
    part: Part | None = None
    opened: tuple[str, int, int] | None = None  # id of the open segment, where its text starts, its line
    sysid, line, counted, has_document = "", 1, 0, False

    def fault(message: str) -> InputError:
        return InputError(message, file=source.name, line=line, remedy="correct the tags")

    for tag in TAG.finditer(text):
        line += text.count("\n", counted, tag.start())
        counted = tag.start()
        name, closing, attributes = tag[2].lower(), bool(tag[1]), _attributes(tag[3])
        if opened and not (name == "seg" and closing):
            raise fault(f"<{tag[1]}{name}> inside segment {opened[0]}")
        if name == "seg" and closing:
            if not opened or part is None:
                raise fault("</seg> without <seg>")
            part.segments.append((opened[0], _unescaped(text[opened[1] : tag.start()]), opened[2]))
            opened = None
        elif name == "seg":
            if part is None or "id" not in attributes:
                raise fault("<seg> outside <doc>" if part is None else "<seg> without an id")
            opened = (attributes["id"], tag.end(), line)
        elif name == "doc" and closing:
            if part is None:
                raise fault("</doc> without <doc>")
            yield part
            part = None
        elif name == "doc":
            if part is not None or "docid" not in attributes:
                raise fault("<doc> inside <doc>" if part is not None else "<doc> without a docid")
            part = Part(attributes["docid"].strip(), attributes.get("sysid", sysid), line)
            has_document = True
        elif part is not None:
            raise fault(f"<{tag[1]}{name}> inside <doc>")
        else:
            sysid = "" if closing else attributes.get("sysid", attributes.get("refid", ""))
    if opened or part is not None:
        raise fault(f"<{'seg' if opened else 'doc'}> is never closed")
    if not has_document:
        raise InputError("holds no <doc>", file=source.name, remedy="is this a file of that format?")


def pair(source: Source, target: Source, reference: str | None) -> Iterator[Document]:
    """The documents of ``source`` with those of ``target`` of the sysid ``reference`` (``None``: the only sysid)."""
    candidates = list(parts(target))
    names = sorted({part.sysid for part in candidates})
    if reference is None and len(names) > 1:
        raise InputError(
            f"holds several references ({', '.join(names)})",
            file=target.name,
            remedy="choose one with the option reference",
        )
    chosen = _by_id([part for part in candidates if reference in (None, part.sysid)], target)
    if not chosen:
        raise InputError(f"no reference {reference}", file=target.name, remedy=f"choose one of {', '.join(names)}")
    originals = _by_id(list(parts(source)), source)
    for docid in originals.keys() ^ chosen.keys():
        there, file, other = (originals, source, target) if docid in originals else (chosen, target, source)
        raise InputError(f"document {docid} is not in {other.name}", file=file.name, line=there[docid].line)
    for docid, original in originals.items():
        yield match(original, chosen[docid], source, target)


def match(original: Part, translation: Part, source: Source, target: Source) -> Document:
    """The document of two parts; raises :class:`InputError` unless both have the same segment ids in the same order."""
    document = Document.start(original.docid, source.name, target.name, original.line)
    for left, right in zip(original.segments, translation.segments):
        if left[0] != right[0]:
            raise InputError(
                f"segment {left[0]} of {original.docid}, but segment {right[0]} at {target.name}:{right[2]}",
                file=source.name,
                line=left[2],
                remedy="both sides must have the same segments in the same order",
            )
        document.add(left[1], right[1], left[2], right[2])
    here, there = len(original.segments), len(translation.segments)
    if here != there:
        raise InputError(
            f"document {original.docid} has {here} segments, {there} in {target.name}",
            file=source.name,
            line=original.line,
            remedy="both sides must have the same segments in the same order",
        )
    return document


def _by_id(all_parts: list[Part], source: Source) -> dict[str, Part]:
    by_id: dict[str, Part] = {}
    for part in all_parts:
        if part.docid in by_id:
            first = by_id[part.docid].line
            raise InputError(
                f"document {part.docid} is there twice (first at line {first})",
                file=source.name,
                line=part.line,
            )
        by_id[part.docid] = part
    return by_id


def _attributes(text: str) -> dict[str, str]:
    return {name.lower(): _unescaped(double or single) for name, double, single in ATTRIBUTE.findall(text)}


def _unescaped(text: str) -> str:
    return one_line(ENTITY.sub(lambda entity: html.unescape(entity.group()), text))
