"""Attention to the source while a given translation is read."""

from pathlib import Path

import numpy as np
import pytest
import torch

from discourse_nmt.models.systems import build, system_named
from discourse_nmt.training.tasks.protocol import task_for
from discourse_nmt.translation.forced_attention import forced_attention
from tests.unit.training.run.training_toy import SIZE, dataset

SMALL = {"encoder_layers": 1, "decoder_layers": 2, "width": 16, "feed_forward_width": 32, "heads": 2, "dropout": 0.0}


@pytest.mark.parametrize("marks", ["both", "end"])
def test_a_system_that_reads_sentences_flat_has_the_weights_of_the_sentence_model(marks: str, tmp_path: Path) -> None:
    """It has the same parameters, and here it reads each sentence by itself."""
    torch.manual_seed(1)
    data = dataset(tmp_path, [3, 2])
    switches = {**SMALL, "marks": marks}
    network = build("transformer", switches, SIZE, SIZE, True).eval()
    flat = build("concat", {**switches, "attention": "sentence", "position_reset": True}, SIZE, SIZE, True).eval()
    flat.load_state_dict(network.state_dict())
    found = []
    for name, one in (("transformer", network), ("concat", flat)):
        unit = system_named(name).unit
        found.append(forced_attention(task_for(unit, one, data, None), one, data, unit))
    for expected, weights in zip(*found, strict=True):
        assert expected is not None and weights is not None
        assert np.allclose(weights, expected, atol=1e-5) and np.allclose(weights.sum(1), 1, atol=1e-5)
    assert len({weights.shape for weights in found[0] if weights is not None}) > 1
