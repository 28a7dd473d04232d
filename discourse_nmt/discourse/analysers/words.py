"""Features of a word for the network: its form if known, its vector if it has one, hashed beginnings and endings, its
shape, its characters.

All features depend on the form only, so that they are computed once per form and kept.
"""

import zlib
from collections.abc import Sequence

import numpy as np

from discourse_nmt.base.arrays import Integers

OWN = 2  # ids of the whole word: that of its embedding, that of its fixed vector
AFFIXES = 11  # hashed pieces per word: beginnings of 1-4 characters, endings of 1-5, shape, lower-cased form
PAD, UNKNOWN = 0, 1
KNOWN_CHARACTERS = 126  # characters with an id of their own: the most frequent ones of the training data
REMEMBERED = 200_000  # forms kept; a full memory is emptied


def shape(form: str) -> str:
    """Outline: ``X`` upper, ``x`` lower, ``9`` digit, others themselves; runs cut to two (``McDonald-2``: XxXxx-9)."""
    outline: list[str] = []
    for character in form[:40]:
        mark = character
        if character.isdigit():
            mark = "9"
        elif character.isalpha():
            mark = "X" if character.isupper() else "x"
        if outline[-2:] != [mark, mark]:
            outline.append(mark)
    return "".join(outline)


class WordFeatures:
    """Feature ids of forms, for a given vocabulary.

    ``words`` and ``vectors`` are lower-cased forms (id 2 onwards), ``characters`` single characters (id 2 onwards);
    ``buckets`` is the size of the hashed table and ``width`` the number of characters that are used (of a longer word,
    the first ``width - 4`` and the last 4).
    """

    def __init__(
        self, words: Sequence[str], characters: Sequence[str], buckets: int, width: int, vectors: Sequence[str] = ()
    ) -> None:
        self.words = {word: number for number, word in enumerate(words, 2)}
        self.vectors = {word: number for number, word in enumerate(vectors, 2)}
        self.characters = {character: number for number, character in enumerate(characters, 2)}
        self.buckets, self.width = buckets, width
        self._memory: dict[str, Integers] = {}

    def of(self, forms: Sequence[str]) -> Integers:
        """Ids [len(forms), OWN + AFFIXES + width]: word, vector, hashed pieces, characters (padded with 0)."""
        if len(self._memory) > REMEMBERED:
            self._memory.clear()
        rows = []
        for form in forms:
            row = self._memory.get(form)
            if row is None:
                row = self._memory[form] = self._row(form)
            rows.append(row)
        return np.stack(rows) if rows else np.zeros((0, OWN + AFFIXES + self.width), np.int64)

    def _row(self, form: str) -> Integers:
        lower = form.lower()
        pieces = [f"{size}<{lower[:size]}" for size in (1, 2, 3, 4)]
        pieces += [f"{size}>{lower[-size:]}" for size in (1, 2, 3, 4, 5)]
        pieces += [f"={shape(form)}", f"+{lower}"]
        seen = form if len(form) <= self.width else form[: self.width - 4] + form[-4:]
        row = np.zeros(OWN + AFFIXES + self.width, np.int64)
        row[:OWN] = self.words.get(lower, UNKNOWN), self.vectors.get(lower, UNKNOWN)
        hashes = [zlib.crc32(piece.encode("utf-8", "surrogatepass")) for piece in pieces]
        row[OWN : OWN + AFFIXES] = [number % self.buckets for number in hashes]
        row[OWN + AFFIXES : OWN + AFFIXES + len(seen)] = [self.characters.get(mark, UNKNOWN) for mark in seen]
        return row
