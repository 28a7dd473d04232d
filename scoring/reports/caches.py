"""The page that shows what a cache holds: the sentences of documents, each with the words held before it."""

from collections.abc import Sequence

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from discourse_nmt.scoring.tables.cached_words import CachedDocument

SHADES = (4, 45)
"""Per cent of the colour in the shades of the lowest and of the highest score; more would hide the word."""


def page(template: str, style: str, title: str, facts: Sequence[str], documents: Sequence[CachedDocument]) -> str:
    """The page from its ``template``; every text is escaped. ``facts`` are lines that stand below the ``title``.

    Words are shaded by their scores, from the lowest to the highest on the page.
    """
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    words = (word for document in documents for sentence in document.sentences for word in sentence.words)
    scores = [word.score for word in words if word.score is not None]
    span = (min(scores), max(scores)) if scores else None

    def share(score: float | None) -> str:
        return f"{SHADES[0] if score is None or span is None else shade(score, *span):.1f}%"

    environment.filters["share"] = share
    return environment.from_string(template).render(
        style=Markup(style), title=title, facts=facts, documents=documents, span=span
    )


def shade(score: float, lowest: float, highest: float) -> float:
    """Per cent of the colour in the shade of a ``score`` between the lowest and the highest."""
    place = (score - lowest) / (highest - lowest) if highest > lowest else 1.0
    return SHADES[0] + place * (SHADES[1] - SHADES[0])
