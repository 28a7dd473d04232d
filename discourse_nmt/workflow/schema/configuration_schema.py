"""The JSON Schema of the configuration, put together from the dataclasses of all rooms.

What stands under ``if`` and ``then`` is for editors: the keys that depend on a system, a format or a backend. At run
time :func:`.parse_settings` checks these with the same dataclasses, so that a message names the experiment.
"""

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import get_args, get_origin

from discourse_nmt.base.settings import Given, declared_fields, hints_of
from discourse_nmt.corpus.data.settings import DataSettings
from discourse_nmt.corpus.importing.filters import Filters
from discourse_nmt.corpus.importing.plan import LANGUAGE, SplitSettings
from discourse_nmt.corpus.readers import FORMATS as CORPUS_FORMATS
from discourse_nmt.discourse.analysers.network_settings import NetworkSettings
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.backends.files.readings import FORMATS as TABLE_FORMATS
from discourse_nmt.discourse.backends.registry import OFFERS, STAGES
from discourse_nmt.discourse.coreference.network import CoreferenceNetworkSettings
from discourse_nmt.discourse.coreference.resolver import ResolverSettings
from discourse_nmt.discourse.parsing.network import ParserSettings
from discourse_nmt.discourse.settings import BackendName, GraphSettings, RstSettings
from discourse_nmt.discourse.treebanks.settings import TreebankSettings
from discourse_nmt.language_models.settings import LLM, LanguageModelSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.training.analysers.coreference import CoreferenceLearningSettings
from discourse_nmt.training.analysers.joint import LearningSettings
from discourse_nmt.training.analysers.rst_parser import ParserLearningSettings
from discourse_nmt.training.analysers.segmenter import SegmenterSettings
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.configuration.analyses import AnalysisSection
from discourse_nmt.workflow.configuration.corpora import CorpusSection, ExternalSystemSettings, SuiteSection
from discourse_nmt.workflow.configuration.decoding import DecodingSection
from discourse_nmt.workflow.configuration.experiments import ExperimentSection
from discourse_nmt.workflow.configuration.general import (
    MetricSettings,
)
from discourse_nmt.workflow.configuration.labellers import LabellerSection
from discourse_nmt.workflow.configuration.papers import PaperTableSettings
from discourse_nmt.workflow.configuration.parsers import (
    ParserSection,
)
from discourse_nmt.workflow.configuration.texts import TextSection
from discourse_nmt.workflow.configuration.tree import NAME_PATTERN, Configuration
from discourse_nmt.workflow.schema.json_schema import (
    STRICT,
    Schema,
    alternatives_of,
    has_default,
    key_of,
    object_of,
    reference,
)

# Sections of which experiments and corpora give some keys, and sections whose chosen classes are defined by name.
OVERRIDING: dict[object, str] = {TrainingSettings: "experiment_training", DecodingSection: "experiment_decoding"}
CHOSEN: dict[object, str] = {CorpusSection: "options", ExperimentSection: "system"}
NO_KEYS: Mapping[str, Schema] = MappingProxyType({})
LIBRARY = "https://json-schema.org/draft/2020-12/schema"


def configuration_schema() -> Schema:
    """The whole schema."""
    own = {
        "model": {**reference("switches"), **for_editors({"propertyNames": {"enum": all_switches()}})},
        "training": reference("training"),
        "decoding": reference("decoding"),
    }
    return {
        "$schema": LIBRARY,
        "$comment": "Generated from the dataclasses of settings by `make schema`; edit those.",
        "title": "Configuration of discourse-nmt",
        "description": "Every key with its meaning and default. Unknown keys are errors.",
        **object_of(Configuration, own),
        "$defs": definitions(),
    }


def definitions() -> dict[str, Schema]:
    """The sections that are used by name or more than once."""
    stages: dict[str, Schema] = {stage: reference(f"stage_{stage}") for stage in STAGES}
    target = {**closed(), "properties": stages}
    return {
        "name": {"type": "string", "pattern": NAME_PATTERN},
        "language": {"type": "string", **LANGUAGE},
        "corpus": corpus(),
        **{f"options_{name}": object_of(one.options, defaults=False) for name, one in CORPUS_FORMATS.items()},
        "suite": section_of(SuiteSection),
        "external_system": object_of(ExternalSystemSettings),
        "filters": object_of(Filters),
        "data": object_of(DataSettings),
        "text": object_of(TextSection),
        "by_side": {**closed(), "required": ["source", "target"], "properties": {"source": {}, "target": {}}},
        "analysis": object_of(AnalysisSection, {**stages, "target": target}),
        "graph": object_of(GraphSettings),
        "analyser": analyser(),
        **{f"stage_{stage}": stage_section(stage) for stage in STAGES},
        "switches": {"type": "object", "properties": object_of(TransformerSettings, defaults=False)["properties"]},
        "metric": object_of(MetricSettings),
        "experiment": experiment(),
        **{f"system_{name}": system_switches(name) for name in SYSTEMS},
        f"system_{LLM}": object_of(LanguageModelSettings, defaults=False),
        "training": object_of(TrainingSettings),
        "decoding": object_of(DecodingSection),
        "experiment_training": object_of(TrainingSettings, defaults=False),
        "experiment_decoding": object_of(DecodingSection, defaults=False),
        "labeller": section_of(LabellerSection),
        "paper_table": object_of(PaperTableSettings),
        "parser": parser(),
    }


def closed() -> Schema:
    """A mapping without keys beyond those that are listed beside."""
    return {"type": "object", "additionalProperties": False}


def for_editors(schema: Schema) -> Schema:
    """A schema that editors check and the workflow leaves to the dataclasses."""
    return {"if": True, "then": schema}


def where(key: str, value: str, keys: Mapping[str, Schema], *, absent: bool = False) -> Schema:
    """For editors: the schemas of ``keys`` where ``key`` has a ``value``, or is ``absent``."""
    condition: Schema = {"properties": {key: {"const": value}}}
    return {"if": condition if absent else {**condition, "required": [key]}, "then": {"properties": dict(keys)}}


def section_of(
    kind: type[object], own: Mapping[str, Schema] = NO_KEYS, editors: Mapping[str, Schema] = NO_KEYS
) -> Schema:
    """A section with what editors check beside: the keys that it gives of other sections, and ``editors``."""
    keys = {**editors, **given_keys(kind)}
    cases = chosen_keys(kind)
    return {
        **object_of(kind, own),
        **(for_editors({"properties": keys}) if keys else {}),
        **({"allOf": cases} if cases else {}),
    }


def given_keys(kind: type[object]) -> dict[str, Schema]:
    """The schemas of the fields of ``kind`` that give some keys of another dataclass."""
    hints = hints_of(kind)
    return {
        name: schema
        for name, entry in declared_fields(kind).items()
        if not entry.metadata.get("choice") and (schema := given_of(hints[name]))
    }


def given_of(hint: object) -> Schema:
    """The schema of ``Given`` keys, of named ones, or of none; empty for another type."""
    sections = [one for one in alternatives_of(hint) if get_origin(one) is Given]
    if get_origin(hint) is dict:
        values = given_of(get_args(hint)[1])
        return {"additionalProperties": values} if values else {}
    if not sections or get_args(sections[0])[0] in (SplitSettings, *STRICT):
        return {}
    (kind,) = get_args(sections[0])
    schema = reference(OVERRIDING[kind]) if kind in OVERRIDING else object_of(kind, defaults=False)
    return schema if hint in sections else {**schema, "type": ["object", "null"]}


def chosen_keys(kind: type[object]) -> list[Schema]:
    """One case for each class of a field that another key chooses."""
    choices = {name: entry.metadata.get("choice") for name, entry in declared_fields(kind).items()}
    return [
        where(choice.key, value, {name: chosen_section(kind, value, chosen)})
        for name, choice in choices.items()
        if choice and not choice.inside
        for value, chosen in choice.kinds.items()
    ]


def chosen_section(kind: type[object], value: str, chosen: type[object]) -> Schema:
    """The class that a key chooses, by name where it is defined."""
    return reference(f"{CHOSEN[kind]}_{value}") if kind in CHOSEN else object_of(chosen, defaults=False)


def corpus() -> Schema:
    """A corpus; the options of a split depend on its format, too."""
    split = object_of(SplitSettings, defaults=False)
    split["properties"]["options"]["type"] = ["object", "null"]
    split["allOf"] = [
        where("format", name, {"options": {"anyOf": [reference(f"options_{name}"), {"type": "null"}]}})
        for name in CORPUS_FORMATS
    ]
    groups = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    own = {
        "splits": by_name(split),
        "contrastive": by_name({"type": "string"}),
        "held_out": {"type": "object", "propertyNames": reference("name")},
        "held_out_groups": by_name(groups),
    }
    return section_of(CorpusSection, own)


def by_name(schema: Schema) -> Schema:
    """Values by the names of splits or treebanks."""
    return {"type": "object", "propertyNames": reference("name"), "additionalProperties": schema}


def analyser() -> Schema:
    """The keys of all backends and stages; which of them go together is in :func:`stage_section`."""
    properties: dict[str, Schema] = {"backend": backend(list(OFFERS))}
    for stage in STAGES:
        for name in OFFERS:
            properties |= backend_keys(stage, name, properties)
    return {**closed(), "properties": properties}


def backend(names: list[str]) -> Schema:
    """The key ``backend``."""
    return {"description": "Backend that analyses.", "enum": names, "default": get_args(BackendName)[0]}


def backend_keys(stage: Stage, name: str, known: Mapping[str, Schema]) -> dict[str, Schema]:
    """The keys of a backend at a stage, without those that are ``known``."""
    kinds = [OFFERS[name].settings_of(stage)] if stage in OFFERS[name].modules else []
    keys: dict[str, Schema] = {}
    for kind in [*kinds, *([RstSettings] if stage == "rst" else [])]:
        hints = hints_of(kind)
        keys |= {
            entry.name: key_of(entry, None, hints[entry.name], defaults=False)
            for entry in fields(kind)
            if entry.name not in (*known, "weights")  # weights stand beside the stages, for all of them
        }
    return keys


def stage_section(stage: Stage) -> Schema:
    """A stage of an analysis; which keys it has depends on the backend."""
    names = [name for name, offer in OFFERS.items() if stage in offer.modules]
    cases = []
    for name in names:
        keys = backend_keys(stage, name, {})
        if "format" in keys:
            keys["format"]["enum"] = list(TABLE_FORMATS[stage])
        required = [entry.name for entry in fields(OFFERS[name].settings_of(stage)) if not has_default(entry)]
        then = {**closed(), "required": required, "properties": {"backend": {}, **keys}}
        if not required:
            del then["required"]
        cases.append({**where("backend", name, {}, absent=name == names[0]), "then": then})
    known = for_editors({"properties": {"backend": {"enum": names}}})
    return {**reference("analyser"), **known, "allOf": cases}


def all_switches() -> list[str]:
    """The switches of all systems, each once."""
    return list(dict.fromkeys(entry.name for system in SYSTEMS.values() for entry in fields(system.settings)))


def system_switches(name: str) -> Schema:
    """All switches of a system; those of every system are described under ``switches``."""
    section = object_of(SYSTEMS[name].settings, defaults=False)
    shared: dict[str, Schema] = {entry.name: {} for entry in fields(TransformerSettings)}
    return {**section, "properties": section["properties"] | shared}


def experiment() -> Schema:
    """An experiment; its switches depend on the system."""
    own = {"settings": reference("switches"), "decodings": by_name({"type": "object"})}
    return section_of(ExperimentSection, own, {"system": {"enum": [*SYSTEMS, LLM]}})


def parser() -> Schema:
    """The builtin analysers of a language, as the target ``parsers`` trains them."""
    learning = object_of(LearningSettings, defaults=False)
    keys = {
        "segmenter": object_of(SegmenterSettings, defaults=False),
        "network": object_of(NetworkSettings, defaults=False),
        "training": learning,
        "fold_training": learning,
        "teachers": {"properties": {"training": learning}},
        "units": {"properties": {"training": learning}},
        "rst": trained_keys(settings=ParserSettings, training=ParserLearningSettings),
        "coreference": trained_keys(
            settings=CoreferenceNetworkSettings, training=CoreferenceLearningSettings, resolving=ResolverSettings
        ),
    }
    return section_of(ParserSection, {"treebanks": by_name(object_of(TreebankSettings))}, keys)


def trained_keys(**sections: type[object]) -> Schema:
    """The sections of an analyser that is trained beside the joint network."""
    properties = {name: object_of(kind, defaults=False) for name, kind in sections.items()}
    return {**closed(), "type": ["object", "null"], "properties": {**properties, "projected": {}}}
