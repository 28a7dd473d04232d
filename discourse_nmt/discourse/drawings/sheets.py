"""The part of a page that shows the drawings of documents, folded; a script is not needed to read it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

TITLES = {
    "rst": "RST tree",
    "dependencies": "Discourse dependencies",
    "coreference": "Coreference chains",
    "themes": "Themes and rhemes",
}


@dataclass(frozen=True)
class Sheet:
    """A document on a page: its name, a line of ``facts``, and SVG by title."""

    name: str
    facts: str
    drawings: Mapping[str, str]


def facts(counts: Mapping[str, object]) -> str:
    """The counts of a document (:func:`.count`) as one line."""
    return ", ".join(f"{value} {name}" for name, value in counts.items() if name != "name")


def section(template: str, sheets: Sequence[Sheet], opened: bool = False) -> Markup:
    """HTML of documents from ``section.html``, folded but for the first drawing of the first one if ``opened``.

    Names and facts are escaped, drawings are SVG of this package.
    """
    marked = [
        Sheet(sheet.name, sheet.facts, {title: Markup(drawing) for title, drawing in sheet.drawings.items()})
        for sheet in sheets
    ]
    return _render(template, sheets=marked, opened=opened)


def index(template: str, title: str, content: Markup, script: str, script_source: str) -> str:
    """A complete page from ``index.html`` with a :func:`section` and the only script that may run in it.

    ``script_source`` is the script's expression in a Content-Security-Policy.
    """
    return str(_render(template, title=title, section=content, script=Markup(script), script_source=script_source))


def _render(template: str, **values: object) -> Markup:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return Markup(environment.from_string(template).render(**values))
