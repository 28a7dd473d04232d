"""Every switch of the RST-Transformer, and its sizes (spec 01, sections 5, 6 and 9)."""

from dataclasses import replace
from typing import Any, Literal

import pytest
import torch

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.core.transformer import Transformer
from discourse_nmt.models.packed.related_attention import FusedAttention
from discourse_nmt.models.packed.rst_transformer import RstTransformer
from discourse_nmt.models.switches.packed import RstTransformerSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from tests.unit.models.packed.test_rst_transformer import VOCABULARY, instance, network, run


@pytest.mark.parametrize(
    ("switches", "extra"),
    [
        ({"fusion": "serial"}, 6 * 1_050_624),
        ({"fusion": "parallel"}, 6 * (1_050_624 + 524_800)),
        ({"fusion": "mix"}, 6 * (1_050_624 + 524_800)),
        ({"fusion": "parallel", "shared_projections": True}, 6 * 524_800),
    ],
)
def test_extra_parameters_of_the_base_size(switches: dict[str, Any], extra: int) -> None:
    """Spec 01, section 5."""
    with torch.device("meta"):
        base = Transformer(TransformerSettings(), VOCABULARY, VOCABULARY, True)
        model = RstTransformer(RstTransformerSettings(**switches), VOCABULARY, VOCABULARY, True)
    assert sum(p.numel() for p in model.parameters()) - sum(p.numel() for p in base.parameters()) == extra


@pytest.mark.parametrize("across", ["sentence", "tree", "instance"])
def test_what_the_upper_layers_see_of_the_source(across: Literal["sentence", "tree", "instance"]) -> None:
    """Changing sentence 2 reaches the target sentence 1 through the source attention only where it is related."""
    model = network(source_attention=across, rst_layers=1, encoder_layers=1, decoder_layers=1)
    for layer in model.encoder_layers:
        layer.attention = model.relation_attention("sentence").eval()
    for layer in model.decoder_layers:
        layer.attention = model.relation_attention("sentence").eval()
    first = instance()
    source = [ids.copy() for ids in first.source]
    source[2][0] = 7 + (source[2][0] - 6) % (VOCABULARY - 7)
    difference = (run(model, first) - run(model, replace(first, source=source))).abs().sum(dim=1)
    reached = difference.view(3, 2).any(dim=1).tolist()
    assert reached == {"sentence": [False, False, True], "tree": [True, False, True], "instance": [True] * 3}[across]


@pytest.mark.parametrize(("layers", "rst_layers"), [(3, 0), (3, 1), (3, 3)])
def test_the_upper_layers_are_rst_layers(layers: int, rst_layers: int) -> None:
    model = network(rst_layers=rst_layers)
    wanted = [False] * (layers - rst_layers) + [True] * rst_layers
    attentions: list[list[Any]] = [
        [layer.attention for layer in model.encoder_layers],
        [layer.attention for layer in model.decoder_layers],
        [layer.source_attention for layer in model.decoder_layers],
    ]
    for stack in attentions:
        assert [isinstance(attention, FusedAttention) for attention in stack] == wanted


@pytest.mark.parametrize(
    "switches",
    [
        {"fusion": "serial"},
        {"fusion": "parallel"},
        {"fusion": "parallel", "shared_projections": True},
        {"inner_norm": True},
        {"rst_layers": 2},
        {"source_attention": "sentence"},
        {"source_attention": "tree"},
        {"source_attention": "instance"},
        {"target_tree": "none"},
        {"target_positions": "running"},
        {"position_reset": True},
    ],
    ids=str,
)
def test_every_switch_makes_another_network(switches: dict[str, Any]) -> None:
    """On the parameters that both have."""
    base, model = network(rst_layers=1), network(**{"rst_layers": 1, **switches})
    model.load_state_dict(base.state_dict(), strict=False)
    tree = instance(words=2)
    assert (run(base, tree) - run(model, tree)).abs().max() > 1e-3


@pytest.mark.parametrize(
    ("switches", "told"),
    [({"rst_layers": 7}, "rst_layers is 7"), ({"shared_projections": True}, "goes with fusion: parallel")],
)
def test_settings_it_cannot_have(switches: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        RstTransformerSettings(**switches)


@pytest.mark.parametrize(
    ("layers", "width", "heads", "feed_forward_width"), [(6, 512, 8, 2048), (6, 1024, 16, 4096), (12, 1024, 16, 4096)]
)
def test_sizes(layers: int, width: int, heads: int, feed_forward_width: int) -> None:
    """Base, Big and Large (spec 01, section 6): what fusion adds depends on the width alone."""
    size: dict[str, Any] = {
        "encoder_layers": layers,
        "decoder_layers": layers,
        "width": width,
        "heads": heads,
        "feed_forward_width": feed_forward_width,
    }
    with torch.device("meta"):
        base = Transformer(TransformerSettings(**size), VOCABULARY, VOCABULARY, True)
        model = RstTransformer(RstTransformerSettings(**size), VOCABULARY, VOCABULARY, True)
    extra = sum(p.numel() for p in model.parameters()) - sum(p.numel() for p in base.parameters())
    assert extra == 6 * (4 * width**2 + 4 * width + 2 * width**2 + width)
