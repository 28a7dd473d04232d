"""The few parts that the drawings are made of, as text of SVG, readable on a light and on a dark page."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

# Colours by class, so that the dark page changes them in one place.
STYLE = """
  svg { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
  .page { fill: #ffffff; }
  .box { fill: #f4f7fb; stroke: #7b93b0; stroke-width: 1.2; }
  .frame { fill: none; stroke: #7b93b0; stroke-width: 1.2; stroke-dasharray: 5 4; }
  .arrow { fill: none; stroke: #55708f; stroke-width: 1.4; }
  .head { fill: #55708f; }
  .grid { stroke: #dbe3ec; stroke-width: 1; }
  text { fill: #1d2733; font-size: 12px; }
  .name { font-size: 15px; font-weight: 600; }
  .small { fill: #55626f; font-size: 11px; }
  .rule { fill: #0b5cad; font-weight: 600; }
  .code { font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 10.5px; }
  @media (prefers-color-scheme: dark) {
    .page { fill: #14191f; }
    .box { fill: #1e2630; stroke: #5d7693; }
    .frame { stroke: #5d7693; }
    .arrow { stroke: #8fa9c6; }
    .head { fill: #8fa9c6; }
    .grid { stroke: #2a3440; }
    text { fill: #e4eaf1; }
    .small { fill: #a7b4c2; }
    .rule { fill: #7cb8f5; }
  }
"""
HEAD = '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'


@dataclass(frozen=True)
class Point:
    """A place, in pixels from the upper left corner."""

    x: float
    y: float


def text(place: Point, words: str, style: str = "", anchor: str = "start") -> str:
    """One line of text whose base line begins, or ends, at ``place``."""
    return f'<text x="{place.x:g}" y="{place.y:g}" class="{style}" text-anchor="{anchor}">{escape(words)}</text>'


def rectangle(corner: Point, width: float, height: float, style: str) -> str:
    """A rectangle with round corners."""
    return f'<rect x="{corner.x:g}" y="{corner.y:g}" width="{width:g}" height="{height:g}" rx="7" class="{style}"/>'


def curve(start: Point, end: Point, head: bool = True) -> str:
    """A line that leaves ``start`` and reaches ``end`` upright; with a head it is an arrow."""
    bend = (end.y - start.y) / 2
    path = f"M{start.x:g},{start.y:g} C{start.x:g},{start.y + bend:g} {end.x:g},{end.y - bend:g} {end.x:g},{end.y:g}"
    return f'<path d="{path}" class="arrow"{_head(head)}/>'


def straight(start: Point, end: Point, head: bool = True, style: str = "arrow") -> str:
    """A straight line of the class ``style``; with a head it is an arrow."""
    return f'<path d="M{start.x:g},{start.y:g} L{end.x:g},{end.y:g}" class="{style}"{_head(head)}/>'


def _head(there: bool) -> str:
    return ' marker-end="url(#head)"' if there else ""


def wrapped(words: str, characters: int) -> list[str]:
    """Lines of at most so many characters, without the marks of code in docstrings."""
    return textwrap.wrap(words.replace("``", ""), characters, break_on_hyphens=False, break_long_words=False)


def picture(title: str, description: str, width: float, height: float, parts: Sequence[str]) -> str:
    """A whole file of SVG, which readers of a screen hear as title and description."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(description)}</desc>",
        f"<style>{STYLE}</style>",
        f'<defs>{HEAD}<path d="M0,0 L8,4 L0,8 z" class="head"/></marker></defs>',
        rectangle(Point(0, 0), width, height, "page"),
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
