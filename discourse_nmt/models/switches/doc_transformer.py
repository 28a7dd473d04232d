"""Switches of the document-level Transformer with a context encoder."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import setting
from discourse_nmt.models.switches.context import GATE_BIAS, ContextSettings
from discourse_nmt.models.switches.transformer import BEGINNING, Beginning, check_unchanged


@dataclass(frozen=True)
class DocTransformerSettings(ContextSettings):
    """Switches of DocTransformer, CTX (spec 06, section 1.8)."""

    context: Literal["online", "none"] = setting(
        "online", "context sentences: the earlier ones (online), or none (the sentence model)"
    )
    sentences: int = setting(2, "number of earlier source sentences in the context", minimum=1)
    context_layers: int = setting(1, "number of layers of the context encoder", minimum=1)
    beginning: Beginning = setting("random", BEGINNING)
    gate_bias: float | None = setting(None, f"{GATE_BIAS}; null for no bias")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.context_gradient:
            raise InputError(
                "context_gradient of doc_transformer is true: "
                "its context encoder reads the text itself, and always learns",
                remedy="leave it out",
            )
        # The joined states are normalised in norm: post, which changes states whose normalisation has learnt a scale.
        check_unchanged(self, norm=("pre",), gate_bias=(None,))
