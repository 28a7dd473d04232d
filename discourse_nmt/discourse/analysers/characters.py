"""Input of the segmenter for a character: its id, if it is frequent, and its kind.

For Chinese, which has no spaces, a letter's kind shows its position in a word of jieba's dictionary: the beginning or
the rest of a word of several letters. The segmenter learns where the words of the treebank differ from these words.
"""

import unicodedata

import numpy as np
import numpy.typing as npt

from discourse_nmt.text.chinese.jieba_words import segmenter as dictionary_segmenter
from discourse_nmt.text.writing_systems import is_cjk

# One letter per kind; the first match in `kind_of` counts.
KINDS = ("pad", "newline", "space", "upper", "lower", "letter", "digit", "punctuation", "symbol", "mark", "other")
DICTIONARY_KINDS = (*KINDS, "word begins", "word goes on")
_KIND = {name: number for number, name in enumerate(DICTIONARY_KINDS)}

# Typographic variants count as the plain character.
PLAIN = str.maketrans("‘’‛ʼ`´“”„‟«»–—―−…\u00a0", "''''''\"\"\"\"\"\"----." + " ")


def kind_of(character: str) -> int:
    """Index of the character's kind in :data:`KINDS`."""
    if character in "\n\r\u2028\u2029":
        return _KIND["newline"]
    if character.isspace():
        return _KIND["space"]
    category = unicodedata.category(character)
    if category in ("Lu", "Lt"):
        return _KIND["upper"]
    if category == "Ll":
        return _KIND["lower"]
    return _KIND[
        {"L": "letter", "N": "digit", "P": "punctuation", "S": "symbol", "M": "mark"}.get(category[0], "other")
    ]


class CharacterFeatures:
    """Ids of characters: from 2 for a list of frequent ones; 0 is padding, 1 any other character.

    With ``dictionary``, the kind of a Chinese letter is its position in jieba's words.
    """

    def __init__(self, characters: str, dictionary: bool = False) -> None:
        self.dictionary = dictionary
        self._ids = {character: number for number, character in enumerate(characters, 2)}
        self._memory: dict[str, tuple[int, int]] = {}

    def of(self, text: str) -> npt.NDArray[np.int64]:
        """Ids [2, len(text)]: character and kind."""
        pairs = [self._memory.get(character) or self._remember(character) for character in text]
        ids = np.array(pairs, np.int64).reshape(len(text), 2).T
        if self.dictionary:
            start = 0
            for word in dictionary_segmenter().cut(text):
                end = start + len(word)
                if len(word) > 1 and word[0].isalpha() and is_cjk(word[0]):
                    ids[1, start] = _KIND["word begins"]
                    ids[1, start + 1 : end] = _KIND["word goes on"]
                start = end
        return ids

    def _remember(self, character: str) -> tuple[int, int]:
        plain = character.translate(PLAIN)
        pair = (self._ids.get(plain, 1), kind_of(plain))
        self._memory[character] = pair
        return pair
