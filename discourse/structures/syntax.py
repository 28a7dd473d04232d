"""The words of a sentence with their tags, lemmas and dependencies, as every analyser above syntax reads them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Syntax:
    """Annotation of one sentence; every tuple has one entry per word.

    ``heads`` are word numbers from 0, -1 for the root. ``features`` are FEATS strings, ``_`` for none. ``upos``,
    ``deprels`` and ``lemmas`` follow Universal Dependencies. Where a language has no syntactic analyser, ``upos``,
    ``xpos``, ``features`` and ``deprels`` are ``_`` and every head is -1: words without dependencies.
    """

    forms: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    features: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
