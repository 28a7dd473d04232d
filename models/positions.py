"""Sinusoidal position encoding of any real number (Vaswani et al. 2017, section 3.5)."""

import torch
from torch import Tensor


def sinusoids(positions: Tensor, width: int) -> Tensor:
    """Encode ``positions`` (any shape, any real values) as ``[..., width]`` in float32; ``width`` is even.

    Component ``2i`` is ``sin(p / 10000 ** (2i / width))``, component ``2i + 1`` its cosine (equation 0.1).
    Positions may be negative or fractional. Angles are computed in double precision, so that large positions
    stay exact.
    """
    even = torch.arange(0, width, 2, dtype=torch.float64, device=positions.device)
    angles = positions.to(torch.float64).unsqueeze(-1) * 10000 ** (-even / width)  # [..., width / 2]
    return torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2).float()
