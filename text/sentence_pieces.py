"""Subwords of a SentencePiece model (Kudo and Richardson 2018), as mBART brings it along."""

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
# mBART-25 numbers <s> <pad> </s> <unk>, the pieces after SentencePiece's special ones, its languages, <mask>.
SPECIAL_ROWS = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
# fmt: off
LANGUAGES = (
    "ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX", "gu_IN", "hi_IN", "it_IT", "ja_XX", "kk_KZ",
    "ko_KR", "lt_LT", "lv_LV", "my_MM", "ne_NP", "nl_XX", "ro_RO", "ru_RU", "si_LK", "tr_TR", "vi_VN", "zh_CN",
)
# fmt: on


class SentencePieces:
    """A SentencePiece model: cuts text into pieces, in which ``▁`` stands for a space.

    ``symbols`` are the pieces in the model's order without special ones.
    """

    def __init__(self, model: bytes, file: str | Path) -> None:
        self._model = model
        self._processor = SentencePieceProcessor()
        try:
            self._processor.LoadFromSerializedProto(model)
        except RuntimeError:
            raise InputError("not a SentencePiece model", file=file, remedy="get it again") from None
        self._pieces = [self._processor.IdToPiece(number) for number in range(self._processor.GetPieceSize())]
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
        """What :meth:`to_json` gave."""
        try:
            return cls(base64.b64decode(content["sentencepiece"], validate=True), file)
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise InputError("not a SentencePiece model", file=file, remedy="make the text stage again") from None

    def to_json(self) -> Any:
        """The model as a value for a JSON file."""
        return {"sentencepiece": base64.b64encode(self._model).decode()}

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The pieces."""
        return tuple(piece for piece in self._pieces[len(SPECIAL_PIECES) :] if piece not in SPECIALS)

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each symbol, of special ones and languages in mBART-25's embeddings."""
        moved = {piece: number + 1 for number, piece in enumerate(self._pieces)}
        languages = {language: len(self._pieces) + 1 + number for number, language in enumerate(LANGUAGES)}
        return {**moved, **SPECIAL_ROWS, **languages, "<mask>": len(self._pieces) + 1 + len(LANGUAGES)}

    def beginning(self, language: str) -> str:
        """The symbol that begins a target sentence in mBART: its language, or ``<s>`` where mBART-25 lacks it."""
        found = next((code for code in LANGUAGES if code[:2] == language), None)
        if found is None:
            logging.getLogger(__name__).warning("mBART-25 does not know the language %s; <s> begins it", language)
        return found or "<s>"

    def cut(self, text: str) -> list[tuple[str, int, int]]:
        """Pieces of ``text``, each with the characters [start, end) it comes from; unknown characters as they are."""
        found = self._processor.Encode(text, return_type="offset_mapping")
        return [(piece, *offsets) for piece, offsets in zip(found["pieces"], found["offsets"])]

    def restricted(self, symbols: Collection[str]) -> "SentencePieces":
        """The model that cuts text into ``symbols`` only."""
        model = ModelProto.FromString(self._model)
        for piece in model.pieces:
            if piece.type == ModelProto.SentencePiece.NORMAL and piece.piece not in symbols:
                piece.type = ModelProto.SentencePiece.UNUSED
        return SentencePieces(model.SerializeToString(), FILE)

    @staticmethod
    def join(subwords: Sequence[str]) -> str:
        """The text of ``subwords``, words separated by single spaces."""
        return " ".join("".join(subwords).replace(SPACE, " ").split())
