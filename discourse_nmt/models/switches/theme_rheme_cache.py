"""Switches of the theme-rheme cache."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.settings import setting
from discourse_nmt.models.switches.context import ContextSettings, check_beginning
from discourse_nmt.models.switches.transformer import BEGINNING, Beginning, check_unchanged

LABELLER_SIZES = {"labels": "", "lstm_dir_width": "direction_width", "lstm_layers": "layers"}
"""By switch: the setting of the labeller that determines it; empty where the labelled words do."""


@dataclass(frozen=True)
class ThemeRhemeCacheSettings(ContextSettings):
    """Switches of the theme-rheme cache (spec 05, section 9)."""

    context: Literal["online", "none"] = setting(
        "online", "context: the cache of earlier sentences (online), or none (the sentence model)"
    )
    cache: Literal["theme_rheme", "continuous", "none"] = setting(
        "theme_rheme",
        "words in the cache: by the labeller's score (theme_rheme), the most recent ones (continuous), or none",
    )
    cache_size: int = setting(25, "capacity of the cache in words; 0 is context: none", minimum=0)
    stop_filter: bool | None = setting(
        None, "never store stop words; null is true for the theme-rheme cache and false for the continuous one"
    )
    dedup_when_not_full: bool = setting(False, "replace an earlier occurrence of a word even if the cache is not full")
    ageing: Literal["none", "fixed", "learned"] = setting(
        "none",
        "decay of cached words with their age in sentences, in the choice of words and in attention: none (as "
        "printed), with a fixed half-life, or with a learned one",
    )
    half_life: float = setting(
        16.0, "ageing: age in sentences at which a word has half its weight; where a learned one begins", minimum=0.1
    )
    carried_sentences: int = setting(
        0,
        "training: up to so many sentences before a part of a cut document fill the cache, without a gradient; 0 "
        "begins each part with an empty cache",
        minimum=0,
    )
    ctx_residual: Literal["ffn", "none", "both"] = setting(
        "ffn",
        "residual connections of contextual attention: around its feed-forward block (ffn), none, or around both",
    )
    gate_bias: float | None = setting(
        None, "initial bias of the gate; with -2.2 the context starts with weight 0.1; null for no bias"
    )
    beginning: Beginning = setting("random", BEGINNING)
    labels: int = setting(4, "number of labels of the labeller; training reads it from the labeller's file", minimum=1)
    lstm_dir_width: int = setting(
        256, "width of the labeller's LSTM per direction; training reads it from the labeller's file", minimum=1
    )
    lstm_layers: int = setting(
        2, "number of layers of the labeller's LSTM; training reads it from the labeller's file", minimum=1
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_beginning(self.beginning, self)
        check_unchanged(self, gate_bias=(None,))
        if self.cache == "none" or self.cache_size == 0:
            object.__setattr__(self, "context", "none")

    @property
    def structure(self) -> str:
        """Words of the source: which are the same, and which are stop words."""
        return "" if self.context == "none" else "cache_words"

    def decoding_structure(self, use_tree: bool) -> str:
        """The same in any case: it is no tree."""
        return self.structure

    @property
    def companions(self) -> tuple[str, ...]:
        """A labeller of themes, unless the cache has no scores."""
        return ("labeller",) if self.context != "none" and self.cache == "theme_rheme" else ()

    @property
    def filters(self) -> bool:
        """Whether stop words are left out."""
        return self.cache == "theme_rheme" if self.stop_filter is None else self.stop_filter
