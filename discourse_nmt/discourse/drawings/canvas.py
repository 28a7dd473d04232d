"""SVG elements and complete drawings.

Elements are built with lxml, which escapes every text. A drawing has no script, no external reference and no
identifier, so that a page can hold any number of drawings. The colour of its text is that of the page, or in a separate
file that of its own style sheet.
"""

import re
from collections.abc import Iterable, Sequence

from lxml import etree
from lxml.builder import ElementMaker
from lxml.etree import _Element as Element

from discourse_nmt.discourse.drawings.lettering import FONTS, text_width
from discourse_nmt.discourse.drawings.palette import DARK_INK, DARK_PAPER, INK, PAPER

NAMESPACE = "http://www.w3.org/2000/svg"
MAKE = ElementMaker(namespace=NAMESPACE, nsmap={None: NAMESPACE})
ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML cannot hold
STYLE = (
    f".discourse-drawing{{color:{INK};background:{PAPER};color-scheme:light dark}}"
    f"@media (prefers-color-scheme:dark){{.discourse-drawing{{color:{DARK_INK};background:{DARK_PAPER}}}}}"
)

Point = tuple[float, float]


def legal(text: str) -> str:
    """``text`` with a replacement character for each one that XML cannot hold."""
    return ILLEGAL.sub("\ufffd", text)


def number(value: float) -> str:
    """A coordinate to a tenth of a pixel, in the shortest notation."""
    return f"{value:.1f}".removesuffix(".0")


def element(tag: str, *content: Element | str, **attributes: float | str) -> Element:
    """An element; ``stroke_width`` is the attribute ``stroke-width``, numbers are coordinates, texts are escaped."""
    values = {
        name.replace("_", "-"): legal(value) if isinstance(value, str) else number(value)
        for name, value in attributes.items()
    }
    return MAKE(tag, *(legal(part) if isinstance(part, str) else part for part in content), values)


def lettering(text: str, size: float, **attributes: float | str) -> Element:
    """A line of ``text`` in the width that layouts give it, whichever font the reader's machine has."""
    letters = element("text", text, **attributes)
    width = text_width(text, size)
    if width > 0:
        letters.set("textLength", number(width))
        letters.set("lengthAdjust", "spacingAndGlyphs")
    return letters


def group(parts: Iterable[Element], **attributes: float | str) -> Element:
    """A group of elements that share attributes."""
    return element("g", *parts, **attributes)


def line(points: Sequence[Point], radius: float = 0.0, **attributes: float | str) -> Element:
    """A path through ``points`` with corners of ``radius``; only right angles are allowed."""
    path = f"M{number(points[0][0])} {number(points[0][1])}"
    for before, at, after in zip(points, points[1:], points[2:]):
        enters, leaves = _towards(at, before, radius), _towards(at, after, radius)
        path += f"L{_pair(enters)}Q{_pair(at)} {_pair(leaves)}"
    return element("path", d=f"{path}L{_pair(points[-1])}", **attributes)


def arrowhead(tip: Point, direction: Point, colour: str, size: float = 5.0) -> Element:
    """A filled triangle whose tip points in ``direction``, a unit vector."""
    (x, y), (right, down) = tip, direction
    base = (x - right * size, y - down * size)
    half = size * 0.55
    corners = [tip, (base[0] - down * half, base[1] + right * half), (base[0] + down * half, base[1] - right * half)]
    return element("path", d=f"M{'L'.join(map(_pair, corners))}z", fill=colour)


def drawing(width: float, height: float, title: str, description: str, parts: Iterable[Element]) -> str:
    """A complete SVG of ``width`` times ``height`` pixels with a name and a description for screen readers."""
    root = element(
        "svg",
        element("title", title),
        element("desc", description),
        element("style", STYLE),
        *parts,
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        role="graphics-document document",
        font_family=FONTS,
        font_size="13",
        fill="currentColor",
    )
    root.set("class", "discourse-drawing")
    return etree.tostring(root, encoding="unicode")


def _pair(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _towards(start: Point, end: Point, distance: float) -> Point:
    """The point ``distance`` from ``start`` on the way to ``end``, at most half the way."""
    length = abs(end[0] - start[0]) + abs(end[1] - start[1])
    share = min(distance / length, 0.5) if length else 0.0
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share
