"""The sentence model: the Transformer as a system, whose positions may be shifted in training.

SHAPE (Kiyono et al. 2021, "SHAPE: Shifted Absolute Position Embedding for Transformers") makes a network depend on
distances rather than on absolute positions. A system that packs the sentences of a document starts from such a network
without a break: a sentence in the middle of an instance has positions that it knows.
"""

import torch
from torch import Tensor

from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.transformer import SentenceSettings


class SentenceModel(Transformer):
    """:class:`Transformer` with ``position_shift``."""

    settings: SentenceSettings

    def final_states(self, source_ids: Tensor, target_input: Tensor, wanted: Tensor | None = None) -> Tensor:
        """As :meth:`Transformer.final_states`; in training, with a shift of its own for each pair of sentences.

        The sides share the shift, as packed systems begin a target sentence at the position of its source sentence.
        """
        if not (self.training and self.settings.position_shift):
            return super().final_states(source_ids, target_input, wanted)
        device = source_ids.device
        shift = torch.randint(self.settings.position_shift + 1, (len(source_ids), 1), device=device)
        memory = self.encode_at(self.source_positions(source_ids) + shift, source_ids)
        columns = torch.arange(target_input.shape[1], device=device)
        states = self.embed(target_input, self.target_embedding, columns + shift)
        states = self.through_decoder(states, memory, None)
        return states if wanted is None else states[wanted]
