"""The symbols of one side and their ids: special symbols first, then subwords (or words) by falling frequency."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json, write_json

SPECIALS = ("<pad>", "<s>", "</s>", "<unk>", "<mask>", "<sep>", "<eod>")
PAD, BEGIN, END, UNKNOWN, MASK, SEPARATOR, END_OF_DOCUMENT = range(len(SPECIALS))
WORD_PART, WORD_BEGIN = "@@", "▁"
"""The end of a subword whose word goes on, and the begin of one that begins a word, as SentencePiece marks it."""
JOINER, SMALL = "￭", "￮"
"""Marks on words and beside them: no space stands here, no capital starts the sentence. See :mod:`.text.spelling`."""


@dataclass(frozen=True)
class Vocabulary:
    """``symbols[i]`` has the id ``i``; the first ones are :data:`SPECIALS` and no symbol occurs twice."""

    symbols: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.symbols[: len(SPECIALS)] != SPECIALS:
            raise ValueError(f"a vocabulary begins with {' '.join(SPECIALS)}")
        if len(self.ids) != len(self.symbols):
            raise ValueError("a vocabulary holds each symbol once")

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], size: int = 0) -> "Vocabulary":
        """The symbols of ``counts`` by falling count, then by symbol; at most ``size`` of them (0: all)."""
        ranked = sorted(counts.keys() - set(SPECIALS), key=lambda symbol: (-counts[symbol], symbol))
        return cls(SPECIALS + tuple(ranked[:size] if size else ranked))

    @cached_property
    def ids(self) -> dict[str, int]:
        """Id of each symbol."""
        return {symbol: index for index, symbol in enumerate(self.symbols)}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the symbols in order, in hexadecimal: equal for equal vocabularies only."""
        return hashlib.sha256("\n".join(self.symbols).encode()).hexdigest()

    def __len__(self) -> int:
        return len(self.symbols)

    def id_of(self, symbol: str) -> int:
        """Id of ``symbol``; :data:`UNKNOWN` where the vocabulary lacks it."""
        return self.ids.get(symbol, UNKNOWN)

    def symbol(self, index: int) -> str:
        """Symbol with the id ``index``; raises ``IndexError`` outside ``0 … len - 1``."""
        if index < 0:
            raise IndexError(index)
        return self.symbols[index]

    def text(self, ids: Iterable[int]) -> str:
        """The words of a sentence with these ids, special symbols left out; marks of the text stage stay in it.

        Subwords are those of BPE, which mark that their word goes on.
        """
        return " ".join(words_of(self.symbols[index] for index in ids if index >= len(SPECIALS)))

    @cached_property
    def marks_begins(self) -> bool:
        """Whether subwords mark the begin of a word, as those of SentencePiece do, and not that it goes on."""
        return any(symbol.startswith(WORD_BEGIN) for symbol in self.symbols)

    def save(self, path: str | Path) -> None:
        """Write the symbols as a JSON list, atomically."""
        write_json(list(self.symbols), path)

    @classmethod
    def load(cls, path: str | Path) -> "Vocabulary":
        """Read what :meth:`save` wrote; anything else is an :class:`InputError`."""
        symbols = read_json(path)
        if not isinstance(symbols, list) or not all(isinstance(symbol, str) for symbol in symbols):
            raise InputError("not a vocabulary: a JSON list of strings is expected", file=path)
        try:
            return cls(tuple(symbols))
        except ValueError as error:
            raise InputError(f"not a vocabulary: {error}", file=path, remedy="make the text stage again") from None


def words_of(subwords: Iterable[str]) -> list[str]:
    """Spelt words from subwords of BPE; a word that is never continued ends with the last subword."""
    text = " ".join(subwords)
    return f"{text} ".replace(f"{WORD_PART} ", "").split()
