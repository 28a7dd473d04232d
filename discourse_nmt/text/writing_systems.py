"""Writing systems with and without spaces between words, and the white space that a reader expects between tokens."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from discourse_nmt.text.settings import SideSettings

UNSPACED_LANGUAGES = {"zh", "ja"}

# Radicals to Yi (with kana, ideographs and CJK punctuation), compatibility ideographs, full-width forms,
# planes 2 and 3.
CJK = re.compile("[\u2e80-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]")
# One at most, and no end of a line: more of them part columns.
BLANK = re.compile(r"(?![\n\t\u2028\u2029])\s?")
CLAUSE_MARKS = {",", ".", ";", ":", "!", "?"}
Expected = Callable[[Sequence[str]], list[str]]
"""White space before each token of a sentence, and after the last."""


def is_cjk(character: str) -> bool:
    """Whether ``character`` is Chinese or Japanese, punctuation and full-width forms included."""
    return CJK.match(character) is not None


def is_spaced(character: str) -> bool:
    """Whether ``character`` is a letter or digit of a script with spaces between words."""
    return character.isalnum() and not is_cjk(character)


def spaces(tokens: Sequence[str]) -> list[str]:
    """A space between any two tokens."""
    return ["", *[" "] * (len(tokens) - 1), ""] if tokens else [""]


def between_words(tokens: Sequence[str]) -> list[str]:
    """A space where letters or digits of scripts with spaces meet, as between Latin words in Chinese.

    There is one after a comma or similar mark between a letter or digit and a letter, too.
    """
    gaps = [""]
    for before, (left, right) in zip(["", *tokens], pairwise(tokens)):
        words = is_spaced(left[-1]) and is_spaced(right[0])
        clauses = left in CLAUSE_MARKS and is_spaced(before[-1:]) and is_spaced(right[0]) and right[0].isalpha()
        gaps.append(" " if words or clauses else "")
    return [*gaps, ""] if tokens else gaps


def expected_by(settings: SideSettings) -> Expected:
    """What a side's language lets expect."""
    unspaced = settings.language in UNSPACED_LANGUAGES and settings.tokeniser != "spaces"
    return between_words if unspaced else spaces


def joined(tokens: Sequence[str], gaps: Sequence[str]) -> str:
    """The line of ``tokens`` with white space before each and after the last."""
    return "".join(piece for pair in zip(gaps, [*tokens, ""], strict=True) for piece in pair)


def with_gaps(sentences: Sequence[str], gaps: Sequence[str], space: str) -> str:
    """A text of ``sentences``: what stands before each and after the last, or ``space`` for one blank between two."""
    between = range(1, len(gaps) - 1)
    return joined(sentences, [space if at in between and BLANK.fullmatch(gap) else gap for at, gap in enumerate(gaps)])
