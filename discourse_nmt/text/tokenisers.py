"""Tokenisers that keep the character offsets of tokens.

Every tokeniser cuts the characters of a sentence into tokens without changing them, so that offsets are found by a walk
along the sentence. Three habits of the Moses tokeniser would break this and are handled first: it drops control
characters, it marks an ellipsis with the letters ``DOTMULTI``, and it cuts before accents that are characters of
their own.
"""

import importlib
from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

import regex

from discourse_nmt.base.errors import InputError
from discourse_nmt.text.chinese import jieba_words
from discourse_nmt.text.normalisation import normalised
from discourse_nmt.text.settings import OTHER_TOKENISERS, SideSettings

Splitter = Callable[[str], list[str]]
Span = tuple[int, int]

CONTROLS = regex.compile(r"[\x00-\x08\x0e-\x1b]")
# Accents, vowel signs, tones of skin, and characters without a width that shape their neighbours, as joiners do.
MARK = regex.compile(r"[\p{M}\p{Cf}\p{Emoji_Modifier}]")
FLAG = r"\p{Regional_Indicator}{2}"
# A character with its marks; joiners make one of several emoji.
PART = regex.compile(
    rf"[\s\x1c-\x1f]|(?:{FLAG}|[^\x00-\x08\x0e-\x1b])(?:{MARK.pattern}|(?<=\u200d)\p{{Extended_Pictographic}})*"
)
MOSES_ELLIPSIS, HARMLESS = "DOTMULTI", "DOT\N{FULLWIDTH LATIN CAPITAL LETTER M}ULTI"
TROUBLE = regex.compile(f"{CONTROLS.pattern}|{MARK.pattern}|{FLAG}|{MOSES_ELLIPSIS}")


class Tokens(NamedTuple):
    """Tokens of one sentence; token ``i`` has the raw characters ``[starts[i], ends[i])``.

    ``gaps`` is the white space before each token and after the last.
    """

    tokens: list[str]
    starts: list[int]
    ends: list[int]
    gaps: list[str]

    @classmethod
    def of_spans(cls, tokens: list[str], starts: list[int], ends: list[int]) -> "Tokens":
        """Tokens of a sentence that is not at hand: a space is wherever characters are in none."""
        gaps = [" " if end < start else "" for end, start in zip(ends, starts[1:])]
        return cls(tokens, starts, ends, ["", *gaps, ""] if tokens else [""])


class Tokeniser:
    """Cuts raw sentences by a ``splitter``, which may drop white space but must not change anything else.

    With ``normalise`` sentences are :func:`.normalised` first, and so are tokens; spans are those of the raw sentence.

    Control characters (U+0000–U+0008, U+000E–U+001B) are not part of tokens: one inside a token is inside its span, one
    between tokens is in no span. Every other character except white space is in exactly one span.
    """

    def __init__(self, splitter: Splitter, *, normalise: bool = False) -> None:
        self._split = splitter
        self._normalise = normalise

    def tokenise(self, raw: str) -> Tokens:
        """Tokens of ``raw`` with their offsets, in order; a token is never empty and holds no white space."""
        if not self._normalise:
            return self._tokens(raw)
        text, starts, ends = normalised(raw)
        found = self._tokens(text)
        return found._replace(
            starts=[starts[start] for start in found.starts], ends=[ends[end - 1] for end in found.ends]
        )

    def _tokens(self, raw: str) -> Tokens:
        spans = self._guarded(raw) if TROUBLE.search(raw) else align(self._split(raw), raw)
        tokens = [CONTROLS.sub("", raw[start:end]) for start, end in spans]
        starts, ends = [start for start, _ in spans], [end for _, end in spans]
        gaps = [raw[end:start] for end, start in zip([0, *ends], [*starts, len(raw)])]
        return Tokens(tokens, starts, ends, ["".join(filter(str.isspace, gap)) for gap in gaps])

    def _guarded(self, raw: str) -> list[Span]:
        """The spans of a text that the library would change or cut inside a character: it gets a harmless variant.

        A mark that follows another character is kept from the library, and belongs to that character's token.
        """
        parts = [match.span() for match in PART.finditer(raw)]
        clean = "".join("M" if MARK.match(raw[start]) else raw[start] for start, _ in parts)
        spans = align(self._split(harmless := clean.replace(MOSES_ELLIPSIS, HARMLESS)), harmless)
        return [(parts[start][0], parts[end - 1][1]) for start, end in spans]


def align(tokens: list[str], text: str) -> list[Span]:
    """The span of each of ``tokens`` in ``text``; ``ValueError`` unless they cover all of it except white space."""
    spans, position = list[Span](), 0
    for token in tokens:
        start = text.find(token, position)
        if start != position and (start < 0 or not text[position:start].isspace()):
            raise ValueError(f"token {token!r} is not the next one of {text!r}")
        position = start + len(token)
        spans.append((start, position))
    if text[position:].strip():
        raise ValueError(f"no token covers the end of {text!r}")
    return spans


def moses(language: str) -> Splitter:
    """``tokenizer.perl -no-escape -l language``; a language without a prefix list uses the English one."""
    from sacremoses import MosesTokenizer

    tokenizer = MosesTokenizer(language)
    # sacremoses makes these sets again at every full stop.
    letters, lower = frozenset(tokenizer.IsAlpha), frozenset(tokenizer.IsLower)
    tokenizer.islower = lower.issuperset
    tokenizer.isanyalpha = lambda text: not letters.isdisjoint(text)
    return lambda text: tokenizer.tokenize(text, escape=False)


def tokeniser(settings: SideSettings) -> Tokeniser:
    """The tokeniser of a side's settings; raises :class:`InputError` if its package is missing."""
    name = settings.tokeniser
    if name == "auto":
        name = "jieba" if settings.language == "zh" else "moses"
    check_installed(name)
    return Tokeniser(_splitter(name, settings.language), normalise=settings.normalise)


def check_installed(name: str) -> None:
    """Raise :class:`InputError` if the package of the tokeniser of this ``name`` is an extra that is missing."""
    if name == "rjieba" and find_spec("rjieba") is None:
        raise InputError(
            "text: tokeniser is rjieba, and the package rjieba is missing",
            remedy="pip install --editable '.[rjieba]' in the checkout, or tokeniser: jieba",
        )


def _splitter(name: str, language: str) -> Splitter:
    """The function that the tokeniser of this ``name`` cuts sentences by."""
    if name == "jieba":
        return jieba_words.words
    if name in OTHER_TOKENISERS:
        words: Splitter = importlib.import_module(OTHER_TOKENISERS[name]).words
        return words
    return str.split if name == "spaces" else moses(language)
