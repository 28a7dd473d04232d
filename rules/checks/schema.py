"""Check of a configuration against its schema, with the nearest valid key or value as remedy."""

import json
import math
from collections.abc import Mapping
from typing import Any

from jsonschema import ValidationError

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import nearest
from discourse_nmt.rules.schema.validator import ConfigurationValidator

LIST = ("array", ["array", "null"])  # the schema's types of keys that hold one


def describe(error: ValidationError) -> str:
    """One line for a schema violation: the dotted key, what is wrong, and the nearest valid key."""
    if error.validator == "anyOf" and error.context:
        # The schema gives a value for both sides first, then the form with one for each.
        form = 1 if isinstance(error.instance, Mapping) else 0
        return describe(min((inner for inner in error.context if inner.schema_path[0] == form), key=_is_missing_key))
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


def _is_missing_key(error: ValidationError) -> bool:
    """Whether a key is missing, which is told last: an unknown key is often the missing one, mistyped."""
    return error.validator == "required"


def _is_number(text: str) -> bool:
    """Whether a person would take ``text`` for a number: YAML reads 1e-3 as text."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def check_schema(config: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Fill the schema's defaults into ``config``.

    Raises :class:`InputError` for the first violation of the schema, outermost key first.
    """
    errors = sorted(ConfigurationValidator(schema).iter_errors(config), key=lambda error: len(error.absolute_path))
    if errors:
        raise InputError(describe(errors[0]))
