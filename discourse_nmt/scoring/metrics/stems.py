"""Stems of inflected words by the stemmers of Snowball (Porter 2001)."""

from collections.abc import Callable
from functools import cache
from importlib.metadata import version

import snowballstemmer

from discourse_nmt.scoring.metrics.bleu import primary

# Snowball's stemmers by ISO 639-1 code, for languages of known corpora; words of other languages keep their forms.
STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nb": "norwegian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}


class Stemmer:
    """Stems of one language; ``name`` is that of the stemmer, ``forms`` for none."""

    def __init__(self, language: str) -> None:
        self.name = "forms"
        self._stem: Callable[[str], str] = str
        if primary(language) in STEMMERS:
            stemmer = STEMMERS[primary(language)]
            self.name = f"snowball[{stemmer},{version('snowballstemmer')}]"
            self._stem = cache(snowballstemmer.stemmer(stemmer).stemWord)

    def stem(self, word: str) -> str:
        """The stem of a word in lower case; the word itself in a language without a stemmer."""
        return self._stem(word.lower())
