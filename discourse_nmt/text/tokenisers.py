"""Tokenisers that keep the character offsets of tokens.

Every tokeniser cuts the characters of a sentence into tokens without changing them, so that offsets are found by a walk
along the sentence. Two habits of the Moses tokeniser would break this and are handled first: it drops control
characters, and it marks an ellipsis with the letters ``DOTMULTI``.
"""

import logging
import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import jieba
from sacremoses import MosesTokenizer

from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.writing_systems import is_cjk

Splitter = Callable[[str], list[str]]

CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1b]")
MOSES_ELLIPSIS, HARMLESS = "DOTMULTI", "DOT\N{FULLWIDTH LATIN CAPITAL LETTER M}ULTI"
TROUBLE = re.compile(f"{CONTROLS.pattern}|{MOSES_ELLIPSIS}")


class Tokens(NamedTuple):
    """Tokens of one sentence; token ``i`` has the raw characters ``[starts[i], ends[i])``."""

    tokens: list[str]
    starts: list[int]
    ends: list[int]


class Tokeniser:
    """Cuts raw sentences by a ``splitter``, which may drop white space but must not change anything else.

    Control characters (U+0000–U+0008, U+000E–U+001B) are not part of tokens: one inside a token is inside its span, one
    between tokens is in no span. Every other character except white space is in exactly one span.
    """

    def __init__(self, splitter: Splitter) -> None:
        self._split = splitter

    def tokenise(self, raw: str) -> Tokens:
        """Tokens of ``raw`` with their offsets, in order; a token is never empty and holds no white space."""
        return self._tokenise_guarded(raw) if TROUBLE.search(raw) else align(self._split(raw), raw)

    def _tokenise_guarded(self, raw: str) -> Tokens:
        """Tokens of a text that the library would change: it gets a harmless variant of the text."""
        positions = [position for position, character in enumerate(raw) if not CONTROLS.match(character)]
        clean = "".join(raw[position] for position in positions)
        harmless = clean.replace(MOSES_ELLIPSIS, HARMLESS)
        _, starts, ends = align(self._split(harmless), harmless)
        return Tokens(
            [clean[start:end] for start, end in zip(starts, ends)],
            [positions[start] for start in starts],
            [positions[end - 1] + 1 for end in ends],
        )


def align(tokens: list[str], text: str) -> Tokens:
    """Offsets of ``tokens`` in ``text``; raises ``ValueError`` unless they cover all of it except white space."""
    starts, ends = [], []
    position = 0
    for token in tokens:
        start = text.find(token, position)
        if start != position and (start < 0 or not text[position:start].isspace()):
            raise ValueError(f"token {token!r} is not the next one of {text!r}")
        starts.append(start)
        position = start + len(token)
        ends.append(position)
    if text[position:].strip():
        raise ValueError(f"no token covers the end of {text!r}")
    return Tokens(tokens, starts, ends)


class QuickMosesTokenizer(MosesTokenizer):
    """sacremoses' tokeniser with sets of letters, which sacremoses rebuilds at every full stop."""

    def __init__(self, language: str) -> None:
        super().__init__(language)
        self._letters = frozenset(self.IsAlpha)
        self._lower = frozenset(self.IsLower)

    def islower(self, text: str) -> bool:
        """Whether all characters of ``text`` are lower-case letters."""
        return self._lower.issuperset(text)

    def isanyalpha(self, text: str) -> bool:
        """Whether any character of ``text`` is a letter."""
        return not self._letters.isdisjoint(text)


def moses(language: str) -> Splitter:
    """``tokenizer.perl -no-escape -l language``; a language without a prefix list uses the English one."""
    tokenizer = QuickMosesTokenizer(language)
    return lambda text: tokenizer.tokenize(text, escape=False)


@cache
def segmenter() -> jieba.Tokenizer:
    """jieba with the package's dictionary; jieba itself would write a cache to the temporary folder."""
    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


def words_of_chinese(text: str) -> list[str]:
    """Words of a Chinese sentence by jieba, with its hidden Markov model for unknown words.

    jieba makes each letter outside ASCII a word; adjacent ones (``caf`` + ``é``, Cyrillic) are joined again.
    """
    words: list[str] = []
    touching = False
    for word in segmenter().lcut(text):
        if word.isspace():
            touching = False
        elif touching and is_letter(words[-1][-1]) and is_letter(word[0]) and not (words[-1] + word).isascii():
            words[-1] += word
        else:
            words.append(word)
            touching = True
    return words


def is_letter(character: str) -> bool:
    """Whether ``character`` is a letter of a script with spaces between words."""
    return character.isalpha() and not is_cjk(character)


def tokeniser(settings: SideSettings) -> Tokeniser:
    """The tokeniser of a side's settings."""
    name = settings.tokeniser
    if name == "auto":
        name = "jieba" if settings.language == "zh" else "moses"
    if name == "jieba":
        return Tokeniser(words_of_chinese)
    return Tokeniser(str.split if name == "spaces" else moses(settings.language))
