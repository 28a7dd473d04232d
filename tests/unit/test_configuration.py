"""The configuration's checks: one line that names the key and the nearest valid one; schema, presets and code agree."""

import copy
import dataclasses
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.utils import validate

from models.systems import SYSTEMS
from rules.configuration import ConfigurationError, check_experiments, check_schema, experiment_settings
from tests.conftest import ROOT
from training.settings import TrainingSettings

SCHEMA = yaml.safe_load((ROOT / "config.schema.yaml").read_text(encoding="utf-8"))
PRESETS = [ROOT / "config.yaml", *sorted((ROOT / "config").glob("*.yaml"))]


def load(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def resolved(config: dict[str, Any]) -> dict[str, Any]:
    check_schema(config, SCHEMA)
    validate(config, str(ROOT / "config.schema.yaml"))
    check_experiments(config)
    return config


@pytest.mark.parametrize("path", PRESETS, ids=lambda path: path.name)
def test_presets_are_valid(path: Path) -> None:
    config = resolved(load(path))
    for name in config["experiments"]:
        assert experiment_settings(config, name)["training"]["batch_tokens"] > 0


def keys(schema: dict[str, Any]) -> set[str]:
    """Keys of an object of the schema, references followed."""
    while "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    return set(schema.get("properties", {}))


def test_default_configuration_shows_every_key() -> None:
    config = load(ROOT / "config.yaml")
    corpus = next(iter(config["corpora"].values()))
    experiment = next(iter(config["experiments"].values()))
    assert set(config) == set(SCHEMA["properties"])
    assert set(config["demo"]) == keys(SCHEMA["properties"]["demo"])
    assert set(corpus) == keys(SCHEMA["$defs"]["corpus"])
    assert set(corpus["filters"]) == keys(SCHEMA["$defs"]["filters"])
    assert set(corpus["text"]) == keys(SCHEMA["$defs"]["text"])
    assert set(corpus["text"]["bpe"]) == keys(SCHEMA["$defs"]["text"]["properties"]["bpe"])
    assert set(config["training"]) == keys(SCHEMA["$defs"]["training"])
    assert set(config["decoding"]) == keys(SCHEMA["$defs"]["decoding"])
    assert set(experiment) == keys(SCHEMA["$defs"]["experiment"])


def test_every_key_of_the_default_configuration_is_commented() -> None:
    for number, line in enumerate((ROOT / "config.yaml").read_text(encoding="utf-8").splitlines(), 1):
        key = line.split("#")[0].strip()
        if key and not key.startswith("- "):
            assert "#" in line, f"config.yaml:{number}: no comment on {key}"


def defaults(dataclass: type) -> dict[str, Any]:
    return dataclasses.asdict(dataclass())


def test_schema_and_training_settings_agree() -> None:
    schema = SCHEMA["$defs"]["training"]["properties"]
    assert {key: value["default"] for key, value in schema.items()} == defaults(TrainingSettings)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("trainin",), {}, "unknown key trainin in the top level; did you mean training?"),
        (("training", "bach_tokens"), 1, "unknown key bach_tokens in training; did you mean batch_tokens?"),
        (("training", "batch_tokens"), "many", "training.batch_tokens: 'many' is not of type 'integer'"),
        (
            ("corpora", "demo", "format"),
            "tabel",
            "corpora.demo.format: 'tabel' is not one of its values; did you mean table?",
        ),
        (("experiments", "sentence", "system"), "transfomer", "no system transfomer; did you mean transformer?"),
        (
            ("experiments", "sentence", "settings"),
            {"widht": 3},
            "unknown key widht in experiments.sentence.settings; did you mean width?",
        ),
        (("experiments", "sentence", "corpora"), ["dmo"], "no corpus dmo; did you mean demo?"),
        (("experiments", "sentence", "initialised_from"), "sentense", "no experiment sentense; did you mean sentence?"),
        (("experiments", "sentence", "initialised_from"), "sentence", "leads back to sentence"),
        (("run",), "a/../b", "run: 'a/../b' does not match"),
        (("corpora", "demo; rm -rf x"), {}, "corpora"),
    ],
)
def test_faults_are_told_in_one_line(path: tuple[str, ...], value: Any, message: str) -> None:
    config = load(ROOT / "config.yaml")
    place = config
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ConfigurationError) as caught:
        resolved(config)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_experiment_settings_override_the_common_ones() -> None:
    config = resolved(load(ROOT / "config.yaml"))
    config["experiments"]["other"] = copy.deepcopy(config["experiments"]["sentence"])
    config["experiments"]["other"]["training"] = {"learning_rate": 0.125}
    config["experiments"]["other"]["settings"] = {"width": 64}
    merged = experiment_settings(config, "other")
    assert merged["training"]["learning_rate"] == 0.125
    assert merged["settings"]["width"] == 64
    assert set(merged["settings"]) == {field.name for field in dataclasses.fields(SYSTEMS["transformer"].settings)}
    assert experiment_settings(config, "sentence")["training"]["learning_rate"] != 0.125
