"""Where checkpoints keep the row of each symbol in their embeddings, and which symbols surround a sentence."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.files import read_json
from discourse_nmt.text.pieces.files import (
    CONFIGURATION,
    MARIAN_PIECES,
    PIECES,
    TARGET_VOCABULARY,
    VOCABULARY,
    configuration,
    model_type,
    separate_vocabularies,
)
from discourse_nmt.text.pieces.languages import (
    M2M_100,
    MBART_25,
    MBART_50,
    NLLB_200,
    is_marian_symbol,
    language_symbol,
    m2m_symbol,
)
from discourse_nmt.text.settings import Side, TextSettings

Marks = Literal["both", "end", "language"]  # as the switch of the network

# Of fairseq: <s> <pad> </s> <unk>, the pieces after SentencePiece's special ones, the languages, <mask>.
SPECIAL_PIECES = ("<unk>", "<s>", "</s>")
SPECIAL_ROWS = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}
END_ALSO = {"<sep>": "</s>", "<eod>": "</s>"}


@dataclass(frozen=True)
class Layout:
    """The symbols of one side of a checkpoint."""

    model: str
    """Name of the file with the side's SentencePiece model."""
    rows: dict[str, int]
    """The row of each symbol in the embeddings, special symbols and languages included."""
    substitutes: dict[str, str]
    """The symbol of the checkpoint for special symbols that it lacks."""
    marks: Marks = "both"
    """The network's switch."""
    mark: str | None = None
    """The symbol of a language that begins each sentence of the side."""


def layout_of(directory: Path, side: Side, settings: TextSettings, pieces: Sequence[str]) -> Layout:
    """The layout of a checkpoint's ``side``, whose SentencePiece model has ``pieces``."""
    kind = model_type(directory, "sentencepiece")
    if kind == "marian":
        return _marian(directory, side, settings)
    if kind == "m2m_100" and (directory / VOCABULARY).exists():
        rows = vocabulary_rows(directory / VOCABULARY, ("<s>", "<pad>", "</s>", "<unk>"))
        languages = [m2m_symbol(code) for code in M2M_100]
        rows |= {symbol: len(rows) + index for index, symbol in enumerate(languages)}
        return _multilingual(directory, side, settings, rows, languages, {"<mask>": "<unk>"})
    if tuple(pieces[: len(SPECIAL_PIECES)]) != SPECIAL_PIECES:
        raise InputError(f"its first pieces are not {' '.join(SPECIAL_PIECES)}, as mBART's", file=directory / PIECES)
    if kind == "m2m_100":
        return _multilingual(directory, side, settings, fairseq_rows(pieces, NLLB_200), NLLB_200, {})
    of_25, of_50 = fairseq_rows(pieces, MBART_25), fairseq_rows(pieces, MBART_50)
    size = configuration(directory).get("vocab_size", len(of_25))
    if size == len(of_50):
        return _multilingual(directory, side, settings, of_50, MBART_50, {})
    if size != len(of_25):
        raise InputError(
            f"vocab_size is {size}, {PIECES} makes {len(of_25)} symbols (mBART-25) or {len(of_50)} (mBART-50)",
            file=directory / CONFIGURATION,
            remedy="the checkpoint's own files of subwords are needed",
        )
    return Layout(PIECES, of_25, {"<s>": mbart_25_beginning(settings.of(side).language), **END_ALSO})


def model_file(directory: Path, side: Side) -> Path:
    """The file with the SentencePiece model of a ``side``."""
    return directory / (MARIAN_PIECES[side] if model_type(directory, "sentencepiece") == "marian" else PIECES)


def mbart_25_beginning(language: str) -> str:
    """The symbol that begins a sentence in mBART-25: its language, or ``<s>`` where mBART-25 lacks it."""
    symbol = next((code for code in MBART_25 if code[:2] == language), None)
    if symbol is None:
        logging.getLogger(__name__).warning("mBART-25 does not know the language %s; <s> begins it", language)
    return symbol or "<s>"


def fairseq_rows(pieces: Sequence[str], languages: Sequence[str]) -> dict[str, int]:
    """The row of each symbol where rows follow from the ``pieces`` of the SentencePiece model."""
    of_pieces = {piece: index + 1 for index, piece in enumerate(pieces)}
    of_languages = {language: len(pieces) + 1 + index for index, language in enumerate(languages)}
    return {**of_pieces, **SPECIAL_ROWS, **of_languages, "<mask>": len(pieces) + 1 + len(languages)}


def vocabulary_rows(path: Path, needed: Sequence[str]) -> dict[str, int]:
    """The rows in a ``vocab.json``, which are 0, 1, … in any order; it must have the symbols ``needed``."""
    rows = read_json(path)
    if not isinstance(rows, dict) or sorted(rows.values(), key=str) != sorted(range(len(rows)), key=str):
        raise InputError("not symbols and their numbers", file=path, remedy="get it again")
    for symbol in needed:
        if symbol not in rows:
            raise InputError(f"it has no symbol {symbol}", file=path, remedy="get it again")
    return rows


def _multilingual(
    directory: Path,
    side: Side,
    settings: TextSettings,
    rows: dict[str, int],
    languages: Sequence[str],
    substitutes: dict[str, str],
) -> Layout:
    """A layout with a language before the sentences of both sides."""
    own = settings.of(side)
    mark = language_symbol(languages, own.language, own.language_code, str(directory))
    return Layout(PIECES, rows, {**substitutes, **END_ALSO}, "language", mark)


def _marian(directory: Path, side: Side, settings: TextSettings) -> Layout:
    """The layout of Marian, where a model of several target languages reads the language before the source."""
    separate = separate_vocabularies(directory)
    if separate and settings.joint:
        raise InputError(
            "each side of this checkpoint has a vocabulary of its own",
            file=directory / CONFIGURATION,
            remedy="set text.bpe.joint to false",
        )
    name = TARGET_VOCABULARY if separate and side == "target" else VOCABULARY
    rows = vocabulary_rows(directory / name, ("<pad>", "</s>", "<unk>"))
    mark = None
    if side == "source":
        languages, target = list(filter(is_marian_symbol, rows)), settings.target
        if languages or target.language_code is not None:
            mark = language_symbol(languages, target.language, target.language_code, str(directory))
    substitutes = {"<s>": "<pad>", "<mask>": "<unk>", **END_ALSO}
    return Layout(MARIAN_PIECES[side], rows, substitutes, "end", mark)
