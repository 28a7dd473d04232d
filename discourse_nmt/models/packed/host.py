"""A Transformer over whole instances, laid out flat: the host of the packed systems.

Layers are those of :mod:`.core.layers`; only who attends to whom differs. A system chooses the attention of each
layer by overriding three methods.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from torch import Tensor, nn

from discourse_nmt.base.vocabulary import BEGIN, END
from discourse_nmt.models.core.embeddings import InputEmbedding
from discourse_nmt.models.core.layers import DecoderLayer, EncoderLayer
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.packed.instances import Instance
from discourse_nmt.models.packed.packing import PackedBatch, PackedText, Plans, pack
from discourse_nmt.models.packed.related_attention import (
    PackedAttention,
    Related,
    RelationAttention,
    SourcePlans,
    SourceSelfAttention,
    TargetPlans,
)
from discourse_nmt.models.packed.relations import Relation, TargetTree
from discourse_nmt.models.switches.packed import PackedSettings


class DecoderPlans(Protocol):
    """Who attends to whom in the decoder; in decoding, the keys and values of the positions that are reached."""

    @property
    def target(self) -> TargetPlans:
        """Within the target."""
        ...

    @property
    def across(self) -> SourcePlans:
        """From the target to the source."""
        ...


SelfAttention = TypeVar("SelfAttention", bound=Related)
FlatPlans = TypeVar("FlatPlans", bound=DecoderPlans)


class PackedEncoderLayer(EncoderLayer[SourceSelfAttention, Plans, None]):
    """An encoder layer over flat states, with a :class:`.SourceSelfAttention`."""

    def attend(self, states: Tensor, allowed: Plans, context: None) -> Tensor:
        """See :class:`.EncoderLayer`; ``states`` are [1, S, d]."""
        return self.attention.among(states, allowed.source)


class FlatDecoderLayer(DecoderLayer[SelfAttention, PackedAttention, Tensor, FlatPlans]):
    """A decoder layer over flat states; a system chooses the self-attention."""

    def attend_to_source(self, states: Tensor, memory: Tensor, plans: FlatPlans) -> Tensor:
        """See :class:`.DecoderLayer`; ``memory`` is [1, S, d]."""
        return self.source_attention.across(states, memory, plans.across)


class PackedDecoderLayer(FlatDecoderLayer[PackedAttention, DecoderPlans]):
    """A decoder layer over flat states, with two attentions of the same kind."""

    def attend(self, states: Tensor, memory: Tensor, plans: DecoderPlans) -> Tensor:
        """See :class:`.DecoderLayer`; ``states`` are [1, T, d]."""
        return self.attention.among(states, plans.target)


def distinct(attentions: Iterable[Related]) -> tuple[Relation, ...]:
    """The relations of the ``attentions``, each once, in the order of their first appearance."""
    return tuple(dict.fromkeys(relation for attention in attentions for relation in attention.relations))


class PackedTransformer(Transformer):
    """Encoder and decoder over a :class:`.PackedBatch`; parameters have the sentence model's names."""

    settings: PackedSettings

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relations whose plans the layers read."""
        of_encoder = distinct(layer.attention for layer in self._flat_encoder_layers())
        return tuple(dict.fromkeys((*of_encoder, *self.target_relations, *self.source_relations)))

    @property
    def target_relations(self) -> tuple[Relation, ...]:
        """Relations by which a target sentence attends to others, whose translations it waits for."""
        return distinct(layer.attention for layer in self._flat_decoder_layers())

    @property
    def reads_targets(self) -> bool:
        """Whether a target sentence attends to others."""
        return self.target_relations != ("sentence",)

    @property
    def source_relations(self) -> tuple[Relation, ...]:
        """Relations by which a target sentence attends to the source."""
        return distinct(layer.source_attention for layer in self._flat_decoder_layers())

    def _flat_encoder_layers(self) -> Iterator[PackedEncoderLayer]:
        for layer in self.encoder_layers:
            assert isinstance(layer, PackedEncoderLayer)
            yield layer

    def _flat_decoder_layers(self) -> Iterator[FlatDecoderLayer[Related, DecoderPlans]]:
        for layer in self.decoder_layers:
            assert isinstance(layer, FlatDecoderLayer)
            yield layer

    @property
    def source_separators(self) -> list[int]:
        """The marks between two sentences of a source."""
        return [END, BEGIN][: self.source_marks]

    @property
    def target_tree(self) -> TargetTree:
        """The meaning of the relation ``tree`` in the target, for systems that use it."""
        return "merged"

    def pack(self, instances: Sequence[Instance]) -> PackedBatch:
        """The batch of ``instances`` for this network."""
        return pack(
            instances,
            self.relations,
            target_tree=self.target_tree,
            target_positions=self.settings.target_positions,
            position_reset=self.settings.position_reset,
            source_marks=self.source_marks,
        )

    def encoder_attention(self, index: int) -> PackedAttention:
        """Make the self-attention of encoder layer ``index``, counted from 0 at the bottom."""
        return self.relation_attention("sentence")

    def decoder_attention(self, index: int) -> PackedAttention:
        """Make the self-attention of decoder layer ``index``."""
        return self.relation_attention("sentence")

    def source_attention(self, index: int) -> PackedAttention:
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
        return self.logits(self.final_states(batch))

    def final_states(self, batch: PackedBatch) -> Tensor:  # type: ignore[override]
        """The decoder states [T, d] whose :meth:`logits` :meth:`forward` returns."""
        return self.decode_packed(batch.target, self.encode_packed(batch.source, batch.plans), batch.plans)[0]

    def encode_packed(self, text: PackedText, plans: Plans) -> Tensor:
        """Encoder states [1, S, d]."""
        return self.through_encoder(self.embed_packed(text, self.source_embedding), plans)

    def decode_packed(self, text: PackedText, memory: Tensor, plans: DecoderPlans) -> Tensor:
        """Decoder states [1, T, d]; in decoding those of the newest positions."""
        return self.through_decoder(self.embed_packed(text, self.target_embedding), memory, plans)

    def embed_packed(self, text: PackedText, embedding: InputEmbedding) -> Tensor:
        """Input states [1, n, d]."""
        return self.embed(text.ids, embedding, text.positions)
