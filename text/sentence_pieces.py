"""Subwords of a SentencePiece model (Kudo and Richardson 2018), as mBART uses it."""

import base64
import binascii
import logging
from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from sentencepiece import SentencePieceProcessor
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.vocabulary import SPECIALS

FILE = "sentencepiece.bpe.model"
SPACE = "▁"
SPECIAL_PIECES = ("<unk>", "<s>", "</s>")
# Rows of mBART-25: <s> <pad> </s> <unk>, the pieces after SentencePiece's special ones, the languages, <mask>.
SPECIAL_ROWS = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
# fmt: off
LANGUAGES = (
    "ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX", "gu_IN", "hi_IN", "it_IT", "ja_XX", "kk_KZ",
    "ko_KR", "lt_LT", "lv_LV", "my_MM", "ne_NP", "nl_XX", "ro_RO", "ru_RU", "si_LK", "tr_TR", "vi_VN", "zh_CN",
)
# fmt: on


class SentencePieces:
    """A SentencePiece model: cuts text into pieces, with ``▁`` for a space.

    ``symbols`` are the pieces without special ones, in the model's order.
    """

    def __init__(self, model: bytes, file: str | Path) -> None:
        self._model = model
        self._processor = SentencePieceProcessor()
        try:
            self._processor.LoadFromSerializedProto(model)
        except RuntimeError:
            raise InputError("not a SentencePiece model", file=file, remedy="get it again") from None
        self._pieces = [self._processor.IdToPiece(index) for index in range(self._processor.GetPieceSize())]
        if tuple(self._pieces[: len(SPECIAL_PIECES)]) != SPECIAL_PIECES:
            raise InputError(f"its first pieces are not {' '.join(SPECIAL_PIECES)}, as mBART's", file=file)

    @classmethod
    def of_checkpoint(cls, directory: Path) -> "SentencePieces":
        """The model of a checkpoint's directory."""
        processor = SentencePieceProcessor()
        try:
            processor.LoadFromFile(str(directory / FILE))
        except (OSError, RuntimeError):
            raise InputError(
                "not a SentencePiece model, or none", file=directory / FILE, remedy="get it again"
            ) from None
        return cls(processor.serialized_model_proto(), directory / FILE)

    @classmethod
    def of_json(cls, content: Any, file: str | Path) -> "SentencePieces":
        """The model from a value of :meth:`to_json`."""
        try:
            return cls(base64.b64decode(content["sentencepiece"], validate=True), file)
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise InputError("not a SentencePiece model", file=file, remedy="make the text stage again") from None

    def to_json(self) -> Any:
        """The model as a value for a JSON file."""
        return {"sentencepiece": base64.b64encode(self._model).decode()}

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The pieces without special symbols."""
        return tuple(piece for piece in self._pieces[len(SPECIAL_PIECES) :] if piece not in SPECIALS)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each symbol in mBART-25's embeddings, special ones and languages included."""
        pieces = {piece: index + 1 for index, piece in enumerate(self._pieces)}
        languages = {language: len(self._pieces) + 1 + index for index, language in enumerate(LANGUAGES)}
        return {**pieces, **SPECIAL_ROWS, **languages, "<mask>": len(self._pieces) + 1 + len(LANGUAGES)}

    def beginning(self, language: str) -> str:
        """The symbol that begins a target sentence in mBART: its language, or ``<s>`` where mBART-25 lacks it."""
        symbol = next((code for code in LANGUAGES if code[:2] == language), None)
        if symbol is None:
            logging.getLogger(__name__).warning("mBART-25 does not know the language %s; <s> begins it", language)
        return symbol or "<s>"

    def cut(self, text: str) -> list[tuple[str, int, int]]:
        """Pieces of ``text``, each with its characters [start, end); unknown characters are pieces as they are."""
        encoding = self._processor.Encode(text, return_type="offset_mapping")
        return [(piece, *offsets) for piece, offsets in zip(encoding["pieces"], encoding["offsets"])]

    def restricted(self, symbols: Collection[str]) -> "SentencePieces":
        """A model that cuts text into ``symbols`` only."""
        model = ModelProto.FromString(self._model)
        for piece in model.pieces:
            if piece.type == ModelProto.SentencePiece.NORMAL and piece.piece not in symbols:
                piece.type = ModelProto.SentencePiece.UNUSED
        return SentencePieces(model.SerializeToString(), FILE)

    @staticmethod
    def join(subwords: Sequence[str]) -> str:
        """The text of ``subwords``, words separated by single spaces."""
        return " ".join("".join(subwords).replace(SPACE, " ").split())
