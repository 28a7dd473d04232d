"""What can be chosen about the text stage: the ``text`` section of a corpus."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from corpus.errors import InputError
from corpus.settings import parse_settings, required, setting

Side = Literal["source", "target"]
SIDES: tuple[Side, ...] = ("source", "target")
TokeniserName = Literal["auto", "moses", "jieba", "spaces"]


@dataclass(frozen=True)
class BpeSettings:
    """Byte-pair encoding and the vocabulary of a side."""

    joint: bool = setting(True, "one BPE model and one vocabulary for both sides")
    merges: int = setting(32000, "merge operations; 0 keeps whole words", minimum=0)
    vocabulary_threshold: int = setting(
        0,
        "merges into subwords that a side has fewer than this many times are undone; 0 undoes none",
        minimum=0,
    )
    vocabulary_size: int = setting(0, "most symbols kept, the rest becomes <unk>; 0 keeps all", minimum=0)

    def __post_init__(self) -> None:
        if self.vocabulary_threshold and not self.merges:
            raise InputError("text.bpe.vocabulary_threshold needs merges", remedy="use vocabulary_size for words")


@dataclass(frozen=True)
class SideSettings:
    """One side's text settings."""

    language: str = required("language code that picks the rules of tokeniser and detokeniser: en, de, zh ...")
    tokeniser: TokeniserName = setting(
        "auto", "moses, jieba (Chinese), spaces (text that is tokenised already), or auto (jieba for zh, else moses)"
    )
    lowercase: bool = setting(False, "lowercase all text; it takes the place of truecasing")
    truecase: bool = setting(True, "give words their most frequent casing, sentence starts included")
    bpe: BpeSettings = setting(BpeSettings(), "byte-pair encoding and vocabulary")


@dataclass(frozen=True)
class TextSettings:
    """The settings of both sides."""

    source: SideSettings
    target: SideSettings

    def __post_init__(self) -> None:
        for name in ("joint", "merges", "vocabulary_size"):
            same = getattr(self.source.bpe, name) == getattr(self.target.bpe, name)
            if not same and (self.joint or name == "joint"):
                raise InputError(f"text.bpe.{name} differs between the sides", remedy="set text.bpe.joint to false")

    @property
    def joint(self) -> bool:
        """Whether both sides share their merges and their vocabulary."""
        return self.source.bpe.joint

    def of(self, side: Side) -> SideSettings:
        """The settings of ``source`` or ``target``."""
        return self.source if side == "source" else self.target

    @classmethod
    def from_mapping(cls, section: Mapping[str, Any]) -> "TextSettings":
        """Settings from the configuration's form.

        ``section`` holds ``source_language``, ``target_language`` and any of ``tokeniser``, ``lowercase``,
        ``truecase`` and ``bpe`` with the fields of :class:`BpeSettings`. A value may be given per side, as
        ``{source: ..., target: ...}``. Raises :class:`InputError` naming the key at fault.
        """
        common = {name: value for name, value in section.items() if not name.endswith("_language")}
        sides = {}
        for side in SIDES:
            values = {**of_side(common, side), "bpe": of_side(section.get("bpe", {}), side)}
            if f"{side}_language" in section:
                values["language"] = section[f"{side}_language"]
            sides[side] = parse_settings(SideSettings, values, "text")
        return cls(sides["source"], sides["target"])


def of_side(values: Any, side: Side) -> Any:
    """``values`` with each value that is given per side replaced by that of ``side``."""
    if not isinstance(values, Mapping):
        return values
    return {
        name: value[side] if isinstance(value, Mapping) and set(value) == set(SIDES) else value
        for name, value in values.items()
    }
