"""Check of a configuration against its schema, with the nearest valid key or value as remedy."""

import copy
import json
import math
import re
from collections.abc import Mapping
from datetime import date

from jsonschema import ValidationError

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.languages import advice
from discourse_nmt.base.settings import another_name, nearest
from discourse_nmt.corpus.data.settings import ADDRESS
from discourse_nmt.corpus.importing.plan import LANGUAGE
from discourse_nmt.workflow.configuration.tree import NAME_PATTERN
from discourse_nmt.workflow.schema.validator import ConfigurationValidator, Schema

MOST_ITEMS = 20  # of a range that a message writes out
# What a person may write for a format, and the format of a corpus that reads it.
FORMAT_OF_ENDING = {
    **dict.fromkeys(("tsv", "csv", "tab", "json", "jsonl", "ndjson", "excel"), "table"),
    **dict.fromkeys(("txt", "text", "plain", "lines", "moses"), "blank_lines"),
    **dict.fromkeys(("po", "pot", "gnome"), "gettext"),
    **dict.fromkeys(("htm", "html", "pages"), "html_pages"),
    **dict.fromkeys(("sgm", "sgml", "wmt"), "wmt_sgm"),
    **dict.fromkeys(("xml",), "wmt_xml"),
    **dict.fromkeys(("wmt24pp", "wmt25", "wmt26"), "wmt_jsonl"),
    **dict.fromkeys(("folders", "parquet", "dochplt"), "documents"),
    **dict.fromkeys(("ted", "iwslt_xml"), "iwslt"),
}
LIST = ("array", ["array", "null"])  # the schema's types of keys that hold one
WORDS = ("string", ["string", "null"])


def describe(error: ValidationError) -> str:
    """One line for a schema violation: the dotted key, what is wrong, and the nearest valid key."""
    if error.validator == "anyOf" and error.context:
        of_another_type = {one.schema_path[0] for one in error.context if one.validator == "type" and not one.path}
        fitting = {one.schema_path[0] for one in error.context} - of_another_type
        # The schema gives a value for both sides first, then the form with one for each.
        form = fitting.pop() if len(fitting) == 1 else int(isinstance(error.instance, Mapping))
        return describe(min((inner for inner in error.context if inner.schema_path[0] == form), key=_is_missing_key))
    place = ".".join(str(part) for part in error.absolute_path) or "the top level"
    if error.validator == "additionalProperties" and isinstance(error.instance, Mapping):
        known = list(error.schema.get("properties", {})) if isinstance(error.schema, Mapping) else []
        unknown = sorted(str(key) for key in set(error.instance) - set(known))[0]
        return f"unknown key {unknown} in {place}; {nearest(unknown, known)}"
    if error.validator == "enum" and isinstance(error.validator_value, list):
        allowed = [str(value) for value in error.validator_value]
        meant = FORMAT_OF_ENDING.get(str(error.instance).lower().lstrip("."), "")
        remedy = f"such files have the format {meant}" if meant in allowed else nearest(str(error.instance), allowed)
        return f"{place}: {error.instance!r} is not one of its values; {remedy}"
    if error.validator == "type" and error.validator_value in LIST and isinstance(error.instance, str | int | float):
        of_numbers = isinstance(error.schema, Mapping) and error.schema.get("items", {}).get("type") == "integer"
        of_words = place.endswith(".command")
        return f"{place}: {error.instance!r} is no list; write [{_as_items(error.instance, of_numbers, of_words)}]"
    given, required = error.instance, error.validator_value
    if error.validator == "required" and isinstance(given, Mapping) and isinstance(required, list):
        missing = [key for key in required if key not in given]
        return f"{place} lacks the key {missing[0]}; add it"
    if error.validator == "type" and isinstance(error.instance, str) and _is_number(error.instance):
        return f"{place}: {error.instance!r} is text; take off the quotes, or write 1.0e-3 for 1e-3"
    if error.validator == "type" and error.validator_value in WORDS and isinstance(given, bool | int | float | date):
        return f"{place}: YAML reads this as {given}, and not as a word; write it in quotes"
    if error.validator == "pattern":
        return f"{place}: {error.instance!r} {_unlike(str(error.validator_value), str(error.instance))}"
    return f"{place}: {error.message}"


def _unlike(pattern: str, text: str) -> str:
    """What a ``text`` is not that does not match a ``pattern`` of the schema, and the remedy."""
    if pattern == LANGUAGE["pattern"]:
        return f"is no code of a language; {advice(text)}"
    if pattern == NAME_PATTERN:
        return f"is no name; {another_name(text)}"
    if pattern == ADDRESS:
        return "is no address; begin it with https:// or http://"
    return "is no SHA-256; write 64 hexadecimal digits, in small letters"


def _as_items(value: str | float, of_numbers: bool, of_words: bool) -> str:
    """A value as the items of a YAML list: ``1, 2, 3`` for ``1,2,3``, and for ``1-3`` if the items are numbers.

    The items of a command are its words.
    """
    parts = [part for part in re.split(r"[,;\s]+", str(value)) if part]
    span = re.fullmatch(r"(\d{1,4})\s*(?:-|\.\.|to)\s*(\d{1,4})", str(value).strip())
    if of_numbers and span and int(span[1]) <= int(span[2]) < int(span[1]) + MOST_ITEMS:
        return ", ".join(map(str, range(int(span[1]), int(span[2]) + 1)))
    if of_numbers:
        return ", ".join(parts) if parts and all(map(str.isdecimal, parts)) else "1, 2, 3"
    if isinstance(value, str) and not _is_number(value):
        items = value.replace('"', " ").split() if of_words else [part.strip() for part in value.split(",")]
        return ", ".join(json.dumps(item, ensure_ascii=False) for item in items if item)
    return str(value)


def _is_missing_key(error: ValidationError) -> bool:
    """Whether a key is missing, which is told last: an unknown key is often the missing one, mistyped."""
    return error.validator == "required"


def _is_number(text: str) -> bool:
    """Whether a person would take ``text`` for a number: YAML reads 1e-3 as text."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def check_schema(config: Mapping[str, object], schema: Schema) -> dict[str, object]:
    """A copy of ``config`` with the schema's defaults.

    Raises :class:`InputError` for the first violation of the schema, outermost key first.
    """
    filled = dict(copy.deepcopy(config))
    errors = sorted(ConfigurationValidator(schema).iter_errors(filled), key=lambda error: len(error.absolute_path))
    if errors:
        raise InputError(describe(errors[0]))
    return filled
