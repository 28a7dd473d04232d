"""Attention of a network to the source while it reads a given translation, for links of subwords.

The weights of a state that predicts a target subword tell the source subwords that it renders: the mean of all heads
(Garg et al. 2019, "Jointly learning to align and translate with Transformer models") and of all decoder layers, which
found more spans than any layer by itself. Each layer's own projections give the weights within the sentence alone, so
that one way serves systems that read a sentence or many.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from discourse_nmt.models.attention.multi_head import MultiHeadAttention
from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.models.context.paragraphs import ParagraphBatch
from discourse_nmt.models.core.layers import DecoderLayer, Memory
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.packing import PackedBatch
from discourse_nmt.models.sublayers.parts import split_heads
from discourse_nmt.training.data.collation import Batch
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.units import units_of
from discourse_nmt.training.tasks.protocol import SystemTask

UNITS = 32
"""Units of a batch."""

Layer = DecoderLayer[object, MultiHeadAttention, object, object]
Weights = np.ndarray


def forced_attention(task: SystemTask, network: nn.Module, dataset: ParallelDataset, unit: str) -> list[Weights | None]:
    """[target subwords, source subwords] weights of each row, whose sums are 1; None where the system has none.

    Targets of ``dataset`` are the translations.
    """
    found: list[Weights | None] = [None] * len(dataset.source.lengths)
    if not isinstance(network, Transformer):
        return found
    layers: list[Layer] = [
        layer
        for layer in network.decoder_layers
        if isinstance(layer, DecoderLayer) and isinstance(layer.source_attention, MultiHeadAttention)
    ]
    units = units_of(dataset, unit)
    device = next(network.parameters()).device
    for first in range(0, len(units), UNITS):
        chosen = np.arange(first, min(first + UNITS, len(units)))
        batch = task.batch(units, chosen, None).to(device)
        with torch.no_grad(), _watched(layers) as read:
            groups = _read(network, batch)
        rows = units.rows(chosen)
        sentences = partial(_flat, marks=network.source_marks) if isinstance(batch, PackedBatch) else _padded
        for layer in layers:
            for group, (states, memory) in zip(groups, read[layer], strict=True):
                for row, *sides in sentences(states, memory, dataset, rows[group]):
                    own = _weights(layer, *sides).cpu().numpy() / len(layers)
                    before = found[row]
                    found[row] = own if before is None else before + own
    return found


def _read(network: Transformer, batch: object) -> list[slice | list[int]]:
    """Let the decoder read the targets of a batch; returns the rows of each of the groups that it reads in turn."""
    if isinstance(batch, Batch):
        network.final_states(batch.source_ids, batch.target_input)
    elif isinstance(batch, ParagraphBatch) and isinstance(network, ContextTransformer):
        network.final_states(batch)
        if network.settings.context != "none":
            return list(map(list, batch.groups.row_lists))
    elif isinstance(batch, PackedBatch) and isinstance(network, PackedTransformer):
        network.final_states(batch)
    return [slice(None)]


@contextmanager
def _watched(layers: list[Layer]) -> Iterator[dict[Layer, list[tuple[Tensor, Tensor]]]]:
    """In each call of a layer, what its attention to the source reads: its states, and those of the source."""
    read: dict[Layer, list[tuple[Tensor, Tensor]]] = {layer: [] for layer in layers}
    memories: list[Tensor] = []

    def read_memory(_: nn.Module, given: tuple[Tensor, Memory | Tensor, object]) -> None:
        memories.append(given[1].states if isinstance(given[1], Memory) else given[1])

    def read_states(layer: Layer, _: nn.Module, given: tuple[Tensor, object]) -> None:
        read[layer].append((given[0], memories.pop()))

    hooks = []
    for layer in layers:
        hooks.append(layer.register_forward_pre_hook(read_memory))
        hooks.append(layer.source_residual.register_forward_pre_hook(partial(read_states, layer)))
    try:
        yield read
    finally:
        for hook in hooks:
            hook.remove()


def _padded(
    states: Tensor, memory: Tensor, dataset: ParallelDataset, rows: np.ndarray
) -> Iterator[tuple[int, Tensor, Tensor]]:
    """Each row with the states that predict its target subwords, and those of its source subwords.

    ``states`` [B, T, d] and ``memory`` [B, S, d] are in padded rows.
    """
    lengths = dataset.source.lengths[rows].tolist(), dataset.target.lengths[rows].tolist()
    for index, (row, source, target) in enumerate(zip(rows.tolist(), *lengths)):
        yield row, states[index, :target], memory[index, 1 : 1 + source]


def _flat(
    states: Tensor, memory: Tensor, dataset: ParallelDataset, rows: np.ndarray, marks: int
) -> Iterator[tuple[int, Tensor, Tensor]]:
    """As :func:`_padded`, of one row [1, tokens, d] for all; a source sentence has one or two ``marks``."""
    lengths = dataset.source.lengths[rows].tolist(), dataset.target.lengths[rows].tolist()
    target_begin, source_begin = 0, marks - 1
    for row, source, target in zip(rows.tolist(), *lengths):
        own = states[0, target_begin : target_begin + target]
        yield row, own, memory[0, source_begin : source_begin + source]
        target_begin += target + 1
        source_begin += source + marks


def _weights(layer: Layer, states: Tensor, memory: Tensor) -> Tensor:
    """The mean of the heads' weights, [T, S]."""
    attention, residual = layer.source_attention, layer.source_residual
    with torch.no_grad():
        query = attention.projection.outputs(residual.norm(states) if residual.before else states, 0, attention.width)
        keys = attention.projection.outputs(memory, attention.width, 2 * attention.width)
        first, second = (split_heads(side[None], attention.heads)[0] for side in (query, keys))
        scores = first @ second.transpose(1, 2) / first.shape[-1] ** 0.5
        return scores.softmax(-1).mean(0)
