"""The validator of a configuration: it fills in defaults and leaves the switches of systems to their dataclasses."""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError, validators

Schema = dict[str, Any]
"""JSON Schema."""

_check_properties = Draft202012Validator.VALIDATORS["properties"]


def _fill_defaults(
    validator: Draft202012Validator, properties: Schema, instance: object, schema: Schema
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for key, subschema in properties.items():
            if isinstance(subschema, Mapping) and "default" in subschema:
                instance.setdefault(key, copy.deepcopy(subschema["default"]))
    yield from _check_properties(validator, properties, instance, schema)


def _ignore(*_: object) -> None:
    """Pass over ``if`` and ``then``, which are there for editors.

    :func:`.parse_settings` checks the same keys with the same dataclasses, and names the experiment in its message.
    """


ConfigurationValidator = validators.extend(Draft202012Validator, {"properties": _fill_defaults, "if": _ignore})
"""Class of a validator that fills the defaults of absent keys into the configuration it validates."""


def parsed_schema(text: str) -> Schema:
    """The schema that ``text`` holds as YAML; the loader of libyaml, where it is installed, is eight times faster."""
    schema: Schema = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return schema
