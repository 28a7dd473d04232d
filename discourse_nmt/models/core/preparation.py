"""Preparation of a trained network, once, before it translates."""

from functools import partial
from importlib.util import find_spec

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.models.core.int8_linear import Int8Linear, Int8Product
from discourse_nmt.models.core.shortlist import Product, Shortlists
from discourse_nmt.models.core.transformer import Engine, Transformer
from discourse_nmt.models.sublayers.packed_linear import PackedLinear, PackedProduct, packs
from discourse_nmt.models.sublayers.parts import Linear
from discourse_nmt.models.switches.decoding import DecodingSettings, obstacle
from discourse_nmt.models.switches.transformer import TransformerSettings

OWN = "set decoding: {engine: own}"
COPIED = 100_000_000  # parameters of a network whose weights are packed: 400 MB


def prepare_for_inference(
    network: nn.Module, settings: DecodingSettings, translations: Integers | None = None
) -> nn.Module:
    """The trained ``network``, changed in place to translate with ``settings``: its engine, precision and shortlist.

    In fp32 on a CPU weights only change their place in memory. int8 is for layers of :class:`.Linear` and for the
    projection to the vocabulary; all else stays exact. A shortlist takes the first of the ``translations`` [source
    symbols, n] of each subword (see :class:`.Shortlists`). Raises :class:`InputError`: another engine or int8 for a
    network on a GPU, an engine that is missing or cannot express the network, torch has no kernels for this processor,
    or there are no translations for a shortlist.
    """
    on_cpu = next(network.parameters()).device.type == "cpu"
    if settings.engine == "ctranslate2":
        assert isinstance(network, Transformer)
        network.engine = _ctranslate2(network, settings, on_cpu)
        return network
    if settings.shortlist and translations is None:
        raise InputError(
            f"decoding: shortlist is {settings.shortlist}, but there are no translations of subwords",
            remedy="give them with --subword-translations, or set shortlist to 0",
        )
    if settings.precision == "int8":
        _quantise(network, on_cpu)
        prepare = _quantised_product
    elif on_cpu:
        _pack(network)
        prepare = _exact_product
    else:
        prepare = _plain_product
    for module in network.modules():
        if isinstance(module, Transformer):
            output = module.output.weight.detach()
            module.project = prepare(output)
            module.shortlists = None
            if settings.shortlist and translations is not None:
                first = translations[:, : settings.shortlist]
                module.shortlists = Shortlists(first, output, module.output_bias, prepare)
    return network


def check_engine(switches: TransformerSettings, settings: DecodingSettings, remedy: str = OWN) -> None:
    """Raise :class:`InputError` where CTranslate2 cannot express a network with these ``switches``, or is missing."""
    if reason := obstacle(switches, settings):
        raise InputError(f"CTranslate2 cannot express the model: {reason}", remedy=remedy)
    if find_spec("ctranslate2") is None:
        raise InputError(
            "the package ctranslate2 is missing", remedy="pip install --editable '.[ctranslate2]' in the checkout"
        )


def _ctranslate2(network: Transformer, settings: DecodingSettings, on_cpu: bool) -> Engine:
    """The engine CTranslate2 with the parameters of ``network``."""
    check_engine(network.settings, settings)
    if not on_cpu:
        raise InputError("decoding: engine ctranslate2 is for CPUs", remedy=f"{OWN}, or --device cpu")
    from discourse_nmt.models.core.ctranslate2_engine import CTranslate2Engine

    return CTranslate2Engine(network, settings.precision, torch.get_num_threads())


def _quantise(network: nn.Module, on_cpu: bool) -> None:
    """Replace the linear layers by those with 8-bit integers."""
    if not on_cpu:
        raise InputError("decoding: precision int8 is for CPUs", remedy="use precision fp32, or --device cpu")
    if torch.backends.quantized.supported_engines == ["none"]:
        raise InputError("decoding: torch has no int8 kernels for this processor", remedy="use precision fp32")
    for module in list(network.modules()):
        for name, layer in module.named_children():
            if isinstance(layer, Linear) and type(layer) in (Linear, PackedLinear):
                setattr(module, name, Int8Linear(layer))


def _pack(network: nn.Module) -> None:
    """Store the matrices of linear layers as products of a few rows, as in a step of decoding, read them fastest.

    Small ones lie column by column: products then take two thirds of the time, as they read a weight once. So do those
    of networks with more than :data:`COPIED` parameters, since packed weights are a copy.
    """
    copied = sum(parameter.numel() for parameter in network.parameters()) <= COPIED
    for module in list(network.modules()):
        for name, layer in module.named_children():
            if type(layer) is Linear:
                if copied and packs(layer.weight):
                    setattr(module, name, PackedLinear(layer))
                else:
                    layer.weight.data = by_column(layer.weight.data)


def _quantised_product(matrix: Tensor) -> Product:
    return Int8Product(matrix)


def _exact_product(matrix: Tensor) -> Product:
    """The matrix is copied, since rows of embeddings are read one by one."""
    return PackedProduct(matrix) if packs(matrix) else partial(F.linear, weight=by_column(matrix))


def _plain_product(matrix: Tensor) -> Product:
    return partial(F.linear, weight=matrix)


def by_column(matrix: Tensor) -> Tensor:
    """The same ``matrix`` with its columns one after the other in memory."""
    return matrix.t().contiguous().t()
