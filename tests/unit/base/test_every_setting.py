"""The range of every setting: numbers have limits, shares two, and defaults lie within them."""

import ast
import dataclasses
import importlib
import re

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from tests.unit.project.wiring.code import modules

UNLIMITED = {"gate_bias", "margin", "seed", "least_similarity"}
"""Numbers that may be negative, and those whose limits another place checks."""
SHARE = re.compile(r"\b(share|probability|decay|dropout of|dropout in)\b")


def numbers() -> list[tuple[type, dataclasses.Field]]:
    """The numbers of all classes of settings."""
    kinds = set()
    for path, tree in modules().items():
        if {"setting", "probability"} & {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}:
            module = importlib.import_module(f"discourse_nmt.{path.removesuffix('.py').replace('/', '.')}")
            kinds |= {kind for kind in vars(module).values() if isinstance(kind, type)}
    return [
        (kind, field)
        for kind in sorted(
            filter(dataclasses.is_dataclass, kinds), key=lambda kind: (kind.__module__, kind.__qualname__)
        )
        for field in dataclasses.fields(kind)
        if "meaning" in field.metadata and type(field.default) in (int, float)
    ]


NUMBERS = numbers()


def test_there_are_many() -> None:
    assert len(NUMBERS) > 300


@pytest.mark.parametrize(("kind", "field"), NUMBERS, ids=lambda one: getattr(one, "__name__", None) or one.name)
def test_a_number_has_limits_and_its_default_is_within_them(kind: type, field: dataclasses.Field) -> None:
    lower, upper, below = (field.metadata.get(name) for name in ("minimum", "maximum", "below"))
    assert lower is not None or field.name in UNLIMITED
    assert (lower is None or field.default >= lower) and (upper is None or field.default <= upper)
    assert below is None or field.default < below
    if SHARE.search(field.metadata["meaning"]) and isinstance(field.default, float):
        assert upper == 1 or below == 1 or field.default > 1
    try:
        parse_settings(kind, {}, "here")
    except InputError:  # it has keys without a default
        return
    outside = [below, *([] if lower is None else [lower - 1]), *([] if upper is None else [upper + 1])]
    for value in (value for value in outside if value is not None):
        with pytest.raises(InputError, match=rf"^here: {field.name} is "):
            parse_settings(kind, {field.name: value}, "here")
    parse_settings(kind, {field.name: field.default}, "here")
