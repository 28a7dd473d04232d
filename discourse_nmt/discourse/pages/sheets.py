"""The part of a page that shows the drawings of documents, folded; a script is not needed to read it."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup


@dataclass(frozen=True)
class LinkedFile:
    """A file that a page links: its path from the folder of the page, and its content in a few words."""

    path: str
    content: str

    @property
    def address(self) -> str:
        """The path as a relative URL, whatever characters it holds."""
        return quote(os.fsencode(self.path))


@dataclass(frozen=True)
class Sheet:
    """A document on a page: its name, a line of ``facts``, SVG by title, and its files."""

    name: str
    facts: str
    drawings: Mapping[str, str]
    files: Sequence[LinkedFile] = ()


def facts(counts: Mapping[str, object]) -> str:
    """The counts of a document (:func:`.count`), whose names are plurals, as one line."""
    named = {name: value for name, value in counts.items() if name != "name"}
    return ", ".join(f"{value} {name.removesuffix('s') if value == 1 else name}" for name, value in named.items())


def section(template: str, sheets: Sequence[Sheet], opened: bool = False) -> Markup:
    """HTML of documents from ``section.html``, folded but for the first drawing of the first one if ``opened``.

    Names and facts are escaped, drawings are SVG of this package.
    """
    marked = [
        replace(sheet, drawings={title: Markup(drawing) for title, drawing in sheet.drawings.items()})
        for sheet in sheets
    ]
    return render(template, sheets=marked, opened=opened)


def render(template: str, **values: object) -> Markup:
    """HTML from a template, in which all but :class:`Markup` is escaped; an unknown name is an error."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return Markup(environment.from_string(template).render(**values))
