"""A second value for a setting, by its type."""

from typing import Any, Literal, get_args, get_origin


def other_than(value: object, hint: Any) -> object:
    """Another value than ``value`` of the type ``hint``."""
    if get_origin(hint) is Literal:
        return next(other for other in get_args(hint) if other != value)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value / 2 if value else 0.5
    assert value is None, "a list: give it a second value by hand"
    return True if bool in get_args(hint) else 1
