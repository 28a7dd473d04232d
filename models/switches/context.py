"""Switches of the systems that translate sentence by sentence with context from the paragraph around it."""

from dataclasses import dataclass
from typing import Literal

from corpus.settings import setting
from models.switches.transformer import TransformerSettings

Beginning = Literal["random", "alike"]
BEGINNING = "what attention to the context begins with: a mix of all (random), or words like the one that asks (alike)"


@dataclass(frozen=True)
class ContextSettings(TransformerSettings):
    """Switches that all systems with context have."""

    context: Literal["offline", "online", "none"] = setting(
        "offline", "sentences of the paragraph that are seen: all others, the earlier ones, none (the sentence model)"
    )
    context_gradient: bool = setting(False, "the loss also reaches what computes the states of context sentences")
