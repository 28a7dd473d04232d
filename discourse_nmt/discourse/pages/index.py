"""The page of all analysed documents: their drawings and files, a legend, and how they were made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from discourse_nmt.discourse.pages.legend import LegendEntry
from discourse_nmt.discourse.pages.sheets import LinkedFile, render


@dataclass(frozen=True)
class Making:
    """How the documents of a page were made.

    ``weights`` has the SHA-256 of each file of the analysers by its name, ``notice`` their terms of use if there are
    any. ``failures`` has a reason for each document that is not on the page, by its name.
    """

    language: str
    versions: Sequence[str]
    weights: Mapping[str, str]
    notice: str
    failures: Mapping[str, str]


def index(
    template: str,
    title: str,
    content: Markup,
    entries: Mapping[str, Sequence[LegendEntry]],
    files: Sequence[LinkedFile],
    making: Making,
    script: str,
    script_source: str,
) -> str:
    """A complete page from ``index.html`` with a :func:`.section` and the only script that may run in it.

    ``entries`` are those of a :func:`.legend`, ``files`` those of all documents together. ``script_source`` is the
    script's expression in a Content-Security-Policy.
    """
    values = {"title": title, "section": content, "legend": entries, "files": files, "making": making}
    return str(render(template, **values, script=Markup(script), script_source=script_source))
