"""Checks of the configuration that end in one line: which key is wrong, and what was probably meant."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from corpus.errors import InputError
from corpus.settings import nearest, parse_settings
from models.settings import DecodingSettings
from models.systems import system_named
from training.settings import TrainingSettings


def describe(error: ValidationError) -> str:
    """One line for a schema violation: the dotted key, what is wrong, and the nearest valid key."""
    place = ".".join(str(part) for part in error.absolute_path) or "the top level"
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known = list(error.schema.get("properties", {})) if isinstance(error.schema, Mapping) else []
        unknown = sorted(str(key) for key in set(error.instance) - set(known))[0]
        return f"unknown key {unknown} in {place}; {nearest(unknown, known)}"
    if error.validator == "enum" and isinstance(error.validator_value, list):
        allowed = [str(value) for value in error.validator_value]
        return f"{place}: {error.instance!r} is not one of its values; {nearest(str(error.instance), allowed)}"
    return f"{place}: {error.message}"


def check_schema(config: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Raise :class:`InputError` for the first violation of the schema, outermost key first."""
    errors = sorted(Draft202012Validator(schema).iter_errors(config), key=lambda error: len(error.absolute_path))
    if errors:
        raise InputError(describe(errors[0]))


def check_experiments(config: Mapping[str, Any]) -> None:
    """Check what the schema cannot: systems, their switches, corpora and stage-1 experiments exist, in no circle.

    ``config`` has the schema's defaults. Raises :class:`InputError`.
    """
    experiments = config["experiments"]
    for name, experiment in experiments.items():
        for corpus in experiment.get("corpora", []):
            if corpus not in config["corpora"]:
                remedy = nearest(corpus, config["corpora"])
                raise InputError(f"experiments.{name}.corpora: no corpus {corpus}", remedy=remedy)
        first = experiment["initialised_from"]
        if first is not None and first not in experiments:
            remedy = nearest(first, experiments)
            raise InputError(f"experiments.{name}.initialised_from: no experiment {first}", remedy=remedy)
        experiment_settings(config, name)
    for name in experiments:
        if name in predecessors(experiments, name):
            raise InputError(f"experiments.{name}.initialised_from leads back to {name}", remedy="break the circle")


def predecessors(experiments: Mapping[str, Any], name: str) -> list[str]:
    """The experiments that ``name`` is initialised from, directly and indirectly, each once."""
    found: list[str] = []
    first = experiments[name]["initialised_from"]
    while first is not None and first not in found:
        found.append(first)
        first = experiments[first]["initialised_from"]
    return found


def experiment_settings(config: Mapping[str, Any], name: str) -> dict[str, dict[str, Any]]:
    """What an experiment resolves to: settings of its system, training and decoding, with every default.

    Raises :class:`InputError` naming a key that is unknown or whose value is wrong.
    """
    experiment = config["experiments"][name]
    try:
        system = system_named(experiment["system"])
        settings = parse_settings(system.settings, {**config["model"], **experiment["settings"]}, "settings")
        training = parse_settings(TrainingSettings, {**config["training"], **experiment["training"]}, "training")
        decoding = parse_settings(DecodingSettings, {**config["decoding"], **experiment["decoding"]}, "decoding")
    except InputError as error:
        raise InputError(f"experiments.{name}: {error}") from None
    return {
        "settings": dataclasses.asdict(settings),
        "training": dataclasses.asdict(training),
        "decoding": dataclasses.asdict(decoding),
    }
