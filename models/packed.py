"""A Transformer over whole instances, laid out flat: the host of the packed systems.

Layers are those of :mod:`models.transformer`; only who attends to whom differs. A system chooses the attention of each
layer by overriding three methods, and names the relations whose plans it needs.
"""

from torch import Tensor, nn

from models.packing import PackedBatch, PackedText, Plans, Relation
from models.related_attention import RelationAttention
from models.transformer import DecoderLayer, EncoderLayer, Transformer


class PackedEncoderLayer(EncoderLayer):
    """An encoder layer over flat states, with a :class:`~models.related_attention.PackedAttention`."""

    def forward(self, states: Tensor, plans: Plans) -> Tensor:  # type: ignore[override]
        """``states`` [1, S, d] to the same shape."""
        states = self.attention_residual(states, lambda x: self.attention.among(x, plans.source))
        result: Tensor = self.feed_forward_residual(states, self.feed_forward)
        return result


class PackedDecoderLayer(DecoderLayer):
    """A decoder layer over flat states, with two attentions of the same kind."""

    def forward(self, states: Tensor, memory: Tensor, plans: Plans) -> Tensor:  # type: ignore[override]
        """``states`` [1, T, d] to the same shape; ``memory`` [1, S, d]."""
        states = self.attention_residual(states, lambda x: self.attention.among(x, plans.target))
        states = self.source_residual(states, lambda x: self.source_attention.across(x, memory, plans.across))
        result: Tensor = self.feed_forward_residual(states, self.feed_forward)
        return result


class PackedTransformer(Transformer):
    """Encoder and decoder over a :class:`~models.packing.PackedBatch`; parameters have the sentence model's names."""

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relations whose plans the layers read."""
        return ("sentence",)

    def encoder_attention(self, index: int) -> nn.Module:
        """Make the self-attention of encoder layer ``index``, counted from 0 at the bottom."""
        return self.relation_attention("sentence")

    def decoder_attention(self, index: int) -> nn.Module:
        """Make the self-attention of decoder layer ``index``."""
        return self.relation_attention("sentence")

    def source_attention(self, index: int) -> nn.Module:
        """Make the attention of decoder layer ``index`` to the source."""
        return self.relation_attention("sentence")

    def relation_attention(self, relation: Relation) -> RelationAttention:
        """Attention to the tokens of one relation."""
        settings = self.settings
        return RelationAttention(settings.width, settings.heads, settings.attention_dropout, relation)

    def encoder_layer(self, index: int) -> nn.Module:
        """Make the encoder layer ``index``."""
        return PackedEncoderLayer(self.settings, self.encoder_attention(index))

    def decoder_layer(self, index: int) -> nn.Module:
        """Make the decoder layer ``index``."""
        return PackedDecoderLayer(self.settings, self.decoder_attention(index), self.source_attention(index))

    def forward(self, batch: PackedBatch) -> Tensor:  # type: ignore[override]
        """Logits [T, V] of the token that follows each target token of the batch."""
        states = self.decode_packed(batch.target, self.encode_packed(batch.source, batch.plans), batch.plans)
        return self.logits(states[0])

    def encode_packed(self, text: PackedText, plans: Plans) -> Tensor:
        """Encoder states [1, S, d]."""
        states = self.embed_packed(text, self.source_embedding)
        for layer in self.encoder_layers:
            states = layer(states, plans)
        normed: Tensor = self.encoder_norm(states)
        return normed

    def decode_packed(self, text: PackedText, memory: Tensor, plans: Plans) -> Tensor:
        """Decoder states [1, T, d]."""
        states = self.embed_packed(text, self.target_embedding)
        for layer in self.decoder_layers:
            states = layer(states, memory, plans)
        normed: Tensor = self.decoder_norm(states)
        return normed

    def embed_packed(self, text: PackedText, embedding: nn.Module) -> Tensor:
        """Scaled embeddings plus positions, [1, n, d]."""
        return self.embed(text.ids, embedding, text.positions)
