"""Detokenisers: the inverse of each tokeniser, as far as one exists."""

import re
from collections.abc import Callable
from itertools import pairwise

from sacremoses import MosesDetokenizer

from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.writing_systems import is_cjk

Detokeniser = Callable[[list[str]], str]

UNSPACED_LANGUAGES = {"zh", "ja"}
MARKS = {",", ".", ";", ":", "!", "?"}


def detokeniser(settings: SideSettings) -> Detokeniser:
    """The function that joins the tokens of a sentence of that side into a line.

    ``spaces`` joins with single spaces; Chinese and Japanese follow :func:`join_unspaced`, other languages
    ``detokenizer.perl -l language``. Detokenisation changes white space only.
    """
    if settings.tokeniser == "spaces":
        return " ".join
    if settings.language in UNSPACED_LANGUAGES:
        return join_unspaced
    return moses(settings.language)


def moses(language: str) -> Detokeniser:
    """Moses' rules. XML escapes in the text are kept, as the tokeniser escapes nothing.

    Two kinds of token are divided first. The Moses tokeniser never produces them, but a translation model may:
    sacremoses turns ``@-@`` into a hyphen, and its Czech rule for an apostrophe before ``- li`` raises ``TypeError``.
    """
    detokenizer = MosesDetokenizer(language)
    trouble = re.compile("(@)(-)(@)" if language != "cs" else "(@)(-)(@)|(.+)(')")

    def detokenise(tokens: list[str]) -> str:
        pieces: list[str] = []
        for token in tokens:
            match = trouble.fullmatch(token)
            pieces += [piece for piece in match.groups() if piece] if match else [token]
        return detokenizer.detokenize(pieces, unescape=False)

    return detokenise


def join_unspaced(tokens: list[str]) -> str:
    """Join without spaces, except between words of Latin and other spaced scripts.

    There is a space between two tokens that meet in letters or digits of such scripts, and after a comma or similar
    mark between a letter or digit and a letter.
    """
    pieces = tokens[:1]
    for before, (left, right) in zip(["", *tokens], pairwise(tokens)):
        words = is_spaced(left[-1]) and is_spaced(right[0])
        clauses = left in MARKS and is_spaced(before[-1:]) and is_spaced(right[0]) and right[0].isalpha()
        pieces.append(f" {right}" if words or clauses else right)
    return "".join(pieces)


def is_spaced(character: str) -> bool:
    """Whether ``character`` is a letter or digit of a script with spaces between words."""
    return character.isalnum() and not is_cjk(character)
