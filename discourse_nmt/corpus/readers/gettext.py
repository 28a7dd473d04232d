"""Translated manuals as gettext catalogues (``.po``): a page is a document, with its messages in line order.

``#: C/page.page:LINE`` names a page and line of a message; xml2po adds the element, as in ``C/page.xml:LINE(para)``.
Messages that are untranslated, fuzzy or plural, messages without a reference, and metadata (context ``_`` of itstool,
images and credits of xml2po) are left out; obsolete ones are not counted.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import polib

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.base.sources import Source
from discourse_nmt.corpus.documents import Document, Drop
from discourse_nmt.corpus.reading.requests import Request, one_line

STRING = r'"(?:[^"\\]|\\.)*"'
LINE = re.compile(rf"(?:#.*|(?:(?:msgctxt|msgid|msgid_plural|msgstr(?:\[[0-9]\])?)\s+)?{STRING})?")
REFERENCE = re.compile(
    r"(?:\u2068(?P<isolated>[^\u2068\u2069]*)\u2069|(?P<page>[^\s\u2068\u2069]+?))(?P<line>:[0-9]+)?"
    r"(?:\s?\([^()\s]*\))?,?(?=\s|$)"
)
METADATA = re.compile(r"@@image: .*|translator[-_]credits?", re.DOTALL)
SEPARATORS = re.compile("[\x0b\x0c\r\x1c-\x1e\x85\u2028\u2029]")


@dataclass(frozen=True)
class Options:
    """Messages to leave out."""

    skip_contexts: list[str] = setting(["_"], "message contexts (msgctxt) that are left out")


def read(request: Request, options: Options) -> Iterator[Document]:
    """The pages in order of their names; an id is the catalogue's name and the page's name.

    The catalogue's name is the text that wildcards matched, or its file name up to the first dot. A message with
    several pages belongs to each of them.
    """
    for source in request.sources["files"]:
        name = source.key or source.stem
        entries_of_page: dict[str, list[tuple[int, int, polib.POEntry]]] = {}
        for position, entry in enumerate(_catalogue(source)):
            if entry.obsolete or not entry.msgid:
                continue
            reason = _reason(entry, options)
            if reason:
                request.drops.append(Drop(name, entry.linenum, reason, entry.msgid))
                continue
            for page, line in _places(entry, source):
                entries_of_page.setdefault(page, []).append((line, position, entry))
        for page, entries in sorted(entries_of_page.items()):
            document = Document.start(f"{name}/{page}", source.name, source.name, entries[0][2].linenum)
            for _, _, entry in sorted(entries, key=lambda located: located[:2]):
                document.add(one_line(entry.msgid), one_line(entry.msgstr), entry.linenum or 0)
            yield document


def _places(entry: polib.POEntry, source: Source) -> set[tuple[str, int]]:
    """The pages of a message with its line in each; 0 where the line is not told.

    Two characters of Unicode enclose a name with spaces, which polib divides.
    """
    references = " ".join(f"{page}:{line}" if line else page for page, line in entry.occurrences)
    places = set()
    for reference in REFERENCE.finditer(references):
        page, line = reference["isolated"] or reference["page"], (reference["line"] or ":0")[1:]
        if len(line) > 9 or re.search(r":\d+$", page):
            message = f"reference {page[:60]}:{line[:20]} has no line number"
            raise InputError(message, file=source.name, line=entry.linenum)
        places.add((page, int(line)))
    return places


def _reason(entry: polib.POEntry, options: Options) -> str | None:
    if entry.msgctxt in options.skip_contexts:
        return "skipped context"
    if METADATA.fullmatch(entry.msgid):
        return "metadata"
    if entry.fuzzy:
        return "fuzzy"
    if entry.msgid_plural:
        return "plural message"
    if not has_text(entry.msgstr):
        return "untranslated"
    return None if entry.occurrences else "no reference"


def _catalogue(source: Source) -> polib.POFile:
    """The parsed catalogue. Each line is checked first, as the parser cuts an unclosed string silently."""
    text = source.text().replace("\r\n", "\n")
    for number, line in enumerate(text.split("\n"), start=1):
        if separator := SEPARATORS.search(line):
            code = ord(separator.group())
            raise InputError(f"line separator U+{code:04X}", file=source.name, line=number, remedy="write \\n instead")
        if not LINE.fullmatch(line.strip()):
            raise InputError("not a line of a gettext catalogue", file=source.name, line=number, remedy="correct it")
    try:
        return polib.pofile(text + "\n\n", encoding="utf-8")
    except OSError as error:
        place = re.search(r"\(line ([0-9]+)\)", str(error))
        raise InputError(
            "not a gettext catalogue",
            file=source.name,
            line=int(place[1]) if place else None,
            remedy="correct this entry",
        ) from None
