"""Subwords of byte-level byte-pair encoding (Radford et al. 2019), as BART brings them along."""

from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.storage.files import read_json, read_text
from discourse_nmt.corpus.vocabulary import SPECIALS

VOCABULARY, MERGES = "vocab.json", "merges.txt"


class BytePairs:
    """Byte-pair encoding of UTF-8 in which every text can be written; ``symbols`` without special ones, by number."""

    def __init__(self, numbers: dict[str, int], merges: list[str], file: str | Path) -> None:
        self._numbers, self._merges = numbers, merges
        try:
            missing = sorted(set(pre_tokenizers.ByteLevel.alphabet()) - numbers.keys())
            pairs = [(left, right) for left, right in (line.split(" ") for line in merges)]
            model = models.BPE(vocab=numbers, merges=pairs)
        except Exception as error:  # the library raises no narrower one
            raise InputError(f"not byte-pair encoding ({error})", file=file, remedy="get it again") from None
        if missing:
            raise InputError(f"it lacks the byte {missing[0]}", file=file, remedy="get it again")
        self._tokenizer = Tokenizer(model)
        self._tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)

    @classmethod
    def of_checkpoint(cls, directory: Path) -> "BytePairs":
        """The encoding of a checkpoint's directory."""
        numbers = read_json(directory / VOCABULARY)
        lines = read_text(directory / MERGES).split("\n")
        merges = [line for line in lines if line and not line.startswith("#version")]
        if not isinstance(numbers, dict):
            raise InputError("not subwords and their numbers", file=directory / VOCABULARY, remedy="get it again")
        return cls(numbers, merges, directory / MERGES)

    @classmethod
    def of_json(cls, content: Any, file: str | Path) -> "BytePairs":
        """What :meth:`to_json` gave."""
        if not isinstance(content, dict) or set(content) != {"numbers", "merges"}:
            raise InputError("not byte-pair encoding", file=file, remedy="make the text stage again")
        return cls(content["numbers"], content["merges"], file)

    def to_json(self) -> Any:
        """The encoding as a value for a JSON file."""
        return {"numbers": self._numbers, "merges": self._merges}

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The subwords."""
        return tuple(
            symbol for symbol in sorted(self._numbers, key=self._numbers.__getitem__) if symbol not in SPECIALS
        )

    @property
    def rows(self) -> dict[str, int]:
        """The row of each symbol and of special ones in BART's embeddings."""
        return self._numbers

    def beginning(self, language: str) -> str:
        """The symbol that begins a sentence, of whatever ``language``."""
        return "<s>"

    def cut(self, text: str) -> list[tuple[str, int, int]]:
        """Subwords of ``text``, each with the characters [start, end) it comes from."""
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return [(subword, *offsets) for subword, offsets in zip(found.tokens, found.offsets)]

    def restricted(self, symbols: Collection[str]) -> "BytePairs":
        """Itself: it cannot do without a subword, see the settings."""
        return self

    @staticmethod
    def join(subwords: Sequence[str]) -> str:
        """The text of ``subwords``, words separated by single spaces; broken UTF-8 becomes U+FFFD."""
        return " ".join(decoders.ByteLevel().decode(list(subwords)).split())
