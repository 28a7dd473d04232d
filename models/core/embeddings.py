"""What turns the numbers of one side's symbols into the states that its first layer reads."""

import torch
from torch import Tensor, nn

from discourse_nmt.models.core.positions import LearnedPositions, Sinusoids
from discourse_nmt.models.switches.transformer import TransformerSettings


def embedding_table(size: int, width: int) -> nn.Embedding:
    """Embeddings of variance 1 / d: of variance 1 once scaled, and logits of variance 1 as the output."""
    table = nn.Embedding(size, width)
    nn.init.normal_(table.weight, std=width**-0.5)
    return table


class InputEmbedding(nn.Embedding):
    """Embeddings of one side, scaled by sqrt(d) on request, plus positions, normalised on request.

    Both sides may have the weights of one ``table``; positions and normalisation stay each side's own, as in BART
    (Lewis et al. 2020).
    """

    def __init__(self, settings: TransformerSettings, table: nn.Embedding) -> None:
        super().__init__(table.num_embeddings, table.embedding_dim, _weight=table.weight)
        self.weight = table.weight  # the parameter itself, not a copy
        self.scale = settings.width**0.5 if settings.embedding_scale else 1.0
        learned = settings.positions == "learned"
        self.encoding = LearnedPositions(settings.max_positions, settings.width) if learned else Sinusoids()
        self.norm = nn.LayerNorm(settings.width) if settings.embedding_norm else nn.Identity()

    def states(self, ids: Tensor, positions: Tensor) -> Tensor:
        """States [..., T, d] of ``ids`` [..., T] at ``positions`` [..., T] or [T]."""
        encoded = self.encoding(positions, self.embedding_dim)
        normed: Tensor = self.norm(torch.add(encoded, self(ids), alpha=self.scale))
        return normed
