"""A network as a specification of CTranslate2, with the same parameters.

:func:`.obstacle` says which networks have one.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from ctranslate2.specs.common_spec import Activation, EmbeddingsSpec, LayerNormSpec, LinearSpec
from ctranslate2.specs.transformer_spec import (
    TransformerDecoderLayerSpec,
    TransformerDecoderSpec,
    TransformerEncoderLayerSpec,
    TransformerEncoderSpec,
    TransformerSpec,
)
from torch import Tensor, nn

from discourse_nmt.base.vocabulary import BEGIN, END, UNKNOWN
from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.core.embeddings import InputEmbedding
from discourse_nmt.models.core.layers import DecoderLayer, EncoderLayer
from discourse_nmt.models.core.transformer import TARGET_BEGINNINGS, Transformer

POSITIONS = 2048
"""Positions of a specification, where they are not learned: its longest source or translation, in symbols."""
ACTIVATIONS = {"relu": Activation.RELU, "gelu": Activation.GELU, "swish": Activation.SWISH}


def positions_of(network: Transformer) -> int:
    """The number of positions of the specification of ``network``."""
    learned = network.settings.positions == "learned"
    return network.settings.max_positions if learned else POSITIONS


@torch.inference_mode()
def specification(network: Transformer, source: Sequence[str], target: Sequence[str]) -> TransformerSpec:
    """The specification of ``network``, whose vocabularies are ``source`` and ``target``.

    CTranslate2 reads sources without marks and adds those that the network sees.
    """
    settings = network.settings
    options = {
        "num_heads": settings.heads,
        "pre_norm": settings.norm == "pre",
        "activation": ACTIVATIONS[settings.activation],
        "layernorm_embedding": settings.embedding_norm,
    }
    encoder = TransformerEncoderSpec(settings.encoder_layers, **options)
    decoder = TransformerDecoderSpec(settings.decoder_layers, **options)
    positions = torch.arange(positions_of(network))
    _embedding(encoder, encoder.embeddings[0], network.source_embedding, positions)
    _embedding(decoder, decoder.embeddings, network.target_embedding, positions)
    for side, norm in ((encoder, network.encoder_norm), (decoder, network.decoder_norm)):
        if isinstance(norm, nn.LayerNorm):
            _norm(side.layer_norm, norm)
    for encoder_part, encoder_layer in zip(encoder.layer, network.encoder_layers):
        assert isinstance(encoder_layer, EncoderLayer)
        _layer(encoder_part, encoder_layer)
    for decoder_part, decoder_layer in zip(decoder.layer, network.decoder_layers):
        assert isinstance(decoder_layer, DecoderLayer)
        _layer(decoder_part, decoder_layer)
        _source_attention(decoder_part, decoder_layer)
    _linear(decoder.projection, network.output.weight, network.output_bias)
    whole = TransformerSpec(encoder, decoder)
    whole.register_source_vocabulary(list(source))
    whole.register_target_vocabulary(list(target))
    whole.config.bos_token, whole.config.eos_token, whole.config.unk_token = (
        source[symbol] for symbol in (BEGIN, END, UNKNOWN)
    )
    whole.config.decoder_start_token = target[TARGET_BEGINNINGS[settings.marks]]
    whole.config.add_source_bos, whole.config.add_source_eos = settings.marks == "both", True
    whole.validate()
    whole.optimize()
    return whole


def _embedding(
    side: TransformerEncoderSpec | TransformerDecoderSpec,
    table: EmbeddingsSpec,
    embedding: InputEmbedding,
    positions: Tensor,
) -> None:
    table.weight = _array(embedding.weight)
    table.multiply_by_sqrt_depth = side.scale_embeddings = embedding.scale != 1
    side.position_encodings.encodings = _array(embedding.encoding(positions, embedding.embedding_dim))
    if isinstance(embedding.norm, nn.LayerNorm):
        _norm(side.layernorm_embedding, embedding.norm)


def _layer(
    part: TransformerEncoderLayerSpec | TransformerDecoderLayerSpec,
    layer: EncoderLayer[MultiHeadAttention, Any, Any] | DecoderLayer[MultiHeadAttention, MultiHeadAttention, Any, Any],
) -> None:
    """Self-attention and feed-forward block."""
    _norm(part.self_attention.layer_norm, layer.attention_residual.norm)
    _linear(part.self_attention.linear[0], layer.attention.projection.weight, layer.attention.projection.bias)
    _linear(part.self_attention.linear[1], layer.attention.output.weight, layer.attention.output.bias)
    _norm(part.ffn.layer_norm, layer.feed_forward_residual.norm)
    _linear(part.ffn.linear_0, layer.feed_forward.expand.weight, layer.feed_forward.expand.bias)
    _linear(part.ffn.linear_1, layer.feed_forward.contract.weight, layer.feed_forward.contract.bias)


def _source_attention(
    part: TransformerDecoderLayerSpec, layer: DecoderLayer[MultiHeadAttention, MultiHeadAttention, Any, Any]
) -> None:
    attention, width = layer.source_attention, layer.source_attention.width
    weight, bias = attention.projection.weight, attention.projection.bias
    _norm(part.attention.layer_norm, layer.source_residual.norm)
    _linear(part.attention.linear[0], weight[:width], bias[:width])  # of queries
    _linear(part.attention.linear[1], weight[width:], bias[width:])  # of keys and values
    _linear(part.attention.linear[2], attention.output.weight, attention.output.bias)


def _linear(part: LinearSpec, weight: Tensor, bias: Tensor | None) -> None:
    part.weight = _array(weight)
    if bias is not None:
        part.bias = _array(bias)


def _norm(part: LayerNormSpec, norm: nn.LayerNorm) -> None:
    part.gamma, part.beta = _array(norm.weight), _array(norm.bias)


def _array(values: Tensor) -> npt.NDArray[np.float32]:
    return values.detach().float().cpu().contiguous().numpy()
