"""Tokenisers whose tokens know where they came from.

Every tokeniser here returns the characters of the sentence unchanged, cut into tokens, so that offsets are
found by walking along the sentence. Two things that the libraries do would break this and are handled
beforehand: the Moses tokeniser drops control characters, and uses the letters ``DOTMULTI`` as its own mark
for an ellipsis.
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
    """Tokens of one sentence; token ``i`` came from the raw characters ``[starts[i], ends[i])``."""

    tokens: list[str]
    starts: list[int]
    ends: list[int]


class Tokeniser:
    """Cuts raw sentences by a ``splitter``, which may drop white space and must change nothing else.

    Control characters (U+0000–U+0008, U+000E–U+001B) are left out of the tokens: one inside a token lies
    inside its span, one between tokens belongs to none. Every other character that is not white space lies
    in exactly one span.
    """

    def __init__(self, splitter: Splitter) -> None:
        self._split = splitter

    def tokenise(self, raw: str) -> Tokens:
        """Tokens of ``raw`` with their offsets, in order; no token is empty or holds white space."""
        return self._tokenise_guarded(raw) if TROUBLE.search(raw) else align(self._split(raw), raw)

    def _tokenise_guarded(self, raw: str) -> Tokens:
        """The same where the library would change characters: it is shown a harmless text instead."""
        positions = [number for number, character in enumerate(raw) if not CONTROLS.match(character)]
        clean = "".join(raw[number] for number in positions)
        harmless = clean.replace(MOSES_ELLIPSIS, HARMLESS)
        _, starts, ends = align(self._split(harmless), harmless)
        return Tokens(
            [clean[start:end] for start, end in zip(starts, ends)],
            [positions[start] for start in starts],
            [positions[end - 1] + 1 for end in ends],
        )


def align(tokens: list[str], text: str) -> Tokens:
    """Offsets of ``tokens``, which cover all of ``text`` but white space; ``ValueError`` otherwise."""
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
    """sacremoses' tokeniser with its letter tables kept as sets instead of rebuilt at every full stop."""

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
    """``tokenizer.perl -no-escape -l language``; a language without prefix list takes the English one."""
    tokenizer = QuickMosesTokenizer(language)
    return lambda text: tokenizer.tokenize(text, escape=False)


@cache
def segmenter() -> jieba.Tokenizer:
    """jieba with the package's dictionary, read here so that it leaves no cache in the temporary folder."""
    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


def words_of_chinese(text: str) -> list[str]:
    """Words of a Chinese sentence by jieba, unknown ones by its hidden Markov model.

    jieba cuts letters outside ASCII one by one; those that touch (``caf`` + ``é``, Cyrillic) are joined
    again.
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
    """Whether ``character`` is a letter of a script that writes spaces between words."""
    return character.isalpha() and not is_cjk(character)


def tokeniser(settings: SideSettings) -> Tokeniser:
    """The tokeniser that a side's settings ask for."""
    name = settings.tokeniser
    if name == "auto":
        name = "jieba" if settings.language == "zh" else "moses"
    if name == "jieba":
        return Tokeniser(words_of_chinese)
    return Tokeniser(str.split if name == "spaces" else moses(settings.language))
