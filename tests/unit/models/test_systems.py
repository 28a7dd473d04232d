"""The registry of systems and the settings of systems and decoding."""

import subprocess
import sys
from dataclasses import fields
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS, build, system_named

SMALL = {"width": 16, "heads": 2, "feed_forward_width": 32, "encoder_layers": 2, "decoder_layers": 2}


def test_registry_needs_no_torch() -> None:
    code = "import discourse_nmt.models.systems, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_builds_and_declares_itself(name: str) -> None:
    system = SYSTEMS[name]
    assert system.name == name
    assert system.unit in ("sentence", "paragraph", "document", "instance")
    assert all(entry.metadata["meaning"] for entry in fields(system.settings))
    own, sentence = (dict(build(each, SMALL, 20, 30, False).named_parameters()) for each in (name, "transformer"))
    assert system.own_parameters == bool(own.keys() - sentence.keys())


RATES = {"attention_dropout": "Attention", "activation_dropout": "FeedForward", "dropout": "Residual"}
"""By switch, the end of the names of the classes of modules with this rate."""


@pytest.mark.parametrize("switch", RATES)
@pytest.mark.parametrize("name", SYSTEMS)
def test_every_rate_of_dropout_reaches_every_module_of_its_kind(name: str, switch: str) -> None:
    more = {"selective": {"sides": "both"}, "multitask": {"enc_fuse": "hier"}}.get(name, {})
    network = build(name, {**SMALL, **more, "dropout": 0.125, "attention_dropout": 0.0, switch: 0.375}, 20, 30, False)
    found = {}
    for place, module in network.named_modules():
        # The block of a cache is called an attention, which is inside of it.
        if type(module).__name__.endswith(RATES[switch]) and not hasattr(module, "attention"):
            found[place] = module.dropout if isinstance(module.dropout, float) else module.dropout.probability
    assert len(found) >= 4
    assert found == dict.fromkeys(found, 0.375)


@pytest.mark.parametrize(
    ("name", "switch", "layers"),
    [
        *((name, f"{side}_layers", f"{side}_layers") for name in SYSTEMS for side in ("encoder", "decoder")),
        ("doc_transformer", "context_layers", "context_layers"),
        ("multitask", "dasa_layers", "unit_layers"),
        ("document_graph", "graph_layers", "graph_encoder.layers"),
    ],
)
def test_there_are_as_many_layers_as_the_switch_says(name: str, switch: str, layers: str) -> None:
    more = {"rst_transformer": {"rst_layers": 1}, "g_transformer": {"global_layers": 1}}.get(name, {})
    found = build(name, {**SMALL, **more, switch: 3}, 20, 30, False).get_submodule(layers)
    assert len(list(found.children())) == 3


def test_defaults_are_the_base() -> None:
    settings = TransformerSettings()
    assert (settings.encoder_layers, settings.decoder_layers, settings.width) == (6, 6, 512)
    assert (settings.feed_forward_width, settings.heads, settings.activation) == (2048, 8, "relu")
    assert (settings.norm, settings.dropout) == ("post", 0.1)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"widht": 8}, "did you mean width?"),
        ({"zzz": 8}, "unknown setting zzz"),
        ({"width": 8.0}, "whole number"),
        ({"width": True}, "whole number"),
        ({"dropout": "0.1"}, "a number"),
        ({"dropout": 1.0}, "below 1"),
        ({"dropout": -0.1}, "at least 0"),
        ({"dropout": float("nan")}, "at least 0"),
        ({"norm": "posst"}, "did you mean post?"),
        ({"tie_output": 1}, "true or false"),
        ({"heads": 3}, "multiple of heads"),
        ({"width": 15, "heads": 3}, "even"),
        ({"encoder_layers": 0}, "at least 1"),
    ],
)
def test_wrong_settings_are_told(values: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        build("transformer", values, 10, 10, True)


def test_unknown_system_is_told() -> None:
    with pytest.raises(InputError, match="did you mean transformer"):
        system_named("transfomer")


def test_numbers_of_json_become_the_declared_type() -> None:
    assert parse_settings(DecodingSettings, {"length_penalty": 1}, "decoding").length_penalty == 1.0
    with pytest.raises(InputError, match="n_best is 3 but beam is 2"):
        parse_settings(DecodingSettings, {"n_best": 3, "beam": 2}, "decoding")
