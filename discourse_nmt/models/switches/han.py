"""Switches of the hierarchical attention network."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.settings import setting
from discourse_nmt.models.switches.context import GATE_BIAS, ContextSettings
from discourse_nmt.models.switches.transformer import BEGINNING, Beginning, check_unchanged


@dataclass(frozen=True)
class HanSettings(ContextSettings):
    """Switches of HAN (spec 06, section 1.2)."""

    context: Literal["online", "none"] = setting(
        "online", "context sentences: the earlier ones (online), or none (the sentence model)"
    )
    place: Literal["encoder", "decoder", "joint"] = setting(
        "joint", "position of the hierarchical attention: on top of the encoder, of the decoder, or of both"
    )
    sentences: int = setting(3, "number of earlier sentences in the context", minimum=1)
    context_hidden: int = setting(1024, "width of the hidden layer of its feed-forward blocks", minimum=1)
    beginning: Beginning = setting("random", BEGINNING)
    gate_bias: float = setting(0.0, GATE_BIAS)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_unchanged(self, gate_bias=(0.0,))
