"""Word graphs of the source document and of its draft translation, for a sentence model (spec 03).

A graph encoder reads the graphs of the documents of a batch, each once for all its sentences. Every layer of encoder
and decoder attends to the states of a sentence's nodes; gates join the result with the path of the sentence model. With
gates of 1 the network is the sentence model. The network computes the probability of spec 03, equations 1 to 3.
"""

from collections.abc import Sequence

from torch import Tensor, nn

from discourse_nmt.models.context.host import ContextMemory, ContextTransformer
from discourse_nmt.models.context.paragraphs import ParagraphSource
from discourse_nmt.models.core.embeddings import InputEmbedding
from discourse_nmt.models.graph.encoder import GraphEncoder, word_states
from discourse_nmt.models.graph.layers import GraphDecoderLayer, GraphEncoderLayer, SeenNodes
from discourse_nmt.models.graph.nodes import GraphBatch, SideNodes, graph_batch
from discourse_nmt.models.graph.word_graphs import ParagraphGraphs
from discourse_nmt.models.switches.document_graph import DocumentGraphSettings


class DocumentGraph(ContextTransformer):
    """The sentence model with graph encoders, and layers that attend to their nodes."""

    settings: DocumentGraphSettings

    def __init__(self, settings: DocumentGraphSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__(settings, source_size, target_size, shared)
        self.graph_encoder = GraphEncoder(settings.width, settings.heads, settings)
        self.draft_encoder: GraphEncoder | None = None
        if settings.target_graph != "none" and not settings.share_graph_encoder:
            self.draft_encoder = GraphEncoder(settings.width, settings.heads, settings)

    def encoder_layer(self, index: int) -> nn.Module:
        """See :class:`.Transformer`."""
        return GraphEncoderLayer(self.settings)

    def decoder_layer(self, index: int) -> nn.Module:
        """See :class:`.Transformer`."""
        return GraphDecoderLayer(self.settings)

    def arrange(self, structures: Sequence[ParagraphGraphs], source_ids: Tensor) -> GraphBatch:
        """Tensors of the graphs; ``structures`` are the paragraphs' graphs."""
        return graph_batch(self.settings, structures, source_ids)

    def encode_source(self, source: ParagraphSource) -> ContextMemory:
        """Encode every sentence of a batch in view of the source graph; without graphs as the sentence model does."""
        if self.settings.context == "none" or source.structure is None:
            return super().encode_source(source)
        graphs = self.encode_graphs(source.structure)
        parts = []
        for rows, length in source.groups:
            seen = graphs["source"].select(rows).of_words(length) if "source" in graphs else None
            parts.append(self.encode(source.ids[rows, :length], seen).states)
        states = source.groups.join(parts, source.ids.shape[1])
        contexts = {side: nodes.of_sentences() for side, nodes in graphs.items()}
        return ContextMemory(states, self.hidden(source.ids), contexts=contexts)

    def encode_graphs(self, graphs: GraphBatch) -> dict[str, SeenNodes]:
        """The nodes of the sentences, by side."""
        parts = {
            "source": (self.graph_encoder, self.source_embedding),
            "target": (self.draft_encoder or self.graph_encoder, self.target_embedding),
        }
        return {side: self._encode(nodes, *parts[side]) for side, nodes in graphs.sides.items()}

    def _encode(self, nodes: SideNodes, encoder: GraphEncoder, embedding: InputEmbedding) -> SeenNodes:
        words = word_states(self.as_context(embedding.weight), nodes.subwords, nodes.starts, embedding.scale)
        return SeenNodes(encoder(words, nodes.graphs)[None], nodes.nodes, nodes.padding, nodes.gaps, nodes.related)
