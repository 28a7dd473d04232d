"""Training a small system on a task of one-word sentences, and how much of it is learnt."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from discourse_nmt.models.context.host import ContextTransformer
from discourse_nmt.models.context.paragraphs import ParagraphBatch
from discourse_nmt.models.systems import build

SIZES = {"encoder_layers": 1, "decoder_layers": 1, "width": 32, "heads": 4, "feed_forward_width": 64, "dropout": 0.0}

Drawn = Callable[[Any, np.random.Generator], ParagraphBatch]


def accuracy_after(updates: int, system: str, switches: dict[str, Any], size: int, draw: Drawn) -> float:
    """How many words are right after so many updates on what ``draw`` makes for the network; ``size`` symbols."""
    torch.manual_seed(1)
    model = build(system, {**SIZES, **switches}, size, size, True)
    assert isinstance(model, ContextTransformer)
    rng = np.random.default_rng(1)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.005)
    for _ in range(updates):
        batch = draw(model, rng)
        loss = torch.nn.functional.cross_entropy(model(batch).flatten(0, 1), batch.target_output.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    batch = draw(model, rng)
    return float((model(batch).argmax(-1) == batch.target_output)[:, 0].double().mean())
