"""Blocks of text of an HTML page: paragraphs, headings and the like, without their markup."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

from lxml import etree, html

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.sources import Source

Key = tuple[str, int]
"""An id, and how often the page had it before."""
HEADINGS = [f"h{level}" for level in range(1, 7)]
PAGES = (".html", ".htm", ".xhtml")
"""Endings of the names of pages."""
UNREAD = ("script", "style", "template", "textarea")
"""Elements without text that a reader of the page reads."""


@dataclass(frozen=True)
class Block:
    """One block of a page: its key (None without an id), its text on one line, its line in the file, and why it is left
    out, if it is.
    """

    key: Key | None
    text: str
    line: int
    fault: str = ""


def blocks_of_page(source: Source, container: str, names: Sequence[str], skip_classes: Sequence[str]) -> list[Block]:
    """The blocks of a page, elements of these ``names``, in text order; the innermost ones count.

    Those in elements of ``skip_classes``, and text beside inner blocks, are faulty. A page without the element whose id
    is ``container`` has none.
    """
    text = source.text()
    try:
        page = html.document_fromstring(text.encode("utf-8"), parser=html.HTMLParser(encoding="utf-8"))
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise InputError(f"not an HTML page ({error})", file=source.name) from None
    etree.strip_elements(page, *UNREAD, with_tail=False)
    if container:
        found = page.xpath("//*[@id=$container]", container=container)
        if not found:
            return []
        page = found[0]
    blocks: list[Block] = []
    seen: dict[str, int] = {}
    for element in page.iter(*names):
        skipped_class = _skipped(element, page, skip_classes)
        fault = "" if skipped_class is None else f"class {skipped_class}"
        line = element.sourceline or 0
        if next(element.iterdescendants(*names), None) is not None:
            if text := _text_beside(element, names):
                blocks.append(Block(None, text, line, fault or "text beside inner blocks"))
            continue
        name = element.get("id")
        key = None
        if name is not None and not fault:
            key = name, seen.get(name, 0)
            seen[name] = key[1] + 1
        blocks.append(Block(key, _text(element), line, fault))
    return blocks


def _skipped(element: html.HtmlElement, page: html.HtmlElement, classes: Sequence[str]) -> str | None:
    """The first of ``classes`` that the element, or one that holds it within the page's text, has; None without one."""
    while element is not None:
        own = set((element.get("class") or "").split())
        if found := next((name for name in classes if name in own), None):
            return found
        if element is page:
            return None
        element = element.getparent()
    return None


def _text_beside(element: html.HtmlElement, names: Sequence[str]) -> str:
    """The text of an element without that of the ``names`` in it."""
    rest = deepcopy(element)
    for block in list(rest.iterdescendants(*names)):
        block.drop_tree()
    return _text(rest)


def _text(element: html.HtmlElement) -> str:
    """The text of an element on one line, a line break being a space."""
    for line_break in element.iter("br"):
        line_break.tail = " " + (line_break.tail or "")
    return " ".join(str(element.text_content()).split())
