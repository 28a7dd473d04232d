"""Every switch of every system reaches something that one can see: with a second value, it differs."""

import json
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.packed.flat_transformer import FlatTransformer
from discourse_nmt.models.sublayers.dropout import Dropout
from discourse_nmt.models.sublayers.parts import ACTIVATIONS
from discourse_nmt.models.systems import SYSTEMS, build
from tests.unit.models.switch_examples import (
    Seen,
    difference,
    differs,
    first_values,
    layers_of,
    layers_that_differ,
    second_value,
    written_structures,
)

PAIRS = [(name, entry.name) for name, system in SYSTEMS.items() for entry in fields(system.settings)]

OF_TRAINING = {
    *(("multitask", switch) for switch in ("lambda1", "lambda2", "loss_norm", "dep_forward_train")),
    ("theme_rheme_cache", "carried_sentences"),
    ("side_constraint", "sentences"),  # in these short documents
}
"""Switches that change the loss, and no translation."""

OF_TRANSLATION = {("side_constraint", "drafts")}
"""Switches that change translations, and no loss."""

REFUSED = {
    ("hybrid_context", "position_reset"): "positions tell how far target tokens are apart",
    ("hybrid_context", "position_shift"): "no positions to shift",
    ("doc_transformer", "context_gradient"): "its context encoder reads the text itself, and always learns",
    ("side_constraint", "context_gradient"): "it reads words of context sentences, no states",
}
"""Switches of which a system has one value, with what the error says of the other one."""

OF_LAYERS = ("feed_forward_width", "heads", "activation", "norm", "dropout", "attention_dropout", "activation_dropout")
"""Switches that reach every layer of both sides."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with structure files."""
    folder = tmp_path_factory.mktemp("data")
    written_structures(folder)
    return folder


def both(folder: Path, system: str, switch: str) -> tuple[Seen, Seen]:
    """A system with the first and the second value of a switch."""
    values = first_values(system, switch)
    if switch == "tie_source_target":
        values[switch] = True
    return first(folder, system, json.dumps(values)), Seen(
        folder, system, {**values, switch: second_value(system, switch)}
    )


@lru_cache(maxsize=1)
def first(folder: Path, system: str, values: str) -> Seen:
    """A system with switches as JSON; tests of one system that follow each other share it."""
    return Seen(folder, system, json.loads(values))


def test_no_switch_is_left_out() -> None:
    """A new switch is tested at once; this number says that none is lost."""
    assert len(PAIRS) == 448
    assert set(REFUSED) <= set(PAIRS)


@pytest.mark.parametrize(("system", "switch"), [pair for pair in PAIRS if pair not in REFUSED])
def test_a_switch_reaches_something(folder: Path, system: str, switch: str) -> None:
    """One that changes the loss in evaluation changes translations, too, but for a few of training, and the reverse."""
    one, other = both(folder, system, switch)
    found = difference(one, other)
    assert found and (found == "translations") == ((system, switch) in OF_TRANSLATION)
    if found == "evaluated":
        assert differs(one, other, "translations") == ((system, switch) not in OF_TRAINING)


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_attention_and_every_dropout_has_the_value_of_a_switch(system: str) -> None:
    """Those of what a system adds to the sentence model, too."""
    names = [entry.name for entry in fields(SYSTEMS[system].settings) if entry.name.endswith("dropout")]
    rates = {name: 0.11 + 0.02 * number for number, name in enumerate(names)}
    network = build(system, {**first_values(system, "dropout"), **rates, "heads": 4}, 40, 52, False)
    # A labeller is trained by itself, with a rate of its own.
    parts = [part for name, part in network.named_modules() if not name.startswith("labeller")]
    assert {part.heads for part in parts if isinstance(vars(part).get("heads"), int)} == {4}
    attentions = {part.dropout for part in parts if isinstance(vars(part).get("dropout"), float)}
    assert attentions == {rates["attention_dropout"]}
    found = {part.probability for part in parts if isinstance(part, Dropout)} | attentions | {network.word_dropout}
    assert found == set(rates.values())


# Switches of two blocks, with what leaves one of them.
OF_ONE_BLOCK: list[tuple[str, str, dict[str, object]]] = [
    ("han", "sentences", {"place": "encoder"}),
    ("han", "sentences", {"place": "decoder"}),
    ("multitask", "tok_norm", {"fuse": "encoder", "enc_fuse": "hier"}),
    ("multitask", "tok_norm", {"fuse": "decoder"}),
]


@pytest.mark.parametrize(("system", "switch", "beside"), OF_ONE_BLOCK)
def test_a_switch_of_two_blocks_reaches_each(folder: Path, system: str, switch: str, beside: dict[str, object]) -> None:
    values = {**first_values(system, switch), **beside}
    second = Seen(folder, system, {**values, switch: second_value(system, switch)})
    assert difference(Seen(folder, system, values), second) == "evaluated"


@pytest.mark.parametrize(("system", "switch"), REFUSED)
def test_a_value_that_a_system_does_not_have_is_refused(system: str, switch: str) -> None:
    with pytest.raises(InputError, match=REFUSED[system, switch]):
        SYSTEMS[system].switches({switch: second_value(system, switch)})


@pytest.mark.parametrize("switch", OF_LAYERS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_switch_of_layers_reaches_every_one(folder: Path, system: str, switch: str) -> None:
    one, other = both(folder, system, switch)
    assert layers_that_differ(one, other) == set(layers_of(one.network))


# By system and switch, the layers that it changes: the upper ones are counted on each side by itself.
UPPER = {
    ("rst_transformer", "rst_layers"): {"encoder_layers.1", "decoder_layers.0"},
    ("rst_transformer", "fusion"): {"encoder_layers.2", "decoder_layers.1"},
    ("rst_transformer", "source_attention"): {"decoder_layers.1"},
    ("g_transformer", "global_layers"): {"encoder_layers.1", "decoder_layers.0"},
}


@pytest.mark.parametrize(("system", "switch"), UPPER)
def test_a_switch_of_upper_layers_reaches_these_on_either_side(folder: Path, system: str, switch: str) -> None:
    assert layers_that_differ(*both(folder, system, switch)) == UPPER[system, switch]


def test_current_layers_are_the_upper_ones_of_the_encoder() -> None:
    network = build("flat_transformer", {**first_values("flat_transformer", ""), "current_layers": 1}, 20, 30, False)
    assert isinstance(network, FlatTransformer)
    assert network.flat_layers == 2


@pytest.mark.parametrize("system", SYSTEMS)
def test_heads_activation_and_place_of_norm_are_those_of_every_module(system: str) -> None:
    more = {"selective": {"sides": "both"}, "multitask": {"enc_fuse": "hier"}}.get(system, {})
    changed = {"heads": 4, "activation": "gelu", "norm": "pre"}
    network = build(system, {**first_values(system, ""), **more, **changed}, 20, 30, False)
    found: dict[str, set[object]] = {name: set() for name in ("heads", "activation", "before")}
    for module in network.modules():
        for name, values in found.items():
            values |= {value for value in [getattr(module, name, None)] if value is not None}
    assert found == {"heads": {4}, "activation": {ACTIVATIONS["gelu"]}, "before": {True}}


# By system, switches beside the first ones that decide whether the translations of earlier sentences are read.
READERS: list[tuple[str, dict[str, Any]]] = [
    *((system, {}) for system in SYSTEMS),
    *(("han", {"place": place}) for place in ("encoder", "decoder")),
    *((system, {"context": "none"}) for system in ("han", "continuous_cache", "side_constraint")),
    *(("selective", {"sides": "both", "context": context}) for context in ("offline", "none")),
    ("document_graph", {"target_graph": "none"}),
    ("multitask", {"test_structure": "multitask+parser"}),
    ("side_constraint", {"drafts": True}),
    ("rst_transformer", {"rst_layers": 0}),
    ("rst_transformer", {"drop_rst": 1.0}),
    ("rst_transformer", {"rst_layers": 0, "target_positions": "running"}),
    ("g_transformer", {"global_layers": 0}),
    *(("concat", {"attention": "sentence", "target_positions": positions}) for positions in ("source", "running")),
    *(("concat", {"target_positions": "running", "position_reset": reset}) for reset in (False, True)),
    ("concat", {"attention": "sentence", "target_positions": "running", "position_reset": True}),
    *(("flat_transformer", {"target_positions": "running", "position_reset": reset}) for reset in (False, True)),
    ("hybrid_context", {"target_positions": "source"}),
]


@pytest.mark.parametrize(("system", "beside"), READERS)
def test_the_registry_knows_which_systems_read_earlier_translations(
    folder: Path, system: str, beside: dict[str, Any]
) -> None:
    """With references in their place, the translations of those systems differ, and those of others do not."""
    seen = Seen(folder, system, {**first_values(system, ""), **beside})
    differing = seen.after_references != seen.translations
    assert SYSTEMS[system].reads_translations(seen.switches) == differing
