"""Switches of the document graph."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.relations import RELATIONS, Relation
from discourse_nmt.base.settings import probability, setting
from discourse_nmt.models.switches.context import GATE_BIAS, ContextSettings
from discourse_nmt.models.switches.transformer import BEGINNING, Beginning, check_unchanged

GraphNorm = Literal["rowcol", "literal", "row"]


@dataclass(frozen=True)
class GraphEncoderSettings:
    """How a word graph is encoded."""

    graph_layers: int = setting(2, "number of graph convolutions, which is the reach in edges", minimum=1)
    graph_norm: GraphNorm = setting(
        "rowcol",
        "weight of an edge: 1 / sqrt(row sum x column sum), literal (the printed formula, with one direction's "
        "degrees for both ends), or row (the mean)",
    )
    graph_activation: Literal["sigmoid", "relu", "gelu"] = setting("sigmoid", "nonlinearity of a graph convolution")
    graph_residual: bool = setting(False, "residual connection around each graph convolution")
    graph_layer_norm: bool = setting(
        False, "layer normalisation after each graph convolution, and after its residual sum"
    )
    relation_gates: bool = setting(
        False,
        "a learnt gate for each edge, by its relation and by the word that it comes from, and degrees by relation; "
        "false merges all relations",
    )
    direction_weights: Literal["dot", "multi_head", "gates"] = setting(
        "dot", "weights of the directions in, out and self: dot product, multi-head attention, or one gate each"
    )
    mask_empty_directions: bool = setting(False, "give no weight to a direction in which a word has no edge")
    graph_dropout: float = probability(0.2, "dropout rate of the graph encoder's input")


@dataclass(frozen=True)
class DocumentGraphSettings(GraphEncoderSettings, ContextSettings):
    """Switches of the document graph (spec 03, section 10)."""

    context: Literal["offline", "none"] = setting(
        "offline", "context: the word graph of the document (offline), or none (the sentence model)"
    )
    relations: list[Relation] = setting(
        list(RELATIONS), "relations that are edges of the graph; the analysis must have them"
    )
    architecture: Literal["serial", "parallel", "hybrid"] = setting(
        "hybrid",
        "attention to the source graph: after self-attention in the encoder and after attention to the source in the "
        "decoder (serial), beside these (parallel), or serial in the encoder and parallel in the decoder (hybrid)",
    )
    target_graph: Literal["none", "serial", "parallel"] = setting(
        "parallel", "attention of the decoder to the graph of a draft translation: after self-attention or beside it"
    )
    draft: Literal["whole", "earlier"] = setting(
        "whole", "sentences of the draft in its graph: all, or those before the current one"
    )
    earlier_sentences: int = setting(3, "draft: earlier: number of sentences before the current one", minimum=1)
    scope: Literal["all", "related", "current"] = setting(
        "current",
        "words of the graph that a word attends to: all, its neighbours (related), or those of its sentence (current)",
    )
    prune_hops: int | None = setting(
        2, "scope: all: largest distance from the sentence in edges; null for the whole document", minimum=0
    )
    pruning: Literal["exact", "printed"] = setting(
        "exact",
        "words farther than prune_hops from a sentence: not attended to, though their states may reach it (exact), or "
        "removed from its graph before it is encoded (printed), which differs for scopes all and related and for more "
        "graph_layers than prune_hops, and encodes a graph for each sentence",
    )
    context_sentences: int | None = setting(
        None,
        "largest distance in sentences from the current one to a word of its graph, on either side; null for the whole "
        "document",
        minimum=0,
    )
    share_graph_encoder: bool = setting(True, "one graph encoder for the source and the draft")
    share_decoder_attention: bool = setting(
        True, "one attention per decoder layer for the graphs of the source and the draft"
    )
    share_decoder_gate: bool = setting(True, "one gate per decoder layer for the graphs of the source and the draft")
    gate_bias: float = setting(0.0, GATE_BIAS)
    beginning: Beginning = setting("random", BEGINNING)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(set(self.relations)) < len(self.relations):
            raise InputError(f"relations are {', '.join(self.relations)}", remedy="name each once")
        check_unchanged(self, gate_bias=(0.0,))

    @property
    def structure(self) -> str:
        """Graphs of the source, or of the source and a draft of the target."""
        if self.context == "none":
            return ""
        return "graph" if self.target_graph == "none" else "graphs"
