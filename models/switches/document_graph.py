"""Switches of the document graph."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import setting
from discourse_nmt.corpus.storage.tables import RELATIONS, Relation
from discourse_nmt.models.switches.context import ContextSettings
from discourse_nmt.models.switches.graph_encoder import GraphEncoderSettings


@dataclass(frozen=True)
class DocumentGraphSettings(GraphEncoderSettings, ContextSettings):
    """Switches of the document graph (spec 03, section 10)."""

    context: Literal["offline", "none"] = setting("offline", "the word graph of the document, or the sentence model")
    relations: list[Relation] = setting(
        list(RELATIONS), "relations of words that are edges; the analysis must have them"
    )
    architecture: Literal["serial", "parallel", "hybrid"] = setting(
        "hybrid",
        "how the source graph is attended to: after self-attention and after attention to the source, beside them, or "
        "after in the encoder and beside in the decoder",
    )
    target_graph: Literal["none", "serial", "parallel"] = setting(
        "parallel", "how the decoder attends to the graph of a draft translation: after self-attention or beside it"
    )
    draft: Literal["whole", "earlier"] = setting(
        "whole", "sentences of the draft whose graph there is: all, or those before the current one"
    )
    earlier_sentences: int = setting(3, "draft: earlier: sentences before the current one that are seen", minimum=1)
    scope: Literal["all", "related", "current"] = setting(
        "current", "words of the graph that are seen: all of it, the word's neighbours, those of the sentence"
    )
    prune_hops: int | None = setting(
        2, "scope all: words within so many edges of the sentence are seen; null: of the whole document", minimum=0
    )
    share_graph_encoder: bool = setting(True, "one graph encoder for the source and the draft")
    share_decoder_attention: bool = setting(True, "in a decoder layer one attention to the graphs of both")
    share_decoder_gate: bool = setting(True, "in a decoder layer one gate for the graphs of both")
    gate_bias: float = setting(0.0, "initial bias of the gates; 2.2 begins with 0.9 of the sentence model")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.relations)) < len(self.relations):
            raise InputError(f"system: relations are {', '.join(self.relations)}", remedy="name each once")

    @property
    def structure(self) -> str:
        """Graphs of the source, or of the source and a draft of the target."""
        if self.context == "none":
            return ""
        return "graph" if self.target_graph == "none" else "graphs"
