"""Structured settings: a dataclass filled from JSON, with an error that names the wrong key and the nearest
right one.
"""

import difflib
import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from corpus.errors import InputError

Settings = TypeVar("Settings")


def build(kind: type[Settings], values: object, place: str) -> Settings:
    """An instance of the dataclass ``kind`` from the JSON object ``values``; ``place`` names it in messages.

    Raises :class:`InputError` for an unknown or missing key and for a value of the wrong type.
    """
    if not isinstance(values, Mapping):
        raise InputError(f"{place} must be a mapping, not {values!r}")
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    for key in values:
        if key not in known:
            raise InputError(f"{place}: unknown key {key}", remedy=nearest(str(key), list(known)))
    for name, field in known.items():
        if name in values and not _fits(values[name], hints[name]):
            raise InputError(f"{place}.{name}: {values[name]!r} is not {_told(hints[name])}")
        if name not in values and field.default is MISSING and field.default_factory is MISSING:
            raise InputError(f"{place}: {name} is missing")
    return kind(**values)


def nearest(wrong: str, known: list[str]) -> str:
    """What to write instead of ``wrong``: the most similar of ``known``, or all of them."""
    similar = difflib.get_close_matches(wrong, known, n=1)
    return f"did you mean {similar[0]}?" if similar else f"known are {', '.join(known) or 'none'}"


def _fits(value: Any, hint: Any) -> bool:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, choice) for choice in get_args(hint))
    if origin is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if origin is list:
        return isinstance(value, list) and all(_fits(item, get_args(hint)[0]) for item in value)
    if origin is dict:
        return isinstance(value, dict) and all(_fits(item, get_args(hint)[1]) for item in value.values())
    if hint is Any:
        return True
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, hint) and (hint is bool or not isinstance(value, bool))


def _told(hint: Any) -> str:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return " or ".join(_told(choice) for choice in get_args(hint))
    if origin is Literal:
        return "one of " + ", ".join(map(str, get_args(hint)))
    if origin is list:
        return f"a list of {_told(get_args(hint)[0])}"
    if origin is dict:
        return "a mapping"
    names = {str: "text", int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}
    return names.get(hint, str(hint))
