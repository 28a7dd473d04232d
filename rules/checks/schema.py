"""The first check: the configuration beside its schema, with the nearest valid key or value."""

import json
import math
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import nearest

LIST = ("array", ["array", "null"])  # the schema's types of keys that hold one


def describe(error: ValidationError) -> str:
    """One line for a schema violation: the dotted key, what is wrong, and the nearest valid key."""
    if error.validator == "anyOf" and error.context:
        # The schema gives a value for both sides first, then the form with one for each.
        chosen = 1 if isinstance(error.instance, Mapping) else 0
        return describe(min((each for each in error.context if each.schema_path[0] == chosen), key=_precedence))
    place = ".".join(str(part) for part in error.absolute_path) or "the top level"
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known = list(error.schema.get("properties", {})) if isinstance(error.schema, Mapping) else []
        unknown = sorted(str(key) for key in set(error.instance) - set(known))[0]
        return f"unknown key {unknown} in {place}; {nearest(unknown, known)}"
    if error.validator == "enum" and isinstance(error.validator_value, list):
        allowed = [str(value) for value in error.validator_value]
        return f"{place}: {error.instance!r} is not one of its values; {nearest(str(error.instance), allowed)}"
    if error.validator == "type" and error.validator_value in LIST and isinstance(error.instance, str | int | float):
        plain = isinstance(error.instance, str) and _is_number(error.instance)
        item = error.instance if plain else json.dumps(error.instance, ensure_ascii=False)
        return f"{place}: {error.instance!r} is no list; write [{item}]"
    if error.validator == "type" and isinstance(error.instance, str) and _is_number(error.instance):
        return f"{place}: {error.instance!r} is text; take off the quotes, or write 1.0e-3 for 1e-3"
    if error.validator == "pattern" and place.rpartition(".")[2] in ("source_language", "target_language"):
        return f"{place}: {error.instance!r} is no ISO 639-1 code; write it in lower case, for example en"
    return f"{place}: {error.message}"


def _precedence(error: ValidationError) -> bool:
    """Unknown keys before missing ones: the one is the other, mistyped."""
    return error.validator == "required"


def _is_number(text: str) -> bool:
    """Whether a person would take ``text`` for a number: YAML reads 1e-3 as text."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def check_schema(config: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Raise :class:`InputError` for the first violation of the schema, outermost key first."""
    errors = sorted(Draft202012Validator(schema).iter_errors(config), key=lambda error: len(error.absolute_path))
    if errors:
        raise InputError(describe(errors[0]))
