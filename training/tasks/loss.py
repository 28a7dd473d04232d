"""Cross-entropy with label smoothing, summed over target tokens."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Losses:
    """Sums over the target tokens of a batch, in nats: scalars."""

    objective: Tensor
    """What training minimises."""
    likelihood: Tensor
    """Negative log-likelihood of the reference, without gradient."""


Objective = Callable[[nn.Module, Any], Losses]


def smoothed(logits: Tensor, reference: Tensor, smoothing: float) -> Losses:
    """Label-smoothed cross-entropy (Szegedy et al. 2016, section 7) of ``logits`` [n, V] and ``reference`` [n].

    The reference symbol has probability ``1 - smoothing``, and every symbol, itself included, ``smoothing / V`` more.
    """
    log_probabilities = functional.log_softmax(logits.float(), dim=-1)
    likelihood = functional.nll_loss(log_probabilities, reference, reduction="sum")
    if not smoothing:
        return Losses(likelihood, likelihood.detach())
    uniform = -log_probabilities.sum() / logits.shape[-1]
    return Losses((1 - smoothing) * likelihood + smoothing * uniform, likelihood.detach())
