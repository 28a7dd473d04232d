"""The page of a cache: the sentences of documents, each with the words that the cache holds before it."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from discourse_nmt.scoring.reports.rendering import render
from discourse_nmt.scoring.tables.cached_words import CachedDocument

SHADES = (4, 45)
"""Per cent of the colour in the shades of the lowest and of the highest score; more would hide the word."""


def page(templates: Mapping[str, str], title: str, facts: Sequence[str], documents: Sequence[CachedDocument]) -> str:
    """The page from its ``templates`` by name; ``facts`` are the lines below the ``title``.

    Words are shaded by their scores, from the lowest to the highest on the page.
    """
    words = (word for document in documents for sentence in document.sentences for word in sentence.words)
    scores = [word.score for word in words if word.score is not None]
    span = (min(scores), max(scores)) if scores else None

    def share(score: float | None) -> str:
        return f"{SHADES[0] if score is None or span is None else shade(score, *span):.1f}%"

    return render(
        templates,
        "caches.html",
        style=Markup(templates["style.css"] + templates["caches.css"]),
        script_source="",
        title=title,
        facts=facts,
        documents=documents,
        span=span,
        share=share,
    )


def shade(score: float, lowest: float, highest: float) -> float:
    """Per cent of the colour in the shade of a ``score`` between the lowest and the highest."""
    position = (score - lowest) / (highest - lowest) if highest > lowest else 1.0
    return SHADES[0] + position * (SHADES[1] - SHADES[0])
