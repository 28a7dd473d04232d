"""Settings of the text stage: the ``text`` section of a corpus."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings, required, setting

Side = Literal["source", "target"]
SIDES: tuple[Side, ...] = ("source", "target")
TokeniserName = Literal["auto", "moses", "jieba", "rjieba", "builtin", "spaces"]
SpacingName = Literal["marks", "rules"]
SubwordsName = Literal["bpe", "sentencepiece", "byte_bpe"]

# Settings that both sides share; all other ones may differ between the sides.
ONE_FOR_BOTH = ("subwords", "pretrained", "whole_vocabulary")

# By default translations keep the characters of their training text.
NORMALISED = {"source": True, "target": False}

# What these keys are in settings that were written before there were any.
BEFORE_MARKS = {"normalise": False, "spacing": "rules"}

# Module of each tokeniser that has one, with a function ``words``; loaded only where it is used.
OTHER_TOKENISERS = {
    "rjieba": "discourse_nmt.text.chinese.rjieba_words",
    "builtin": "discourse_nmt.discourse.chinese_words",
}

# Module and class of each kind of subwords but bpe; loaded only where it is used.
OTHER_SUBWORDS = {
    "sentencepiece": ("discourse_nmt.text.pieces.sentence_pieces", "SentencePieces"),
    "byte_bpe": ("discourse_nmt.text.pieces.byte_pairs", "BytePairs"),
}


@dataclass(frozen=True)
class BpeSettings:
    """Byte-pair encoding and the vocabulary of a side."""

    joint: bool = setting(True, "one BPE model and one vocabulary for both sides")
    merges: int = setting(32000, "number of merge operations; 0 keeps whole words", minimum=0)
    vocabulary_threshold: int = setting(
        0,
        "least number of occurrences on a side; merges into rarer subwords are undone; 0 undoes none",
        minimum=0,
    )
    vocabulary_size: int = setting(0, "largest number of symbols, rarer ones become <unk>; 0 keeps all", minimum=0)

    def __post_init__(self) -> None:
        if self.vocabulary_threshold and not self.merges:
            raise InputError("vocabulary_threshold needs merges", remedy="use vocabulary_size for words")


@dataclass(frozen=True)
class SentencePieceSettings:
    """A SentencePiece model that is learnt, with its vocabulary."""

    algorithm: Literal["unigram", "bpe"] = setting(
        "unigram", "pieces that explain the text best (Kudo 2018), or byte-pair encoding of characters"
    )
    size: int = setting(8000, "number of pieces", minimum=10)
    character_coverage: float = setting(
        0.9995, "share of the text's characters that are pieces; 1.0 for alphabets", minimum=0.98, maximum=1
    )


@dataclass(frozen=True)
class SideSettings:
    """One side's text settings."""

    language: str = required("language code that picks the rules of tokeniser and detokeniser: en, de, zh ...")
    tokeniser: TokeniserName = setting(
        "auto",
        "auto is jieba for zh and moses for other languages; rjieba is an extra; builtin has the words of the builtin "
        "analysers, for zh; spaces is for text that is tokenised already",
    )
    normalise: bool = setting(
        False, "one form for characters that mean the same: composed letters, ASCII quotation marks and dashes"
    )
    spacing: SpacingName = setting(
        "marks",
        "white space and case of translations by marks on words, so that every line comes back exactly; or by the "
        "rules of Moses, as papers had them",
    )
    lowercase: bool = setting(False, "lowercase all text, instead of truecasing")
    truecase: bool = setting(True, "give every word, also at the start of a sentence, its most frequent casing")
    subwords: SubwordsName = setting(
        "bpe",
        "bpe is learnt; sentencepiece is learnt, or with pretrained that of Marian, M2M-100, NLLB-200 or mBART; "
        "byte_bpe is that of BART",
    )
    pretrained: str | None = setting(
        None,
        "folder of the pretrained model's checkpoint in the format of Hugging Face; docs/how-to/pretrained.md explains",
    )
    language_code: str | None = setting(
        None, "the checkpoint's code of the language, such as zho_Hant or >>deu<<; null finds it by the language"
    )
    whole_vocabulary: bool = setting(
        False, "use all subwords of the checkpoint, not only those of the training split; byte_bpe needs it"
    )
    bpe: BpeSettings = setting(BpeSettings(), "byte-pair encoding and vocabulary")
    sentencepiece: SentencePieceSettings = setting(
        SentencePieceSettings(), "subwords: sentencepiece without pretrained: the model that is learnt"
    )

    def __post_init__(self) -> None:
        if self.tokeniser == "builtin" and self.language != "zh":
            raise InputError(
                f"tokeniser builtin is for Chinese, not for {self.language}",
                remedy="set it to auto for this side",
            )
        if (self.subwords == "bpe" and self.pretrained) or (self.subwords == "byte_bpe" and not self.pretrained):
            raise InputError(
                f"subwords is {self.subwords}, pretrained is {self.pretrained}",
                remedy="byte_bpe goes with the directory of a checkpoint, bpe with null, sentencepiece with both",
            )
        if self.subwords == "byte_bpe" and not self.whole_vocabulary:
            raise InputError("subwords byte_bpe cannot do without a subword", remedy="set whole_vocabulary to true")
        changed = (self.lowercase or self.normalise) and self.pretrained is not None
        if self.subwords != "bpe" and (changed or self.truecase or self.bpe.vocabulary_threshold):
            raise InputError(
                f"subwords {self.subwords} reads text as it is written",
                remedy="set truecase and lowercase to false and bpe.vocabulary_threshold to 0; with pretrained also "
                "normalise to false, as a checkpoint has a normalisation of its own",
            )
        if self.learns_pieces and self.bpe.vocabulary_size:
            raise InputError("bpe.vocabulary_size is not for sentencepiece", remedy="set sentencepiece.size")
        if self.language_code is not None and self.pretrained is None:
            raise InputError("language_code is a code of a checkpoint", remedy="set pretrained, or leave it out")

    @property
    def learns_pieces(self) -> bool:
        """Whether a SentencePiece model is learnt."""
        return self.subwords == "sentencepiece" and self.pretrained is None


@dataclass(frozen=True)
class TextSettings:
    """The settings of both sides."""

    source: SideSettings
    target: SideSettings

    def __post_init__(self) -> None:
        for name in ONE_FOR_BOTH:
            if getattr(self.source, name) != getattr(self.target, name):
                raise InputError(f"text.{name} differs between the sides", remedy="give one value for both")
        if self.joint and self.source.sentencepiece != self.target.sentencepiece:
            raise InputError("text.sentencepiece differs between the sides", remedy="set text.bpe.joint to false")
        for name in ("joint", "merges", "vocabulary_size"):
            same = getattr(self.source.bpe, name) == getattr(self.target.bpe, name)
            if not same and (self.joint or name == "joint"):
                raise InputError(f"text.bpe.{name} differs between the sides", remedy="set text.bpe.joint to false")

    @property
    def joint(self) -> bool:
        """Whether both sides share their subwords and their vocabulary."""
        return self.source.bpe.joint

    def of(self, side: Side) -> SideSettings:
        """The settings of ``source`` or ``target``."""
        return self.source if side == "source" else self.target

    @classmethod
    def from_mapping(cls, section: Mapping[str, object]) -> "TextSettings":
        """Settings from the configuration's form.

        ``section`` holds ``source_language``, ``target_language`` and any of the other fields of
        :class:`SideSettings`, of which ``bpe`` and ``sentencepiece`` are mappings. A value may be given per side, as
        ``{source: ..., target: ...}``. Raises :class:`InputError` naming the key at fault.
        """
        given = {name: value for name, value in section.items() if not name.endswith("_language")}
        common = {"normalise": NORMALISED, **given}
        sides = {}
        for side in SIDES:
            values = {
                **of_side(common, side),
                **{name: of_side(section[name], side) for name in ("bpe", "sentencepiece") if name in section},
            }
            if f"{side}_language" in section:
                values["language"] = section[f"{side}_language"]
            sides[side] = parse_settings(SideSettings, values, "text")
        return cls(sides["source"], sides["target"])


def of_side(values: object, side: Side) -> Any:
    """``values`` with each value that is given per side replaced by that of ``side``."""
    if not isinstance(values, Mapping):
        return values
    return {
        name: value[side] if isinstance(value, Mapping) and set(value) == set(SIDES) else value
        for name, value in values.items()
    }
