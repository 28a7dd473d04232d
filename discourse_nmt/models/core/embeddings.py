"""Input embeddings: vectors of symbols and of positions, summed to the states that the first layer reads."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.switches.transformer import TransformerSettings

UNUSED_POSITIONS = 2  # before position 0, reserved by fairseq for its padding symbol


def sinusoids(positions: Tensor, width: int) -> Tensor:
    """Encode ``positions`` (any shape, any real values) as ``[..., width]`` in float32; ``width`` is even.

    Sinusoidal encoding of Vaswani et al. 2017, section 3.5: component ``2i`` is ``sin(p / 10000 ** (2i / width))``,
    component ``2i + 1`` its cosine.
    Positions may be negative or fractional. Angles are computed in double precision, so that large positions
    stay exact.
    """
    even = torch.arange(0, width, 2, dtype=torch.float64, device=positions.device)
    angles = positions.to(torch.float64).unsqueeze(-1) * 10000 ** (-even / width)  # [..., width / 2]
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2).float()


def marian_sinusoids(positions: Tensor, width: int) -> Tensor:
    """:func:`sinusoids` as Marian orders them: the sines of all frequencies before their cosines."""
    interleaved = sinusoids(positions, width)
    return torch.cat((interleaved[..., 0::2], interleaved[..., 1::2]), dim=-1)


def fairseq_sinusoids(positions: Tensor, width: int) -> Tensor:
    """Encode ``positions`` like :func:`marian_sinusoids`, but as fairseq does: the first position is 2, and component
    ``i`` has the angle ``p / 10000 ** (i / (width / 2 - 1))``, so that the last one has the frequency 1 / 10000. Angles
    are computed in single precision, as those that checkpoints were trained with.
    """
    step = math.log(10000) / max(1, width // 2 - 1)
    frequencies = (torch.arange(width // 2, device=positions.device).float() * -step).exp()
    angles = (positions.float() + UNUSED_POSITIONS).unsqueeze(-1) * frequencies
    return torch.cat((angles.sin(), angles.cos()), dim=-1)


ENCODINGS = {
    "sinusoidal": sinusoids,
    "sinusoidal_marian": marian_sinusoids,
    "sinusoidal_fairseq": fairseq_sinusoids,
}


class Sinusoids(nn.Module):
    """One of :data:`ENCODINGS` as a module without parameters."""

    def __init__(self, encoding: str = "sinusoidal") -> None:
        super().__init__()
        self.encode = ENCODINGS[encoding]
        self.table = torch.empty(0)
        """The encodings of the positions 0, 1, … that the steps of decoding have reached."""

    def forward(self, positions: Tensor, width: int) -> Tensor:
        """Whole-numbered ``positions`` (any shape) as [..., ``width``]."""
        if positions.shape[-1] == 1:  # a step of decoding
            if (last := int(positions.max())) >= len(self.table) or self.table.device != positions.device:
                self.table = self.encode(torch.arange(2 * last + 64, device=positions.device), width)
            return F.embedding(positions, self.table)
        distinct, index = positions.unique(return_inverse=True)  # instances of a batch share their positions
        return self.encode(distinct, width)[index]


class LearnedPositions(nn.Module):
    """A learned vector for each of the positions 0 … ``size`` - 1."""

    def __init__(self, size: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(size, width) * width**-0.5)

    def forward(self, positions: Tensor, width: int) -> Tensor:
        """Whole-numbered ``positions`` (any shape) as [..., ``width``]; one beyond the table is an InputError."""
        size = len(self.weight)
        if positions.numel() and (last := int(positions.max())) >= size:
            raise InputError(
                f"position {last} is beyond the {size} that the model has learned",
                remedy="give it shorter sentences or instances, or reset positions at each sentence",
            )
        return F.embedding(positions, self.weight)


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
        self.encoding = (
            LearnedPositions(settings.max_positions, settings.width) if learned else Sinusoids(settings.positions)
        )
        self.norm = nn.LayerNorm(settings.width) if settings.embedding_norm else nn.Identity()

    def states(self, ids: Tensor, positions: Tensor) -> Tensor:
        """States [..., T, d] of ``ids`` [..., T] at ``positions`` [..., T] or [T]."""
        encoded = self.encoding(positions, self.embedding_dim)
        normed: Tensor = self.norm(torch.add(encoded, self(ids), alpha=self.scale))
        return normed
