"""Random packed networks and instances for the tests of decoding."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from discourse_nmt.base.vocabulary import END, SPECIALS
from discourse_nmt.models.packed.host import PackedTransformer
from discourse_nmt.models.packed.instances import SourceInstance
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.systems import build

SIZE = 23
GREEDY = DecodingSettings(beam=1, max_length_ratio=1.0, max_length_offset=3)
BEAM = DecodingSettings(beam=3, n_best=2, max_length_ratio=1.0, max_length_offset=2)


SMALL = {
    "encoder_layers": 2,
    "decoder_layers": 2,
    "width": 16,
    "heads": 2,
    "feed_forward_width": 32,
    "tie_output": False,
}
FEWER = {"rst_transformer": {"rst_layers": 1}, "g_transformer": {"global_layers": 1}}


def network(seed: int = 1, end: float = 3.0, system: str = "rst_transformer", **switches: Any) -> PackedTransformer:
    """A random model that ends sentences now and then before the limit."""
    torch.manual_seed(seed)
    model = build(system, {**SMALL, **FEWER.get(system, {}), **switches}, SIZE, SIZE, True).eval()
    assert isinstance(model, PackedTransformer)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.add_(torch.randn(parameter.shape) * 0.3)
            if name == "decoder_layers.1.feed_forward_residual.norm.bias":  # a direction of the states that </s> likes
                parameter.add_(1.0)
        model.output.weight[END] += end / 16
    return model


def instance(lengths: Sequence[int], seed: int = 1, tree: bool = True) -> SourceInstance:
    """Random sentences of ``lengths`` subwords in units of one to three, under a random tree."""
    rng = np.random.default_rng(seed)
    edus, count = [], 0
    for length in lengths:
        begins = np.sort(rng.choice(length, min(length, int(rng.integers(1, 4))), replace=False))
        edus.append(count + np.maximum(np.searchsorted(begins, np.arange(length), side="right") - 1, 0))
        count = int(edus[-1].max(initial=count - 1)) + 1
    order = rng.permutation(count)
    heads = np.full(count, -1)
    for place, unit in enumerate(order[1:], 1):
        heads[unit] = order[rng.integers(place)]
    return SourceInstance([rng.integers(len(SPECIALS), SIZE, length) for length in lengths], edus, heads, tree)
