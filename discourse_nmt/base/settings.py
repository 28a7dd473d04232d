"""Settings as data: a dataclass declares each key with its default, meaning and range; a mapping fills it.

The type of a field is part of its declaration: text, numbers, ``Literal`` for a choice of words, lists, dictionaries,
alternatives (``int | None``), further dataclasses of settings, or ``Any`` for what another module checks.
"""

import copy
import difflib
import math
import types
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, field, fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from discourse_nmt.base.errors import InputError

Settings = TypeVar("Settings")

NAMES = {str: "text", int: "a whole number", float: "a number", bool: "true or false", types.NoneType: "null"}

# Further keywords of JSON Schema, see setting().
NO_KEYWORDS: Mapping[str, Any] = types.MappingProxyType({})
FILES: Mapping[str, Any] = types.MappingProxyType({"minItems": 1})  # a list of files, if the key is given
DISTINCT: Mapping[str, Any] = types.MappingProxyType({"uniqueItems": True})
SOME_DISTINCT: Mapping[str, Any] = types.MappingProxyType({"minItems": 1, "uniqueItems": True})


def setting(
    default: Any,
    meaning: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    below: float | None = None,
    schema: Mapping[str, Any] = NO_KEYWORDS,
) -> Any:
    """A dataclass field with its ``default``, a one-line ``meaning`` and, where it has one, its range.

    The range, ``minimum`` and ``maximum`` included and ``below`` not, holds for every number in the field. ``schema``
    holds further keywords of JSON Schema, such as ``uniqueItems``: only the check of the configuration sees them.
    Lists and dictionaries are copied for each instance.
    """
    metadata = {"meaning": meaning, "minimum": minimum, "maximum": maximum, "below": below, "schema": schema}
    if isinstance(default, list | dict):
        return field(default_factory=lambda: copy.deepcopy(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def required(meaning: str, *, schema: Mapping[str, Any] = NO_KEYWORDS) -> Any:
    """A dataclass field without a default, with its one-line ``meaning`` and further keywords of JSON Schema."""
    return setting(MISSING, meaning, schema=schema)


def probability(default: float, meaning: str) -> Any:
    """A dataclass field for a probability: at least 0 and below 1."""
    return setting(default, meaning, minimum=0, below=1)


def nearest(wrong: str, names: Iterable[str]) -> str:
    """Advice for a mistyped name: the most similar of ``names``, or all of them."""
    names = list(names)
    similar = difflib.get_close_matches(wrong, names, n=1)
    if similar:
        return f"did you mean {similar[0]}?"
    return f"choose from {', '.join(names)}" if names else "there are none"


def parse_settings(kind: type[Settings], values: object, place: str) -> Settings:
    """The mapping ``values`` as an instance of the dataclass ``kind``; absent keys take their default.

    Whole numbers become floats where the field is one. ``place`` says whose settings these are (``system
    transformer``). Raises :class:`InputError` naming ``place`` and the key: unknown, missing, of a wrong type or
    outside its range.
    """
    if not isinstance(values, Mapping):
        raise InputError(f"{place} must be a mapping, not {values!r}")
    declared = {entry.name: entry for entry in fields(kind)}  # type: ignore[arg-type]
    for key in values:
        if key not in declared:
            raise InputError(f"{place}: unknown setting {key}", remedy=nearest(str(key), declared))
    for name, entry in declared.items():
        if name not in values and entry.default is MISSING and entry.default_factory is MISSING:
            raise InputError(f"{place}: {name} is missing")
    hints = _hints(kind)  # type: ignore[arg-type]
    return kind(
        **{name: _parsed(value, hints[name], declared[name].metadata, place, name) for name, value in values.items()}
    )


@cache  # hints are evaluated anew in each call, of which a workflow makes thousands
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _parsed(value: Any, hint: Any, limits: Mapping[str, Any], place: str, name: str) -> Any:
    alternatives = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    chosen = next((one for one in alternatives if _fits(value, one)), None)
    if chosen is None:
        raise InputError(f"{place}: {name} is {value!r}", remedy=_advice(value, alternatives))
    if is_dataclass(chosen):
        return parse_settings(chosen, value, f"{place}.{name}")  # type: ignore[arg-type]
    if get_origin(chosen) is list:
        (item,) = get_args(chosen)
        return [_parsed(one, item, limits, place, f"{name}.{number}") for number, one in enumerate(value)]
    if get_origin(chosen) is dict:
        _, item = get_args(chosen)
        return {str(key): _parsed(one, item, limits, place, f"{name}.{key}") for key, one in value.items()}
    if chosen in (int, float) and (wanted := _missed_bound(value, limits)):
        or_null = " or null" if types.NoneType in alternatives else ""
        raise InputError(f"{place}: {name} is {value!r}", remedy=f"it must be {wanted}{or_null}")
    return float(value) if chosen is float else value


def _fits(value: Any, hint: Any) -> bool:
    """Whether ``value`` is of the type ``hint``, the items of containers left aside."""
    if hint is Any or is_dataclass(hint):  # the dataclass's own parsing tells what is wrong
        return True
    if get_origin(hint) is Literal:
        return isinstance(value, str) and value in get_args(hint)
    if hint in (int, float) and isinstance(value, bool):
        return False
    if hint is float:
        return isinstance(value, int | float)
    return isinstance(value, Mapping if get_origin(hint) is dict else get_origin(hint) or hint)


def _missed_bound(value: float, limits: Mapping[str, Any]) -> str:
    minimum, maximum, below = (limits.get(bound) for bound in ("minimum", "maximum", "below"))
    # Written so that a NaN, which compares false with everything, is refused too.
    if minimum is not None and not value >= minimum:
        return f"at least {minimum}"
    if maximum is not None and not value <= maximum:
        return f"at most {maximum}"
    if below is not None and not value < below:
        return f"below {below}"
    return "" if math.isfinite(value) else "finite"


def _advice(value: Any, alternatives: tuple[Any, ...]) -> str:
    words = [word for hint in alternatives if get_origin(hint) is Literal for word in get_args(hint)]
    return nearest(str(value), words) if words else f"it must be {' or '.join(map(_told, alternatives))}"


def _told(hint: Any) -> str:
    if get_origin(hint) is list:
        return f"a list of {_told(get_args(hint)[0])}"
    return "a mapping" if get_origin(hint) is dict else NAMES.get(hint, str(hint))
