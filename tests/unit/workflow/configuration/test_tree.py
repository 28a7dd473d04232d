"""The configuration as a tree of dataclasses: every preset is read and written back, classes follow their keys."""

import copy
from pathlib import Path
from typing import Any

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import as_json, parse_settings
from discourse_nmt.corpus.readers.table import Options
from discourse_nmt.discourse.settings import BuiltinThemeSettings, StanzaSettings
from discourse_nmt.models.switches.packed import RstTransformerSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.workflow.checks.schema import check_schema
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.parameters import canonical
from discourse_nmt.workflow.resolving.resolve import resolve
from tests.unit.workflow.plan.plan_examples import CONFIG, SCHEMA, read
from tests.unit.workflow.test_configuration import PRESETS, load


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_a_preset_is_read_and_written_back_to_the_byte(path: Path) -> None:
    filled = check_schema(load(path), SCHEMA)
    assert canonical(as_json(Configuration.read(filled))) == canonical(filled)


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.stem)
def test_the_classes_accept_a_preset_without_the_schema(path: Path) -> None:
    assert parse_settings(Configuration, load(path), "configuration").run == load(path)["run"]


def test_resolving_changes_nothing_of_what_was_read() -> None:
    given = {**copy.deepcopy(CONFIG), "size": "small"}
    given["corpora"]["talks"]["text_of"], given["corpora"]["talks"]["shards"] = "news", "auto"
    given["experiments"]["sentence"]["decodings"] = {"greedy": {"beam": 1}}
    config = read(given)
    resolved = resolve(config)
    assert config == read(given)
    assert (config.run, resolved.run) == ("example", "example-small")
    assert (config.corpora["talks"].shards, resolved.corpora["talks"].shard_count) == ("auto", 2)
    assert (config.corpora["talks"].text.lowercase, resolved.corpora["talks"].text.lowercase) != (False, False)
    assert "sentence.greedy" not in config.experiments
    assert resolved.experiments["sentence.greedy"].model_of == "sentence"


def test_the_class_of_a_section_follows_the_key_beside_or_inside_it() -> None:
    given: dict[str, Any] = copy.deepcopy(CONFIG)
    given["analyses"]["builtin"]["syntax"] = {"backend": "stanza", "folder": "x"}
    config = read(given)
    assert config.corpora["news"].options.kind is Options
    assert config.experiments["trees"].settings.kind is RstTransformerSettings
    assert config.experiments["sentence"].settings.kind is TransformerSettings
    assert config.analyses["builtin"].syntax.kind is StanzaSettings
    assert config.analyses["builtin"].themes.kind is BuiltinThemeSettings


def test_numbers_and_absent_keys_stay_as_they_are_written() -> None:
    given: dict[str, Any] = copy.deepcopy(CONFIG)
    given["corpora"]["talks"] |= {"held_out": {"dev": 10}, "filters": {"max_ratio": 4}, "near_duplicates": 1}
    corpus = as_json(read(given).corpora["talks"])
    assert canonical({key: corpus[key] for key in ("held_out", "near_duplicates", "splits")}) == (
        '{"held_out": {"dev": 10}, "near_duplicates": 1, "splits": {"train": {"files": ["train.tsv"]}}}'
    )
    assert canonical(corpus["filters"]).startswith('{"gaps": "cut", "max_ratio": 4,')
    experiments = as_json(read(given).experiments)
    assert "corpora" in experiments["trees"] and "corpora" not in experiments["sentence"]
    assert "model_of" not in experiments["sentence"]


def test_what_resolving_fills_is_no_key() -> None:
    given = {"run": "x", "experiments": {"a": {"system": "transformer", "model_of": "b"}}}
    with pytest.raises(InputError, match=r"experiments\.a: unknown setting model_of"):
        Configuration.read(given)


def test_a_number_that_the_schema_lets_pass_is_told_with_its_section() -> None:
    given: dict[str, Any] = copy.deepcopy(CONFIG)
    given["corpora"]["talks"]["near_duplicates"] = float("nan")
    with pytest.raises(InputError, match=r"^corpora\.talks: near_duplicates is nan; it must be at least 0\.1 or null$"):
        read(given)
