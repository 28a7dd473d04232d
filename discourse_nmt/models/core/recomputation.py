"""Less memory for a longer update: layers keep only their input, and are computed again for the gradient.

That is gradient checkpointing (Chen et al. 2016, "Training deep nets with sublinear memory cost"), by torch.
"""

import logging
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from discourse_nmt.models.core.layers import DecoderLayer, EncoderLayer

LAYERS = (EncoderLayer, DecoderLayer)

logger = logging.getLogger(__name__)


def layers_of(network: nn.Module) -> list[nn.Module]:
    """The layers of encoder and decoder that may compute their states a second time."""
    return [module for module in network.modules() if isinstance(module, LAYERS) and module.recomputable]


def recompute_layers(network: nn.Module) -> None:
    """Make :func:`layers_of` the network compute their states again in the backward pass, with the same dropout.

    A warning tells how many layers cannot.
    """
    if others := sum(isinstance(module, LAYERS) and not module.recomputable for module in network.modules()):
        logger.warning(f"recompute_activations: {others} layers keep them, as they share keys and values with others")
    for layer in layers_of(network):
        layer.forward = _computed_twice(layer, layer.forward)


def _computed_twice(layer: nn.Module, forward: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def computed(*arguments: object) -> Tensor:
        if not (layer.training and torch.is_grad_enabled()):
            return forward(*arguments)
        states: Tensor = checkpoint(forward, *arguments, use_reentrant=False)
        return states

    return computed
