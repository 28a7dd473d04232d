"""Concatenation (Tiedemann and Scherrer 2017; Junczys-Dowmunt 2019, "Microsoft Translator at WMT 2019"; row MS).

All sentences of an instance are one long sequence, translated by an unmodified Transformer: every token sees every
other of its side, and the decoder all of the source. The marks that end one sentence and begin the next are the
separators. There are no parameters besides the Transformer's. With ``sentences`` an instance is cut into runs of as
many sentences, each translated by itself: with 2 the "2 + 2" of Tiedemann and Scherrer. With ``drawn_sentences``
training reads runs of several lengths, so that the network knows single sentences and long texts (Sun et al. 2022,
"Rethinking document-level neural machine translation", train on all lengths at once).

Deviations: runs do not overlap, where the windows of Tiedemann and Scherrer advance by one sentence. The number of
target sentences is that of the source, where the original may merge or lose some.
"""

from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.related_attention import PackedAttention
from discourse_nmt.models.switches.packed import ConcatSettings


class Concat(PackedTransformer):
    """The network; with ``attention: sentence`` it translates every sentence alone."""

    settings: ConcatSettings

    def encoder_attention(self, index: int) -> PackedAttention:
        """The whole source of the instance."""
        return self.relation_attention(self.settings.attention)

    def decoder_attention(self, index: int) -> PackedAttention:
        """The target of the instance so far."""
        return self.relation_attention(self.settings.attention)

    def source_attention(self, index: int) -> PackedAttention:
        """The whole source of the instance."""
        return self.relation_attention(self.settings.attention)
