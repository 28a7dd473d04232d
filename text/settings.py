"""What can be chosen about the text stage: the ``text`` section of a corpus."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from corpus.errors import InputError
from corpus.options import build

Side = Literal["source", "target"]
SIDES: tuple[Side, ...] = ("source", "target")
TokeniserName = Literal["auto", "moses", "jieba", "spaces"]


@dataclass(frozen=True)
class BpeSettings:
    """Byte-pair encoding and the vocabulary of a side; each field's comment is its meaning."""

    joint: bool = True  # learn one BPE model and one vocabulary on both sides together
    merges: int = 32000  # merge operations; 0: no BPE, whole words are the symbols
    vocabulary_threshold: int = 0  # undo merges into subwords rarer than this on their side; 0: none
    vocabulary_size: int = 0  # most symbols kept, special ones not counted, the rest is <unk>; 0: all

    def __post_init__(self) -> None:
        for name in ("merges", "vocabulary_threshold", "vocabulary_size"):
            if getattr(self, name) < 0:
                raise InputError(f"text.bpe.{name} is negative")
        if self.vocabulary_threshold and not self.merges:
            raise InputError("text.bpe.vocabulary_threshold needs merges", remedy="use vocabulary_size for words")


@dataclass(frozen=True)
class SideSettings:
    """One side's text settings; each field's comment is its meaning."""

    language: str  # language code that picks the rules of tokeniser and detokeniser: en, de, zh ...
    tokeniser: TokeniserName = "auto"  # auto: jieba for zh, else moses; spaces: text that is tokenised already
    lowercase: bool = False  # lower-case every word; takes the place of truecasing
    truecase: bool = True  # give the words at sentence starts, and forms never seen, their usual casing
    bpe: BpeSettings = field(default_factory=BpeSettings)


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
            bpe = build(BpeSettings, of_side(section.get("bpe", {}), side), "text.bpe")
            language = {"language": section[f"{side}_language"]} if f"{side}_language" in section else {}
            sides[side] = build(SideSettings, {**of_side(common, side), **language, "bpe": bpe}, "text")
        return cls(sides["source"], sides["target"])


def of_side(values: Any, side: Side) -> Any:
    """``values`` with each value that is given per side replaced by that of ``side``."""
    if not isinstance(values, Mapping):
        return values
    return {
        name: value[side] if isinstance(value, Mapping) and set(value) == set(SIDES) else value
        for name, value in values.items()
    }
