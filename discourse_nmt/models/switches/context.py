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
        message = f"system: beginning is {beginning}, feed_forward_width {settings.feed_forward_width}"
        raise InputError(message, remedy=f"it must be at least {2 * settings.width}, twice the width")


@dataclass(frozen=True)
class ContextSettings(TransformerSettings):
    """Switches that all systems with context have."""

    context: Literal["offline", "online", "none"] = setting(
        "offline",
        "context sentences in the paragraph: all others (offline), earlier ones (online), or none (the sentence model)",
    )
    context_gradient: bool = setting(False, "back-propagate through the states of context sentences")
