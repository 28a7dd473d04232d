"""Switches of the graph encoder (spec 03, section 10). Free of torch, so that the workflow can read them."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.corpus.settings import probability, setting

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
    graph_activation: Literal["sigmoid", "relu"] = setting("sigmoid", "nonlinearity of a graph convolution")
    direction_weights: Literal["dot", "multi_head", "gates"] = setting(
        "dot", "weights of the directions in, out and self: dot product, multi-head attention, or one gate each"
    )
    mask_empty_directions: bool = setting(False, "give no weight to a direction in which a word has no edge")
    graph_dropout: float = probability(0.2, "dropout rate of the graph encoder's input")
