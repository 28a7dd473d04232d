"""The section ``text`` of a corpus, most of whose values may be given for each side."""

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal

from discourse_nmt.base.settings import required, setting
from discourse_nmt.text.settings import (
    NORMALISED,
    BpeSettings,
    SentencePieceSettings,
    SideSettings,
    SpacingName,
    SubwordsName,
    TokeniserName,
)


@dataclass(frozen=True)
class BySide:
    """A value for each side; :class:`.TextSettings` checks them."""

    source: object = required("value of the source side")
    target: object = required("value of the target side")


def setting_of(kind: type[object], name: str, default: object = MISSING) -> Any:
    """A dataclass field with meaning and range of the field ``name`` of ``kind``, and with its or another default."""
    (entry,) = (entry for entry in fields(kind) if entry.name == name)  # type: ignore[arg-type]
    return field(default=entry.default if default is MISSING else default, metadata=entry.metadata)


@dataclass(frozen=True)
class BpeSection:
    """Byte-pair encoding and the vocabulary of a side."""

    joint: bool = setting_of(BpeSettings, "joint")
    merges: int | BySide = setting_of(BpeSettings, "merges")
    vocabulary_threshold: int | BySide = setting_of(BpeSettings, "vocabulary_threshold")
    vocabulary_size: int | BySide = setting_of(BpeSettings, "vocabulary_size")


@dataclass(frozen=True)
class SentencePieceSection:
    """A SentencePiece model that is learnt, with its vocabulary."""

    algorithm: Literal["unigram", "bpe"] | BySide = setting_of(SentencePieceSettings, "algorithm")
    size: int | BySide = setting_of(SentencePieceSettings, "size")
    character_coverage: float | BySide = setting_of(SentencePieceSettings, "character_coverage")


@dataclass(frozen=True)
class TextSection:
    """One side's text settings."""

    tokeniser: TokeniserName | BySide = setting_of(SideSettings, "tokeniser")
    normalise: bool | BySide = setting_of(SideSettings, "normalise", BySide(**NORMALISED))
    spacing: SpacingName | BySide = setting_of(SideSettings, "spacing")
    lowercase: bool | BySide = setting_of(SideSettings, "lowercase")
    truecase: bool | BySide = setting_of(SideSettings, "truecase")
    subwords: SubwordsName = setting_of(SideSettings, "subwords")
    pretrained: str | None = setting_of(SideSettings, "pretrained")
    language_code: str | BySide | None = setting_of(SideSettings, "language_code")
    whole_vocabulary: bool = setting_of(SideSettings, "whole_vocabulary")
    bpe: BpeSection = setting(BpeSection(), "byte-pair encoding and vocabulary")
    sentencepiece: SentencePieceSection = setting(
        SentencePieceSection(), "subwords: sentencepiece without pretrained: the model that is learnt"
    )
