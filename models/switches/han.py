"""Switches of the hierarchical attention network."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.corpus.settings import setting
from discourse_nmt.models.switches.context import ContextSettings


@dataclass(frozen=True)
class HanSettings(ContextSettings):
    """Switches of HAN (spec 06, section 1.2)."""

    context: Literal["online", "none"] = setting("online", "the earlier sentences, or none (the sentence model)")
    place: Literal["encoder", "decoder", "joint"] = setting(
        "joint", "where a block is: on top of the encoder, of the decoder, or both"
    )
    sentences: int = setting(3, "earlier sentences that are seen", minimum=1)
    context_hidden: int = setting(1024, "width of the hidden layer of each block's feed-forward", minimum=1)
