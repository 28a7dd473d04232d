"""A check that a text is in the language that a model reads."""

from collections.abc import Iterable
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

LETTERS = 80
"""Shorter texts are not judged."""
EXCERPT = 20_000
CERTAIN = 0.99
"""Least probability of another language for a doubt; lists of names and headings stay below."""


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def other_language(sentences: Iterable[str], language: str) -> str | None:
    """ISO 639-1 code of the language of a text if it is certainly not ``language``, else None.

    None also for a short text, and for a ``language`` that the identifier does not know.
    """
    text = " ".join(sentences)[:EXCERPT]
    if sum(map(str.isalpha, text)) < LETTERS or language not in _identifier().labels:
        return None
    found, probability = _identifier().classify(text)
    return str(found) if found != language and probability >= CERTAIN else None
