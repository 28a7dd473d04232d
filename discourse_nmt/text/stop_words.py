"""Words that say nothing about the topic of a text: stop words of a language, and punctuation."""

from collections.abc import Collection
from pathlib import Path

from discourse_nmt import ROOT
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_text

SHIPPED = ROOT / "resources" / "stop_words"


def stop_word_file(language: str) -> Path:
    """The list of a language, one word per line; raises :class:`InputError` for a language without one."""
    path = SHIPPED / f"{language}.txt"
    if not path.is_file():
        raise InputError(f"no stop words of the language {language}", remedy=f"put a list at {path}, one word per line")
    return path


def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language, in lower case; :class:`InputError` where there is no list."""
    return frozenset(read_text(stop_word_file(language)).lower().split("\n"))


def is_stop_word(word: str, stop_words: Collection[str]) -> bool:
    """Whether ``word`` is one of the (lower-case) ``stop_words``, or has neither letters nor digits."""
    return word.lower() in stop_words or not any(character.isalnum() for character in word)
