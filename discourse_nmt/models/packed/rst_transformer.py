"""RST-Transformer: attention to the own sentence below, and to neighbours in the RST tree above (spec 01).

The lower layers attend within the sentence. The upper ones fuse that with attention to the tokens of the same, the
head and the dependent discourse units; in the target, and from the target to the source, units are sentences and the
tree is the merged one. Without the tree, every token of the instance is related to every other.
"""

from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.related_attention import FusedAttention, PackedAttention
from discourse_nmt.models.packed.relations import TargetTree
from discourse_nmt.models.switches.packed import RstTransformerSettings


class RstTransformer(PackedTransformer):
    """The network of spec 01, equation 1; the uppermost ``rst_layers`` are RST layers, the others sentence layers."""

    settings: RstTransformerSettings

    @property
    def target_tree(self) -> TargetTree:
        """Whether the target has the merged tree."""
        return self.settings.target_tree

    def encoder_attention(self, index: int) -> PackedAttention:
        """SentAttn, or the fused attention of an RST layer."""
        return self._attention(index >= self.settings.encoder_layers - self.settings.rst_layers)

    def decoder_attention(self, index: int) -> PackedAttention:
        """SentAttn, or the fused attention of an RST layer."""
        return self._attention(index >= self.settings.decoder_layers - self.settings.rst_layers)

    def source_attention(self, index: int) -> PackedAttention:
        """SentAttn, or what ``source_attention`` says for an RST layer."""
        fused = index >= self.settings.decoder_layers - self.settings.rst_layers
        if fused and self.settings.source_attention != "fused":
            return self.relation_attention(self.settings.source_attention)
        return self._attention(fused)

    def _attention(self, fused: bool) -> PackedAttention:
        if not fused:
            return self.relation_attention("sentence")
        settings = self.settings
        return FusedAttention(
            settings.width,
            settings.heads,
            settings.attention_dropout,
            settings.fusion,
            "tree",
            shared=settings.shared_projections,
            inner_norm=settings.inner_norm,
            unchanged=settings.beginning == "unchanged",
        )
