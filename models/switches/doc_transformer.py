"""Switches of the document-level Transformer with a context encoder."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.corpus.settings import setting
from discourse_nmt.models.switches.context import ContextSettings


@dataclass(frozen=True)
class DocTransformerSettings(ContextSettings):
    """Switches of DocTransformer, CTX (spec 06, section 1.8)."""

    context: Literal["online", "none"] = setting("online", "the earlier sentences, or none (the sentence model)")
    sentences: int = setting(2, "earlier source sentences that are seen", minimum=1)
    context_layers: int = setting(1, "layers of the context encoder", minimum=1)
