"""Changes of every text in a configuration, such as names of files."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

from discourse_nmt.base.settings import Given

Value = TypeVar("Value")


def moved(value: Value, old: str, new: str) -> Value:
    """A copy in which each text that begins with the folder ``old`` begins with ``new``."""
    return cast(Value, _moved(value, old, new))


def _moved(value: object, old: str, new: str) -> object:
    if isinstance(value, str):
        return f"{new.rstrip('/')}/{value.removeprefix(old)}" if value.startswith(old) else value
    if isinstance(value, list):
        return [_moved(item, old, new) for item in value]
    if isinstance(value, Mapping):
        items = {key: _moved(item, old, new) for key, item in value.items()}
        return Given(value.kind, items) if isinstance(value, Given) else items
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{entry.name: _moved(getattr(value, entry.name), old, new) for entry in fields(value)})
    return value
