"""Subwords of a SentencePiece model (Kudo and Richardson 2018): a checkpoint's, or learnt from the corpus."""

import base64
import binascii
import io
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from sentencepiece import SentencePieceProcessor, SentencePieceTrainer
from sentencepiece.sentencepiece_model_pb2 import ModelProto  # type: ignore[attr-defined]

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.vocabulary import SPECIALS, WORD_BEGIN
from discourse_nmt.text.pieces.languages import is_language_symbol
from discourse_nmt.text.pieces.layouts import Layout, layout_of, model_file
from discourse_nmt.text.settings import SentencePieceSettings, Side, TextSettings

LONGEST = 1 << 20  # bytes of a sentence that is learnt from; longer ones would be skipped in silence


class SentencePieces:
    """A SentencePiece model: cuts text into pieces, with ``▁`` for a space.

    ``mark`` is the symbol of a language that begins each sentence, None if there is none. ``layout`` is the
    checkpoint's, of which the model is.
    """

    def __init__(self, model: bytes, file: str | Path, mark: str | None = None, layout: Layout | None = None) -> None:
        self.mark = mark
        self.layout = layout
        self._model = model
        self._processor = SentencePieceProcessor()
        try:
            self._processor.LoadFromSerializedProto(model)
        except RuntimeError:
            raise InputError("not a SentencePiece model", file=file, remedy="get it again") from None

    @classmethod
    def of_checkpoint(cls, directory: Path, side: Side, settings: TextSettings) -> "SentencePieces":
        """The model of a side in a checkpoint's directory."""
        path = model_file(directory, side)
        processor = SentencePieceProcessor()
        try:
            processor.LoadFromFile(str(path))
        except (OSError, RuntimeError):
            raise InputError("not a SentencePiece model, or none", file=path, remedy="get it again") from None
        pieces = [processor.IdToPiece(index) for index in range(processor.GetPieceSize())]
        layout = layout_of(directory, side, settings, pieces)
        return cls(processor.serialized_model_proto(), path, layout.mark, layout)

    @classmethod
    def learnt(cls, lines: Iterable[str], settings: SentencePieceSettings) -> "SentencePieces":
        """A model learnt from ``lines``; :class:`InputError` if they do not suffice for its size."""
        model = io.BytesIO()
        try:
            SentencePieceTrainer.train(
                sentence_iterator=iter(lines),
                model_writer=model,
                model_type=settings.algorithm,
                vocab_size=settings.size,
                character_coverage=settings.character_coverage,
                normalization_rule_name="identity",  # Chinese keeps its wide marks
                max_sentence_length=LONGEST,
                num_threads=1,
                minloglevel=2,
            )
        except (OSError, RuntimeError) as error:
            reason = " ".join(str(error).split()).rpartition("] ")[2].rstrip(".")
            remedy = "give another size, or more text to learn from"
            raise InputError(f"text.sentencepiece.size is {settings.size}: {reason}", remedy=remedy) from None
        return cls(model.getvalue(), "learnt")

    @classmethod
    def of_json(cls, content: Any, file: str | Path) -> "SentencePieces":
        """The model from a value of :meth:`to_json`."""
        try:
            return cls(base64.b64decode(content["sentencepiece"], validate=True), file, content.get("mark"))
        except (KeyError, TypeError, ValueError, binascii.Error):
            raise InputError("not a SentencePiece model", file=file, remedy="make the text stage again") from None

    def to_json(self) -> object:
        """The model as a value for a JSON file."""
        content = {"sentencepiece": base64.b64encode(self._model).decode()}
        return content if self.mark is None else {**content, "mark": self.mark}

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The pieces that text is cut into, without special symbols, in the order of a checkpoint's rows."""
        if self.layout is not None:
            # A vocabulary may hold pieces of the other side's model too.
            special = {*SPECIALS, "<s>", self.mark}
            by_row = sorted(self.layout.rows, key=self.layout.rows.__getitem__)
            return tuple(symbol for symbol in by_row if symbol not in special and not is_language_symbol(symbol))
        processor = self._processor
        normal = [
            processor.IdToPiece(index)
            for index in range(processor.GetPieceSize())
            if not (processor.IsControl(index) or processor.IsUnknown(index))
        ]
        return tuple(piece for piece in normal if piece not in SPECIALS)

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
        return SentencePieces(model.SerializeToString(), "restricted", self.mark)

    @staticmethod
    def is_mark(symbol: str) -> bool:
        """Whether ``symbol`` may be that of a language before a sentence, which is no part of its text."""
        return is_language_symbol(symbol)

    @staticmethod
    def join(subwords: Sequence[str]) -> str:
        """The text of ``subwords``, words separated by single spaces."""
        return " ".join("".join(subwords).replace(WORD_BEGIN, " ").split())
