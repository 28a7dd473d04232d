"""Checks of the configuration that end in one line: which key is wrong, and what was probably meant."""

import dataclasses
import difflib
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from models.systems import SYSTEMS


class ConfigurationError(Exception):
    """A fault in the configuration, told in one line."""


def nearest(word: str, known: list[str]) -> str:
    """``; did you mean X?`` for the known name closest to ``word``, or the list of known names."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else f"; known: {', '.join(sorted(known))}"


def describe(error: ValidationError) -> str:
    """One line for a schema violation: the dotted key, what is wrong, and the nearest valid key."""
    place = ".".join(str(part) for part in error.absolute_path) or "the top level"
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known = list(error.schema.get("properties", {}))
        unknown = sorted(set(error.instance) - set(known))
        return f"unknown key {unknown[0]} in {place}{nearest(str(unknown[0]), known)}"
    if error.validator == "required":
        return f"{place}: {error.message}"
    if error.validator == "enum":
        return f"{place}: {error.instance!r} is not one of its values{nearest(str(error.instance), list(map(str, error.validator_value)))}"
    return f"{place}: {error.message}"


def check_schema(config: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Raise :class:`ConfigurationError` for the first violation of the schema, outermost key first."""
    errors = sorted(Draft202012Validator(schema).iter_errors(config), key=lambda error: len(error.absolute_path))
    if errors:
        raise ConfigurationError(describe(errors[0]))


def check_experiments(config: Mapping[str, Any]) -> None:
    """Check what the schema cannot: systems, their switches, corpora and stage-1 experiments exist, without a cycle."""
    experiments = config["experiments"]
    for name, experiment in experiments.items():
        place = f"experiments.{name}"
        if experiment["system"] not in SYSTEMS:
            raise ConfigurationError(
                f"{place}.system: no system {experiment['system']}{nearest(experiment['system'], list(SYSTEMS))}"
            )
        switches = [field.name for field in dataclasses.fields(SYSTEMS[experiment["system"]].settings)]
        for section, keys in ((f"{place}.settings", experiment["settings"]), ("model", config["model"])):
            for key in keys:
                if key not in switches:
                    raise ConfigurationError(f"unknown key {key} in {section}{nearest(key, switches)}")
        for corpus in experiment.get("corpora", []):
            if corpus not in config["corpora"]:
                raise ConfigurationError(f"{place}.corpora: no corpus {corpus}{nearest(corpus, list(config['corpora']))}")
        first = experiment["initialised_from"]
        if first is not None and first not in experiments:
            raise ConfigurationError(f"{place}.initialised_from: no experiment {first}{nearest(first, list(experiments))}")
    for name in experiments:
        if name in list(predecessors(experiments, name)):
            raise ConfigurationError(f"experiments.{name}.initialised_from leads back to {name}; break the circle")


def predecessors(experiments: Mapping[str, Any], name: str) -> Iterator[str]:
    """The experiments that ``name`` is initialised from, directly and indirectly, each once."""
    seen: set[str] = set()
    first = experiments[name]["initialised_from"]
    while first is not None and first not in seen:
        seen.add(first)
        yield first
        first = experiments[first]["initialised_from"]


def experiment_settings(config: Mapping[str, Any], name: str) -> dict[str, dict[str, Any]]:
    """What an experiment resolves to: its settings, training and decoding over the common ones and the defaults."""
    experiment = config["experiments"][name]
    system = SYSTEMS[experiment["system"]]
    switches = dataclasses.asdict(system.settings(**{**config["model"], **experiment["settings"]}))
    return {
        "settings": switches,
        "training": {**config["training"], **experiment["training"]},
        "decoding": {**config["decoding"], **experiment["decoding"]},
    }
