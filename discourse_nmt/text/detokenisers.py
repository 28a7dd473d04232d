"""Detokenisers by rules: the inverse of each tokeniser, as far as one exists.

They are for tokens without marks of white space (:mod:`.spelling`): texts of treebanks, and settings with
``spacing: rules``.
"""

import re
from collections.abc import Callable

from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.writing_systems import UNSPACED_LANGUAGES, between_words, joined

Detokeniser = Callable[[list[str]], str]


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
    from sacremoses import MosesDetokenizer  # long to import, and used with spacing: rules alone

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
    """Join without spaces, except between words of Latin and other spaced scripts; see :func:`.between_words`."""
    return joined(tokens, between_words(tokens))
