"""What is done to a trained network once, before it translates."""

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.models.core.int8_linear import Int8Linear, packed, product
from discourse_nmt.models.core.parts import Linear
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.switches.decoding import DecodingSettings


def prepare_for_inference(network: nn.Module, settings: DecodingSettings) -> nn.Module:
    """The trained ``network``, changed in place to translate with ``settings.precision``.

    In fp32 on a CPU weights only change their place in memory. int8 is for layers of :class:`.Linear` and for the
    projection to the vocabulary; all else stays exact. Raises :class:`InputError`: int8 for a network on a GPU, or
    torch has no kernels for this processor.
    """
    if settings.precision == "fp32":
        if next(network.parameters()).device.type == "cpu":
            _lay_by_column(network)
        return network
    if next(network.parameters()).device.type != "cpu":
        raise InputError("decoding: precision int8 is for CPUs", remedy="use precision fp32, or --device cpu")
    if torch.backends.quantized.supported_engines == ["none"]:
        raise InputError("decoding: torch has no int8 kernels for this processor", remedy="use precision fp32")
    for module in list(network.modules()):
        for name, layer in module.named_children():
            if type(layer) is Linear:
                setattr(module, name, Int8Linear(layer))
        if isinstance(module, Transformer):
            module.project = partial(product, weights=packed(module.output.weight, None))
    return network


def _lay_by_column(network: nn.Module) -> None:
    """Store the matrices of linear layers column by column.

    Products of a few rows, as in a step of decoding, then take two thirds of the time: they read a weight once.
    """
    for module in network.modules():
        if type(module) is Linear:
            module.weight.data = by_column(module.weight.data)
        if isinstance(module, Transformer):  # a copy: rows of embeddings are read one by one
            module.project = partial(F.linear, weight=by_column(module.output.weight.data))


def by_column(matrix: Tensor) -> Tensor:
    """The same ``matrix`` with its columns one after the other in memory."""
    return matrix.t().contiguous().t()
