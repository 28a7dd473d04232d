"""Dropout by place: each place drops in training, with the rate of its switch, and none in evaluation."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import pytest
import torch
from torch import Tensor, nn

from discourse_nmt.models.attention import multi_head
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.selective.network import SelectiveBlock
from discourse_nmt.models.sublayers.dropout import Dropout
from discourse_nmt.models.switches.selective import SelectiveSettings
from discourse_nmt.models.switches.transformer import TransformerSettings

SIZES: dict[str, Any] = {"width": 8, "heads": 2, "feed_forward_width": 16}
RATES: dict[str, Any] = {"dropout": 0.4, "attention_dropout": 0.3, "activation_dropout": 0.2}


@contextmanager
def recorded(network: nn.Module) -> Iterator[Counter[tuple[str, float]]]:
    """How often each dropout of ``network`` changed what passed through it, by its name and rate."""
    found: Counter[tuple[str, float]] = Counter()

    def hook(name: str) -> Any:
        def changed(module: Dropout, inputs: tuple[Tensor], output: Tensor) -> None:
            if not torch.equal(inputs[0], output):
                found[name, module.probability] += 1

        return changed

    handles = [
        module.register_forward_hook(hook(name))
        for name, module in network.named_modules()
        if isinstance(module, Dropout)
    ]
    yield found
    for handle in handles:
        handle.remove()


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_sentence_model_drops_at_every_place_in_training_alone(
    monkeypatch: pytest.MonkeyPatch, norm: Literal["post", "pre"]
) -> None:
    torch.manual_seed(1)
    settings = TransformerSettings(encoder_layers=1, decoder_layers=1, norm=norm, **SIZES, **RATES)
    network = Transformer(settings, 20, 20, True)
    of_weights: list[float] = []
    attend = multi_head.attend

    def noted(*args: Any) -> Tensor:
        of_weights.append(args[5])
        return attend(*args)

    monkeypatch.setattr(multi_head, "attend", noted)
    source, target = torch.randint(5, 20, (4, 9)), torch.randint(5, 20, (4, 9))
    with recorded(network) as found:
        network.train()(source, target)
    residuals = ["encoder_layers.0.attention", "encoder_layers.0.feed_forward"]
    residuals += [f"decoder_layers.0.{block}" for block in ("attention", "source", "feed_forward")]
    assert found == {
        ("embedding_dropout", 0.4): 2,  # of the source and of the target
        **{(f"{block}_residual.dropout", 0.4): 1 for block in residuals},
        **{(f"{side}_layers.0.feed_forward.dropout", 0.2): 1 for side in ("encoder", "decoder")},
    }
    assert of_weights == [0.3] * 3
    of_weights.clear()
    with recorded(network) as found:
        network.eval()(source, target)
    assert (found, of_weights) == ({}, [0.0] * 3)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_dropout_changes_what_the_network_computes(norm: Literal["post", "pre"]) -> None:
    """A dropout whose result were not used would be counted above and change nothing."""
    torch.manual_seed(1)
    for rate in RATES:
        settings = TransformerSettings(
            encoder_layers=1, decoder_layers=1, norm=norm, **{**SIZES, "dropout": 0.0, rate: 0.5}
        )
        network = Transformer(settings, 20, 20, True)
        source, target = torch.randint(5, 20, (2, 6)), torch.randint(5, 20, (2, 6))
        network.train()
        assert not torch.allclose(network(source, target), network(source, target)), rate
        network.eval()
        torch.testing.assert_close(network(source, target), network(source, target))


def test_the_block_of_selective_attention_drops_in_training_alone() -> None:
    block = SelectiveBlock(SelectiveSettings(dsp=[], **SIZES, **RATES))
    states, attended = torch.randn(3, 5, 8), torch.randn(3, 5, 8)
    seen = torch.ones(3, 5, 2, dtype=torch.bool)
    with recorded(block) as found:
        block.train()(states, attended, seen)
    assert found == {("dropout", 0.4): 1, ("feed_forward.dropout", 0.2): 1}
    with recorded(block) as found:
        block.eval()(states, attended, seen)
    assert not found


@pytest.mark.parametrize("rate", [0.999995, 1 - 1e-16, 1e-12])
def test_extreme_rates_are_finite(rate: float) -> None:
    """A rate near 1 once divided by zero."""
    states = torch.ones(500, requires_grad=True)
    dropped = Dropout(rate).train()(states)
    dropped.sum().backward()
    assert torch.isfinite(dropped).all() and states.grad is not None and torch.isfinite(states.grad).all()
