"""Links of subwords by a network's attention to the source: beside what its layers really ask and read."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from discourse_nmt.models.core.layers import SentenceDecoderLayer
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.packed.host import FlatDecoderLayer
from discourse_nmt.models.systems import build
from discourse_nmt.training.data.units import units_of
from discourse_nmt.training.tasks.protocol import task_for
from discourse_nmt.translation.forced_attention import forced_attention
from tests.unit.training.structures.structure_examples import generated, written

SMALL = {"encoder_layers": 1, "decoder_layers": 2, "width": 16, "feed_forward_width": 32, "heads": 4}


def asked(network: Transformer, batch: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Tensor, Tensor, Any]]:
    """What each layer's attention to the source is given while ``network`` reads ``batch``: states, source, itself."""
    given: list[tuple[Tensor, Tensor, Any]] = []
    for kind in (SentenceDecoderLayer, FlatDecoderLayer):
        attend = kind.attend_to_source

        def recorded(layer: Any, states: Tensor, memory: Any, plans: Any, attend: Any = attend) -> Tensor:
            given.append((states, getattr(memory, "states", memory), layer.source_attention))
            result: Tensor = attend(layer, states, memory, plans)
            return result

        monkeypatch.setattr(kind, "attend_to_source", recorded)
    flat: Any = network.final_states
    with torch.no_grad():
        flat(batch) if hasattr(batch, "plans") else flat(batch.source_ids, batch.target_input)
    monkeypatch.undo()
    return given


def mean_weights(states: Tensor, memory: Tensor, attention: Any) -> np.ndarray:
    """The mean over heads of softmax(q k / sqrt(d / h)), head by head: [T, S]."""
    width, heads = attention.width, attention.heads
    queries = attention.projection.outputs(states, 0, width)
    keys = attention.projection.outputs(memory, width, 2 * width)
    size = width // heads
    parts = [slice(head * size, (head + 1) * size) for head in range(heads)]
    each = [(queries[:, part] @ keys[:, part].T / size**0.5).softmax(-1) for part in parts]
    mean: np.ndarray = torch.stack(each).mean(0).detach().numpy()
    return mean


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize(("system", "marks"), [("transformer", "both"), ("concat", "both"), ("concat", "end")])
def test_weights_are_those_of_the_states_that_predict_each_subword(
    system: str, marks: str, norm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a sentence by itself; in a flat batch sentences lie one after the other, with their marks between them."""
    torch.manual_seed(5)
    network = build(system, SMALL | {"norm": norm, "marks": marks}, 40, 40, shared=True).eval()
    assert isinstance(network, Transformer)
    for name, parameter in network.named_parameters():  # as after training, where no norm is the identity
        if "norm" in name:
            torch.nn.init.uniform_(parameter, -1.5, 1.5)
    dataset = written(tmp_path, generated(3, documents=2, sentences=3)[0])
    unit = {"transformer": "sentence", "concat": "instance"}[system]
    task = task_for(unit, network, dataset, None)
    found = forced_attention(task, network, dataset, unit)
    units = units_of(dataset, unit)
    for index in range(len(units)):
        given = asked(network, task.batch(units, np.array([index]), None), monkeypatch)
        assert len(given) == 2
        target, source = 0, network.source_marks - 1
        for row in range(units.starts[index], units.stops[index]):
            sizes = int(dataset.target.lengths[row]), int(dataset.source.lengths[row])
            sides = [(s[0, target : target + sizes[0]], m[0, source : source + sizes[1]], a) for s, m, a in given]
            weights = found[row]
            assert weights is not None
            np.testing.assert_allclose(weights, np.mean([mean_weights(*one) for one in sides], axis=0), atol=1e-5)
            target, source = target + sizes[0] + 1, source + sizes[1] + network.source_marks
