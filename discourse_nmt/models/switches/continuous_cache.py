"""Switches of the continuous cache."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.settings import setting
from discourse_nmt.models.switches.context import ContextSettings
from discourse_nmt.models.switches.transformer import BEGINNING, Beginning, check_unchanged


@dataclass(frozen=True)
class ContinuousCacheSettings(ContextSettings):
    """Switches of the continuous cache (spec 06, section 1.9)."""

    context: Literal["online", "none"] = setting(
        "online", "context sentences: the earlier ones (online), or none (the sentence model)"
    )
    size: int = setting(25, "capacity of the cache in words", minimum=1)
    projections: bool = setting(
        True, "read the cache by multi-head attention; false compares the vectors without projections"
    )
    beginning: Beginning = setting("random", BEGINNING)
    gate_bias: float = setting(0.0, "initial bias of the gate; with -2.2 the sentence model starts with weight 0.9")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unchanged(self, gate_bias=(0.0,))
