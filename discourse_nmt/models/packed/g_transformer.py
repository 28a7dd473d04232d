"""G-Transformer (Bao et al. 2021, "G-Transformer for Document-Level Machine Translation", ACL-IJCNLP 3442-3455).

Group attention, to the tokens of the own sentence, everywhere; in the top layers of encoder and decoder it is combined
with global attention, to all tokens of the instance, by a gate: ``g = sigmoid([H_L; H_G] W + b)`` and
``H = H_L * g + H_G * (1 - g)``, in self-attention and in attention to the source. The RST-Transformer with fusion
parallel and without trees is the same network, with the same names of parameters.

Deviations from the public code: no end-of-document token, and a target sentence's positions begin where its source
sentence's do (``target_positions: running`` counts over the target instead).
"""

from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.related_attention import FusedAttention, PackedAttention
from discourse_nmt.models.switches.packed import GTransformerSettings


class GTransformer(PackedTransformer):
    """The network; the uppermost ``global_layers`` combine group and global attention."""

    settings: GTransformerSettings

    def encoder_attention(self, index: int) -> PackedAttention:
        """Group attention, combined with global attention in the top layers."""
        return self._attention(index >= self.settings.encoder_layers - self.settings.global_layers)

    def decoder_attention(self, index: int) -> PackedAttention:
        """The same for the target."""
        return self._attention(index >= self.settings.decoder_layers - self.settings.global_layers)

    def source_attention(self, index: int) -> PackedAttention:
        """The same from the target to the source."""
        return self.decoder_attention(index)

    def _attention(self, combined: bool) -> PackedAttention:
        if not combined:
            return self.relation_attention("sentence")
        settings = self.settings
        return FusedAttention(
            settings.width,
            settings.heads,
            settings.attention_dropout,
            "parallel",
            "instance",
            unchanged=settings.beginning == "unchanged",
        )
