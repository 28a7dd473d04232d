"""Flat-Transformer (Ma, Zhang, Zhou 2020, ACL 3505-3511).

"A Simple and Effective Unified Encoder for Document-Level Machine Translation". A sentence is translated from one flat
sequence, the sentence among those around it. Segment embeddings tell the current sentence from its context. The lower
layers of the encoder attend over the flat sequence, the upper ones over the current sentence, whose states alone go to
the decoder, which does not attend to other target sentences:

    x = word + position + segment            over context and current sentence
    h = lower layers(x)                      everything attends to everything
    memory = upper layers(h[current])

A token stands in the flat sequences of several sentences and has another state in each. So an instance is unrolled: for
each sentence the encoder reads copies of the tokens of its window, in the order of the text, with positions that count
from 0 in each window. The cost of the lower layers grows with the size of the window, not with that of the instance.

Deviations: context may precede and follow the current sentence, in the order of the text; its size and the number of
upper layers are defaults of this code base.
"""

from torch import Tensor

from discourse_nmt.models.core.embeddings import embedding_table
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.packing import PackedText, Plans
from discourse_nmt.models.packed.related_attention import PackedAttention
from discourse_nmt.models.packed.relations import Relation
from discourse_nmt.models.packed.windows import Window, WindowPlan
from discourse_nmt.models.switches.packed import FlatTransformerSettings


class FlatTransformer(PackedTransformer):
    """The network; the uppermost ``current_layers`` of the encoder see the current sentence only."""

    settings: FlatTransformerSettings

    def __init__(self, settings: FlatTransformerSettings, source_size: int, target_size: int, shared: bool) -> None:
        super().__init__(settings, source_size, target_size, shared)
        self.segment_embedding = embedding_table(2, settings.width)  # of the current sentence, of its context

    @property
    def window(self) -> Window:
        """The relation of a sentence to its flat sequence."""
        return Window(self.settings.context_before, self.settings.context_after)

    @property
    def flat_layers(self) -> int:
        """Layers of the encoder that read flat sequences."""
        return self.settings.encoder_layers - self.settings.current_layers

    def encoder_attention(self, index: int) -> PackedAttention:
        """The flat sequence in the lower layers, the current sentence in the upper ones."""
        relation: Relation = self.window if index < self.flat_layers else "sentence"
        return self.relation_attention(relation)

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relations whose plans are read; the window's is, whatever the layers."""
        return tuple(dict.fromkeys((self.window, *super().relations)))

    def encode_packed(self, text: PackedText, plans: Plans) -> Tensor:
        """Encoder states [1, S, d] of the current sentences."""
        window = plans.source[self.window]
        assert isinstance(window, WindowPlan)
        flat = PackedText(text.ids[:, window.copies], window.positions)
        segments = self.segment_embedding(window.context.long())
        states = self.embed_packed(flat, self.source_embedding) + self.embedding_dropout(segments)
        for layer in self.encoder_layers[: self.flat_layers]:
            states = layer(states, plans)
        states = states[:, window.current]
        for layer in self.encoder_layers[self.flat_layers :]:
            states = layer(states, plans)
        normed: Tensor = self.encoder_norm(states)
        return normed
