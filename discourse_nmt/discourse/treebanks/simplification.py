"""Chinese in simplified characters, by OpenCC (https://github.com/BYVoid/OpenCC)."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.conllu import ConlluRow, Sentence

IDEOGRAPHS = (range(0x3400, 0xA000), range(0xF900, 0xFB00), range(0x20000, 0x30000))


@cache
def simplifier() -> Callable[[str], str]:
    """The function that turns a text into simplified characters; an :class:`InputError` without OpenCC."""
    try:
        from opencc import OpenCC
    except ImportError:
        raise InputError(
            "simplified characters need OpenCC, which is not installed", remedy="install the extra workflow"
        ) from None
    convert: Callable[[str], str] = OpenCC("t2s").convert
    return convert


def simplified(sentence: Sentence) -> Sentence:
    """The sentence with words, lemmas and its comment ``# text`` in simplified characters."""
    convert = simplifier()

    def row(before: ConlluRow) -> ConlluRow:
        return replace(before, form=convert(before.form), lemma=convert(before.lemma))

    comments = (convert(line) if line.startswith("# text =") else line for line in sentence.comments)
    return Sentence(tuple(comments), tuple(row(before) for before in sentence.rows))


@cache
def simplified_characters() -> dict[str, str]:
    """The simplified character of each traditional one, where they differ."""
    characters = (chr(number) for numbers in IDEOGRAPHS for number in numbers)
    convert = simplifier()
    pairs = {character: convert(character) for character in characters}
    return {before: after for before, after in pairs.items() if before != after and len(after) == 1}
