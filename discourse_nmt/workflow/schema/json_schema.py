"""JSON Schema of a dataclass of settings: types, ranges, choices, defaults and descriptions."""

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, is_dataclass
from decimal import Decimal
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from discourse_nmt.base.settings import Given, as_json, declared_fields
from discourse_nmt.corpus.data.settings import DataSettings
from discourse_nmt.corpus.importing.filters import Filters
from discourse_nmt.discourse.settings import GraphSettings
from discourse_nmt.workflow.configuration.analyses import AnalysisSection
from discourse_nmt.workflow.configuration.corpora import CorpusSection, ExternalSystemSettings, SuiteSection
from discourse_nmt.workflow.configuration.experiments import ExperimentSection
from discourse_nmt.workflow.configuration.general import MetricSettings
from discourse_nmt.workflow.configuration.labellers import LabellerSection
from discourse_nmt.workflow.configuration.papers import PaperTableSettings
from discourse_nmt.workflow.configuration.parsers import ParserSection, TrainedAnalyserSettings
from discourse_nmt.workflow.configuration.texts import BySide, TextSection
from discourse_nmt.workflow.schema.validator import Schema

TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", types.NoneType: "null"}

# Sections that are defined once, under $defs.
DEFINED: dict[object, str] = {
    CorpusSection: "corpus",
    SuiteSection: "suite",
    ExternalSystemSettings: "external_system",
    Filters: "filters",
    DataSettings: "data",
    TextSection: "text",
    BySide: "by_side",
    AnalysisSection: "analysis",
    GraphSettings: "graph",
    MetricSettings: "metric",
    ExperimentSection: "experiment",
    LabellerSection: "labeller",
    PaperTableSettings: "paper_table",
    ParserSection: "parser",
}
STRICT = (TrainedAnalyserSettings,)  # whose given keys the workflow checks by the schema, not by the dataclass


def reference(name: str) -> Schema:
    """A reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


def named(definition: str, names: str = "name") -> Schema:
    """Sections of one kind, by name."""
    return {"type": "object", "propertyNames": reference(names), "additionalProperties": reference(definition)}


def object_of(kind: type[object], own: Mapping[str, Schema] | None = None, *, defaults: bool = True) -> Schema:
    """The JSON Schema of a mapping with the fields of ``kind``, whose unknown keys are errors.

    ``own`` gives the schema of keys whose value another module checks. Without ``defaults`` an absent key stays
    absent, and its description tells the default.
    """
    hints = get_type_hints(kind)
    required = [entry.name for entry in declared_fields(kind).values() if not has_default(entry)]
    properties = {
        name: key_of(entry, (own or {}).get(name), hints[name], defaults)
        for name, entry in declared_fields(kind).items()
    }
    return {
        "type": "object",
        "additionalProperties": False,
        **({"required": required} if required else {}),
        "properties": properties,
    }


def key_of(entry: Field[Any], own: Schema | None, hint: Any, defaults: bool = True) -> Schema:
    """The JSON Schema of one key: the field ``entry`` of type ``hint``, or ``own`` in place of its type."""
    limits, meaning = entry.metadata, entry.metadata["meaning"]
    keywords = dict(limits["schema"])
    typed = own if own is not None else {} if "enum" in keywords else type_of(hint, limits, defaults)
    filled: Schema = {}
    # A key whose schema refuses its empty default, such as a list of files, stays absent.
    if has_default(entry) and not (keywords.get("minItems") and default_of(entry) == []):
        if defaults:
            filled = {"default": default_of(entry)}
        elif default_of(entry) not in ({}, [], None, ""):
            meaning += f"; default {as_yaml(default_of(entry))}"
    return {"description": f"{meaning[0].upper()}{meaning[1:]}.", **typed, **keywords, **filled}


def has_default(entry: Field[Any]) -> bool:
    """Whether a field has a default."""
    return not (entry.default is MISSING and entry.default_factory is MISSING)


def default_of(entry: Field[Any]) -> Any:
    """The default of a field as JSON; a section of its own is an empty mapping."""
    value = entry.default if entry.default_factory is MISSING else entry.default_factory()
    return as_json(_empty(value))


def _empty(value: object) -> object:
    if isinstance(value, dict):
        return {key: _empty(item) for key, item in value.items()}
    return {} if is_dataclass(value) and not isinstance(value, BySide) else value


def as_yaml(value: Any) -> str:
    """A value as YAML on one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {as_yaml(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(as_yaml, value))}]"
    if isinstance(value, str):
        return value if value.isidentifier() else f'"{value}"'
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f")  # YAML reads 1e-09 as text
    return "null" if value is None else str(value).lower()


def type_of(hint: Any, limits: Mapping[str, Any], defaults: bool = True) -> Schema:
    """The JSON Schema of a type; the range in ``limits`` holds for the numbers in it, ``defaults`` for a section."""
    if hint in (Any, object):
        return {}
    if get_origin(hint) is Given:
        (kind,) = get_args(hint)
        return object_of(kind, defaults=False) if kind in STRICT else {"type": "object"}
    if get_origin(hint) is Literal:
        return {"enum": list(get_args(hint))}
    if hint in DEFINED:
        return reference(DEFINED[hint])
    if is_dataclass(hint) and isinstance(hint, type):
        return object_of(hint, defaults=defaults)
    if get_origin(hint) is list:
        return {"type": "array", "items": type_of(get_args(hint)[0], limits)}
    if get_origin(hint) is dict:
        kind = get_args(hint)[1]
        if kind in DEFINED:
            return named(DEFINED[kind], "language" if kind is ParserSection else "name")
        value = type_of(kind, limits)
        return {"type": "object", **({"additionalProperties": value} if value else {})}
    if len(alternatives := alternatives_of(hint)) > 1:
        values = either([type_of(one, limits) for one in alternatives if one is not BySide])
        return {"anyOf": [values, reference("by_side")]} if BySide in alternatives else values
    return {"type": TYPES[hint], **(range_of(limits) if hint in (int, float) else {})}


def alternatives_of(hint: object) -> tuple[Any, ...]:
    """The types of a union, or the one type."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def either(alternatives: list[Schema]) -> Schema:
    """The JSON Schema of a value that fits one of some schemas: one list of types, or ``anyOf``."""
    if len(alternatives) == 1:
        return alternatives[0]
    if not all(isinstance(alternative.get("type"), str) for alternative in alternatives):
        return {"anyOf": alternatives}
    merged: Schema = {"type": [alternative["type"] for alternative in alternatives]}
    for alternative in alternatives:
        merged |= {keyword: value for keyword, value in alternative.items() if keyword != "type"}
    return merged


def range_of(limits: Mapping[str, Any]) -> Schema:
    """The keywords of a range of numbers."""
    bounds = {
        "minimum": limits["minimum"],
        "maximum": limits["maximum"],
        "exclusiveMaximum": limits["below"],
    }
    return {keyword: bound for keyword, bound in bounds.items() if bound is not None}
