"""Words by jieba."""

import logging
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from discourse_nmt.text.writing_systems import is_cjk

if TYPE_CHECKING:
    import jieba  # long to import, and not used by every command that reads tokens


@cache
def segmenter() -> "jieba.Tokenizer":
    """jieba with the package's dictionary; jieba itself would write a cache to the temporary folder."""
    import jieba

    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


def words(text: str) -> list[str]:
    """Words of a sentence by jieba, with its hidden Markov model for unknown words."""
    return with_whole_letters(segmenter().lcut(text))


def with_whole_letters(pieces: Iterable[str]) -> list[str]:
    """The words among jieba's ``pieces``, some of which are white space.

    jieba makes each letter outside ASCII a word; adjacent ones (``caf`` + ``é``, Cyrillic) are joined again.
    """
    found: list[str] = []
    touching = False
    for piece in pieces:
        if piece.isspace():
            touching = False
        elif touching and is_letter(found[-1][-1]) and is_letter(piece[0]) and not (found[-1] + piece).isascii():
            found[-1] += piece
        else:
            found.append(piece)
            touching = True
    return found


def is_letter(character: str) -> bool:
    """Whether ``character`` is a letter of a script with spaces between words."""
    return character.isalpha() and not is_cjk(character)
