"""The JSON Schema of the configuration, put together from the dataclasses of all rooms.

What stands under ``if`` and ``then`` is for editors: the keys that depend on a system, a format or a backend. At run
time :func:`.parse_settings` checks these with the same dataclasses, so that a message names the experiment.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args, get_type_hints

from discourse_nmt.corpus.data.settings import DataSettings
from discourse_nmt.corpus.importing.filters import Filters
from discourse_nmt.corpus.importing.plan import LANGUAGE, SplitSettings
from discourse_nmt.corpus.readers import FORMATS as CORPUS_FORMATS
from discourse_nmt.corpus.suites import FORMATS as SUITE_FORMATS
from discourse_nmt.corpus.suites.plan import SuiteSettings
from discourse_nmt.discourse.analysers.network_settings import NetworkSettings
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.backends.files.readings import FORMATS as TABLE_FORMATS
from discourse_nmt.discourse.backends.registry import OFFERS, STAGES
from discourse_nmt.discourse.coreference.network import CoreferenceNetworkSettings
from discourse_nmt.discourse.coreference.resolver import ResolverSettings
from discourse_nmt.discourse.parsing.network import ParserSettings
from discourse_nmt.discourse.settings import AnalysisSettings, BackendName, GraphSettings, RstSettings
from discourse_nmt.discourse.themes.imported import ImportedWords
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.text.settings import ONE_FOR_BOTH, BpeSettings, SentencePieceSettings, SideSettings
from discourse_nmt.training.analysers.coreference import CoreferenceLearningSettings
from discourse_nmt.training.analysers.joint import LearningSettings
from discourse_nmt.training.analysers.rst_parser import ParserLearningSettings
from discourse_nmt.training.analysers.segmenter import SegmenterSettings
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.schema.json_schema import Schema, has_default, key_of, object_of
from discourse_nmt.workflow.schema.parser_sections import (
    LearntUnitsSettings,
    ParserSection,
    TeacherSettings,
    TrainedAnalyserSettings,
    TreebankSettings,
    VectorSettings,
)
from discourse_nmt.workflow.schema.sections import (
    NAME_PATTERN,
    Configuration,
    CorpusSection,
    ExperimentSettings,
    ExternalSystemSettings,
    LabellerSection,
    MetricSettings,
    PaperTableSettings,
)

LIBRARY = "https://json-schema.org/draft/2020-12/schema"


def configuration_schema() -> Schema:
    """The whole schema."""
    own = {
        "corpora": named("corpus"),
        "analyses": named("analysis"),
        "model": {**reference("switches"), **for_editors({"propertyNames": {"enum": all_switches()}})},
        "training": reference("training"),
        "decoding": reference("decoding"),
        "metrics": named("metric"),
        "experiments": named("experiment"),
        "paper_tables": named("paper_table"),
        "labellers": named("labeller"),
        "parsers": named("parser", "language"),
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
        "suite": suite(),
        "external_system": object_of(ExternalSystemSettings),
        "filters": object_of(Filters),
        "data": object_of(DataSettings),
        "text": text(),
        "by_side": {**closed(), "required": ["source", "target"], "properties": {"source": {}, "target": {}}},
        "analysis": object_of(
            AnalysisSettings,
            {**stages, "graph": reference("graph"), "target": target},
        ),
        "graph": object_of(GraphSettings),
        "analyser": analyser(),
        **{f"stage_{stage}": stage_section(stage) for stage in STAGES},
        "switches": {"type": "object", "properties": object_of(TransformerSettings, defaults=False)["properties"]},
        "metric": object_of(MetricSettings),
        "experiment": experiment(),
        **{f"system_{name}": system_switches(name) for name in SYSTEMS},
        "training": object_of(TrainingSettings),
        "decoding": object_of(DecodingSettings),
        "experiment_training": object_of(TrainingSettings, defaults=False),
        "experiment_decoding": object_of(DecodingSettings, defaults=False),
        "labeller": labeller(),
        "paper_table": object_of(PaperTableSettings),
        "parser": parser(),
    }


def reference(name: str) -> Schema:
    """A reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


def named(definition: str, names: str = "name") -> Schema:
    """Sections of one kind, by name."""
    return {"type": "object", "propertyNames": reference(names), "additionalProperties": reference(definition)}


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


def corpus() -> Schema:
    """A corpus; the options depend on its format, or on that of a split."""
    split = object_of(SplitSettings, defaults=False)
    split["properties"]["options"]["type"] = ["object", "null"]
    options = {name: reference(f"options_{name}") for name in CORPUS_FORMATS}
    split["allOf"] = [
        where("format", name, {"options": {"anyOf": [one, {"type": "null"}]}}) for name, one in options.items()
    ]
    own = {
        "splits": {"type": "object", "propertyNames": reference("name"), "additionalProperties": split},
        "suites": named("suite"),
        "systems": named("external_system"),
        "contrastive": {
            "type": "object",
            "propertyNames": reference("name"),
            "additionalProperties": {"type": "string"},
        },
        "held_out": {"type": "object", "propertyNames": reference("name")},
        "held_out_groups": {
            "type": "object",
            "propertyNames": reference("name"),
            "additionalProperties": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        },
        "filters": reference("filters"),
        "training": {"type": "object"},
        "decoding": {"type": "object"},
        "text": reference("text"),
        "data": {"anyOf": [reference("data"), {"type": "null"}]},
    }
    keys = {"training": reference("experiment_training"), "decoding": reference("experiment_decoding")}
    return {
        **object_of(CorpusSection, own),
        **for_editors({"properties": keys}),
        "allOf": [where("format", name, {"options": one}) for name, one in options.items()],
    }


def suite() -> Schema:
    """A test suite; the options depend on its format."""
    formats = SUITE_FORMATS.items()
    return {
        **object_of(SuiteSettings),
        "allOf": [where("format", name, {"options": object_of(one.options, defaults=False)}) for name, one in formats],
    }


def text() -> Schema:
    """The text stage, most of whose values may be given for each side."""
    section = object_of(
        SideSettings,
        {"bpe": per_side(object_of(BpeSettings)), "sentencepiece": per_side(object_of(SentencePieceSettings))},
    )
    del section["properties"]["language"], section["required"]
    return per_side(section)


def per_side(section: Schema) -> Schema:
    """A section with the choice between one value for both sides and one for each."""
    kept = ("description", "default")
    for name, key in section["properties"].items():
        value = {keyword: item for keyword, item in key.items() if keyword not in kept}
        if name not in (*ONE_FOR_BOTH, "joint", "bpe", "sentencepiece"):
            rest = {keyword: item for keyword, item in key.items() if keyword in kept}
            section["properties"][name] = {**rest, "anyOf": [value, reference("by_side")]}
    return section


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
        hints = get_type_hints(kind)
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
    keys = {
        "system": {"enum": list(SYSTEMS)},
        "training": reference("experiment_training"),
        "decoding": reference("experiment_decoding"),
        "decodings": {"additionalProperties": reference("experiment_decoding")},
    }
    decodings = {"type": "object", "propertyNames": reference("name"), "additionalProperties": {"type": "object"}}
    return {
        **object_of(ExperimentSettings, {"settings": reference("switches"), "decodings": decodings}),
        **for_editors({"properties": keys}),
        "allOf": [where("system", name, {"settings": reference(f"system_{name}")}) for name in SYSTEMS],
    }


def labeller() -> Schema:
    """A labeller of themes."""
    keys = {
        "settings": object_of(LabellerSettings, defaults=False),
        "training": object_of(LabellerTrainingSettings, defaults=False),
        "imported": {**object_of(ImportedWords, defaults=False), "type": ["object", "null"]},
    }
    return {**object_of(LabellerSection), **for_editors({"properties": keys})}


def parser() -> Schema:
    """The builtin analysers of a language, as the target ``parsers`` trains them."""
    trained = {**object_of(TrainedAnalyserSettings, defaults=False), "type": ["object", "null"]}
    treebanks = {
        "type": "object",
        "propertyNames": reference("name"),
        "additionalProperties": object_of(TreebankSettings),
    }
    keys = {
        "segmenter": object_of(SegmenterSettings, defaults=False),
        "network": object_of(NetworkSettings, defaults=False),
        "training": object_of(LearningSettings, defaults=False),
        "fold_training": object_of(LearningSettings, defaults=False),
        "teachers": {"properties": {"training": object_of(LearningSettings, defaults=False)}},
        "units": {"properties": {"training": object_of(LearningSettings, defaults=False)}},
        "rst": trained_keys(settings=ParserSettings, training=ParserLearningSettings),
        "coreference": trained_keys(
            settings=CoreferenceNetworkSettings, training=CoreferenceLearningSettings, resolving=ResolverSettings
        ),
    }
    data: Schema = {"anyOf": [reference("data"), {"type": "null"}]}
    vectors = {**object_of(VectorSettings), "type": ["object", "null"]}
    teachers = {**object_of(TeacherSettings), "type": ["object", "null"]}
    units = {**object_of(LearntUnitsSettings), "type": ["object", "null"]}
    own: dict[str, Schema] = {
        "treebanks": treebanks, "data": data, "vectors": vectors, "teachers": teachers, "units": units,
        "rst": trained, "coreference": trained,
    }  # fmt: skip
    return {**object_of(ParserSection, own), **for_editors({"properties": keys})}


def trained_keys(**sections: type[Any]) -> Schema:
    """The sections of an analyser that is trained beside the joint network."""
    properties = {name: object_of(kind, defaults=False) for name, kind in sections.items()}
    return {**closed(), "type": ["object", "null"], "properties": {**properties, "projected": {}}}
