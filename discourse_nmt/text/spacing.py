"""The white space that a reader expects between tokens, so that marks tell only what is unexpected."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.writing_systems import UNSPACED_LANGUAGES, is_spaced

CLAUSE_MARKS = {",", ".", ";", ":", "!", "?"}
Expected = Callable[[Sequence[str]], list[str]]
"""White space before each token of a sentence, and after the last."""


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
