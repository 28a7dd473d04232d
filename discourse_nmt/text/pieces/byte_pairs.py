"""Subwords of byte-level byte-pair encoding (Radford et al. 2019), as BART uses them."""

from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path

from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json, read_text
from discourse_nmt.base.vocabulary import SPECIALS
from discourse_nmt.text.pieces.files import MERGES, VOCABULARY, model_type
from discourse_nmt.text.pieces.layouts import END_ALSO, Layout
from discourse_nmt.text.settings import Side, TextSettings


class BytePairs:
    """Byte-pair encoding of UTF-8, which can encode any text; ``symbols`` are without special ones, in order of id."""

    def __init__(self, ids: dict[str, int], merges: list[str], file: str | Path) -> None:
        self._ids, self._merges = ids, merges
        try:
            missing = sorted(set(pre_tokenizers.ByteLevel.alphabet()) - ids.keys())
            pairs = [(left, right) for left, right in (line.split(" ") for line in merges)]
            model = models.BPE(vocab=ids, merges=pairs)
        except Exception as error:  # the library raises no narrower exception
            raise InputError(f"not byte-pair encoding ({error})", file=file, remedy="get it again") from None
        if missing:
            raise InputError(f"it lacks the byte {missing[0]}", file=file, remedy="get it again")
        self._tokenizer = Tokenizer(model)
        self._tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)

    @classmethod
    def of_checkpoint(cls, directory: Path, side: Side, settings: TextSettings) -> "BytePairs":
        """The encoding of a checkpoint's directory, which is the same for either side."""
        model_type(directory, "byte_bpe")
        ids = read_json(directory / VOCABULARY)
        lines = read_text(directory / MERGES).split("\n")
        merges = [line for line in lines if line and not line.startswith("#version")]
        if not isinstance(ids, dict):
            raise InputError("not subwords and their numbers", file=directory / VOCABULARY, remedy="get it again")
        return cls(ids, merges, directory / MERGES)

    @classmethod
    def of_json(cls, content: object, file: str | Path) -> "BytePairs":
        """The encoding from a value of :meth:`to_json`."""
        if not isinstance(content, dict) or set(content) != {"numbers", "merges"}:
            raise InputError("not byte-pair encoding", file=file, remedy="make the text stage again")
        return cls(content["numbers"], content["merges"], file)

    def to_json(self) -> object:
        """The encoding as a value for a JSON file."""
        return {"numbers": self._ids, "merges": self._merges}

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The subwords without special symbols, in order of id."""
        return tuple(symbol for symbol in sorted(self._ids, key=self._ids.__getitem__) if symbol not in SPECIALS)

    @property
    def layout(self) -> Layout:
        """The row of each symbol, special ones included, in BART's embeddings."""
        return Layout(VOCABULARY, self._ids, END_ALSO)

    @property
    def mark(self) -> None:
        """There is no symbol of a language."""
        return None

    @staticmethod
    def is_mark(symbol: str) -> bool:
        """No ``symbol`` is that of a language."""
        return False

    def cut(self, text: str) -> list[tuple[str, int, int]]:
        """Subwords of ``text``, each with its characters [start, end)."""
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return [(subword, *offsets) for subword, offsets in zip(encoding.tokens, encoding.offsets)]

    def restricted(self, symbols: Collection[str]) -> "BytePairs":
        """The same encoding: it needs all of its subwords (see the settings)."""
        return self

    @staticmethod
    def join(subwords: Sequence[str]) -> str:
        """The text of ``subwords``, words separated by single spaces; broken UTF-8 becomes U+FFFD."""
        return " ".join(decoders.ByteLevel().decode(list(subwords)).split())
