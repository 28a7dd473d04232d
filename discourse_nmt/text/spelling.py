"""Words as subwords are cut from them, and back: marks of white space and case, escapes of what means something there.

With ``spacing: marks`` every line comes back exactly. A word has the mark ``￭`` at the end where no space stands
although one is expected, as in OpenNMT's tokeniser (Klein et al. 2017):
``He said: "Yes."`` is ``he said ￭: "￭ Yes ￭. ￭"``.
The mark is on punctuation where it can be, so that words keep their form. Other white space, such as a no-break space
or two spaces, is a word of its own, ``&#160;``. In languages without spaces none is expected but between words of other
scripts. A word that starts a sentence without a capital has the word ``￮`` before it, as truecasing leaves out capitals
there.

Text that looks like a mark, like the end ``@@`` of a subword or like a special symbol is escaped: ``&#64;``.
"""

import re
import sys
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from discourse_nmt.base.vocabulary import JOINER, SMALL, SPECIALS
from discourse_nmt.text.detokenisers import detokeniser
from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.tokenisers import Tokens
from discourse_nmt.text.truecasing import Casing, ExactCase, caser, detruecase
from discourse_nmt.text.writing_systems import expected_by, joined

MARKS = re.compile(f"[{JOINER}{SMALL}]")
SYMBOLS = "|".join(re.escape(mark[1:]) for mark in (*SPECIALS, "</w>"))
RESERVED = re.compile(rf"&(?=#)|@(?=@)|(?<=@)@|<(?={SYMBOLS})|[{JOINER}{SMALL}]")
ESCAPED = re.compile(r"&#(\d{1,7});")
ESCAPED_SPACE = re.compile(rf"(?:{ESCAPED.pattern})+")


class Restored(NamedTuple):
    """Tokens in natural case, and the line that they are from."""

    tokens: list[str]
    line: str


class Spelling(Protocol):
    """How the tokens of a side are spelt as words."""

    def words(self, tokens: Tokens) -> list[list[str]]:
        """The words of each token: itself, and marks next to it that are words of their own."""
        ...

    def read(self, words: Sequence[str]) -> Restored:
        """The sentence of these words, which may be any: a translation model writes what it likes."""
        ...


def spelling(settings: SideSettings, casing: Casing | None = None) -> Spelling:
    """The spelling of a side's settings with its casing table, which reading does without."""
    return Marks(settings, casing or {}) if settings.spacing == "marks" else Rules(settings, casing or {})


class Rules:
    """Words are tokens, cased by Moses; its rules tell white space and case again, as far as they can."""

    def __init__(self, settings: SideSettings, casing: Casing) -> None:
        self._case = caser(settings, casing)
        self._detruecase = detruecase if settings.truecase and not settings.lowercase else list[str]
        self._detokenise = detokeniser(settings)

    def words(self, tokens: Tokens) -> list[list[str]]:
        """See :class:`Spelling`."""
        return [[escaped(token)] for token in self._case(tokens.tokens)]

    def read(self, words: Sequence[str]) -> Restored:
        """See :class:`Spelling`."""
        tokens = self._detruecase(list(map(unescaped, words)))
        return Restored(tokens, self._detokenise(tokens))


class Marks:
    """Words have marks wherever white space or case would not come back."""

    def __init__(self, settings: SideSettings, casing: Casing) -> None:
        self._expected = expected_by(settings)
        self._case = ExactCase(settings, casing)

    def words(self, tokens: Tokens) -> list[list[str]]:
        """See :class:`Spelling`."""
        cased, small = self._case.cased(tokens.tokens)
        words = [[SMALL, escaped(token)] if index in small else [escaped(token)] for index, token in enumerate(cased)]
        for index, (gap, usual) in enumerate(zip(tokens.gaps, self._expected(tokens.tokens))):
            if gap == usual:
                continue
            if index == len(words):
                words[-1:] = [[*words[-1], space_word(gap)]] if words else []
            elif gap:
                words[index].insert(0, space_word(gap))
            elif takes_mark(tokens.tokens, index):
                words[index][-1] = JOINER + words[index][-1]
            else:
                words[index - 1][-1] += JOINER
        return words

    def read(self, words: Sequence[str]) -> Restored:
        """See :class:`Spelling`."""
        tokens, gaps, small = list[str](), list[str | None](), set[int]()
        gap: str | None = None
        for word in words:
            if ESCAPED_SPACE.fullmatch(word) and (space := unescaped(word)).isspace():
                gap = (gap or "") + space
                continue
            gap = "" if gap is None and word.startswith(JOINER) else gap
            if word.strip(JOINER) == SMALL:
                small.add(len(tokens))
            elif token := _token(word):
                tokens.append(token)
                gaps.append(gap)
                gap = "" if word.endswith(JOINER) else None
        usual = self._expected(tokens)
        known = [expected if gap is None else gap for gap, expected in zip([*gaps, gap or None], usual, strict=True)]
        natural = self._case.restored(tokens, small)
        return Restored(natural, joined(natural, known))


def takes_mark(tokens: Sequence[str], index: int) -> bool:
    """Whether a token takes the mark that joins it to the one before, which takes it where it alone ends in a sign."""
    return not tokens[index][0].isalnum() or tokens[index - 1][-1].isalnum()


def space_word(space: str) -> str:
    """White space as a word."""
    return "".join(f"&#{ord(character)};" for character in space)


def escaped(text: str) -> str:
    """``text`` without anything that means something in words and subwords."""
    return RESERVED.sub(lambda match: space_word(match.group()), text)


def unescaped(word: str) -> str:
    """The text that was :func:`escaped`; any other text is unchanged."""
    return ESCAPED.sub(lambda match: _meant(int(match[1])) or match[0], word)


def _token(word: str) -> str:
    """The token of a word; a model may write marks and white space within it, too."""
    return "".join(unescaped(MARKS.sub("", word)).split())


def _meant(code: int) -> str:
    """The character that the project writes with this code; empty for a code that it does not write."""
    character = chr(code) if code <= sys.maxunicode else ""
    return character if character.isspace() or (character and character in f"&@<{JOINER}{SMALL}") else ""
