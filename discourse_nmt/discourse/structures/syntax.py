"""The syntax of a sentence: words, tags, lemmas and dependencies; the input of all later analysers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Syntax:
    """Annotation of one sentence; every tuple has one entry per word.

    ``heads`` are word indices from 0, -1 for the root. ``features`` are FEATS strings, ``_`` for none. ``upos``,
    ``deprels`` and ``lemmas`` follow Universal Dependencies. For a language without a syntactic analyser, ``upos``,
    ``xpos``, ``features`` and ``deprels`` are ``_`` and every head is -1.
    """

    forms: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    features: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
