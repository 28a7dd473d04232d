"""Switches of the systems that translate sentence by sentence with context from the paragraph around it."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.models.switches.transformer import Beginning, TransformerSettings

GATE_BIAS = "initial bias of the gates; with 2.2 the sentence model starts with weight 0.9"


def check_beginning(beginning: Beginning, settings: TransformerSettings) -> None:
    """Raise :class:`InputError` where a feed-forward block is too narrow to begin as the identity."""
    if beginning != "random" and settings.feed_forward_width < 2 * settings.width:
        message = f"beginning is {beginning}, feed_forward_width {settings.feed_forward_width}"
        raise InputError(message, remedy=f"it must be at least {2 * settings.width}, twice the width")


@dataclass(frozen=True)
class ContextSettings(TransformerSettings):
    """Switches that all systems with context have."""

    context: Literal["offline", "online", "none"] = setting(
        "offline",
        "context sentences in the paragraph: all others (offline), earlier ones (online), or none (the sentence model)",
    )
    context_gradient: bool = setting(False, "back-propagate through the states of context sentences")


@dataclass(frozen=True)
class SideConstraintSettings(ContextSettings):
    """Switches of the side constraint."""

    context: Literal["online", "none"] = setting(
        "online", "context sentences: the earlier ones (online), or none (the sentence model)"
    )
    target_language: Literal["", "de", "es", "fr", "ru"] = setting(
        "", "language of the translations, whose forms of address are known; it must be given"
    )
    reward: float = setting(2.0, "nats that the scores of words of the kept form get", minimum=0)
    penalty: float = setting(2.0, "nats that the scores of words of other forms lose", minimum=0)
    sentences: int = setting(20, "how far back the last translation with a form may be, in sentences", minimum=1)
    drafts: bool = setting(
        False,
        "keep the form of most drafts, each sentence translated by itself, its own among them; of references the last",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.context_gradient:
            raise InputError(
                "context_gradient of side_constraint is true: it reads words of context sentences, no states",
                remedy="leave it out",
            )
