"""``docs/reference/settings.md``: every key of the configuration in one table per section."""

import inspect
import re
import types
from collections.abc import Collection, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from discourse_nmt.corpus.data.settings import DataSettings, UrlSettings
from discourse_nmt.corpus.importing.filters import Filters
from discourse_nmt.corpus.importing.plan import SplitSettings
from discourse_nmt.corpus.readers import FORMATS as CORPUS_FORMATS
from discourse_nmt.corpus.suites import FORMATS as SUITE_FORMATS
from discourse_nmt.corpus.suites.plan import SuiteSettings
from discourse_nmt.discourse.analysers.network_settings import NetworkSettings
from discourse_nmt.discourse.backends.registry import OFFERS
from discourse_nmt.discourse.coreference.network import CoreferenceNetworkSettings
from discourse_nmt.discourse.coreference.resolver import ResolverSettings
from discourse_nmt.discourse.parsing.network import ParserSettings
from discourse_nmt.discourse.settings import AnalysisSettings, GraphSettings, RstSettings
from discourse_nmt.discourse.themes.imported import ImportedWords
from discourse_nmt.discourse.themes.settings import ThemeSettings
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.text.settings import BpeSettings, SentencePieceSettings, SideSettings
from discourse_nmt.training.analysers.coreference import CoreferenceLearningSettings
from discourse_nmt.training.analysers.joint import LearningSettings
from discourse_nmt.training.analysers.rst_parser import ParserLearningSettings
from discourse_nmt.training.analysers.segmenter import SegmenterSettings
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.schema.json_schema import as_yaml, default_of, has_default
from discourse_nmt.workflow.schema.parser_sections import (
    LearntUnitsSettings,
    ParserSection,
    ProjectionSettings,
    TeacherSettings,
    TrainedAnalyserSettings,
    TreebankSettings,
    VectorSettings,
)
from discourse_nmt.workflow.schema.sections import (
    Configuration,
    CorpusSection,
    DemoSettings,
    DocumentMetricsSettings,
    ExperimentSettings,
    ExternalSystemSettings,
    HardwareSettings,
    LabellerSection,
    MetricSettings,
    ModelFolderSettings,
    PaperColumnSettings,
    PaperTableSettings,
    ReportSettings,
    SignificanceSettings,
)

HEAD = """# Settings

Generated from the dataclasses of settings by `make schema`; do not edit this page.

Every key of the configuration, by section. A key without a default is required. `config.yaml` shows the keys in use;
`config.schema.yaml` lets an editor complete and check them, the switches of each system included.
"""
PAGE = re.compile(r"docs/([a-z/-]+\.md)")
TABLE = "| key | default | values | meaning |\n| --- | --- | --- | --- |\n"
LINK = "[Transformer](#model-and-the-transformer)"
WORDS = {str: "text", int: "integer", float: "number", bool: "`true`, `false`", types.NoneType: "`null`"}
OF_TRANSFORMER = {entry.name for entry in fields(TransformerSettings)}


@dataclass(frozen=True)
class Section:
    """A section of the page: heading, where its keys stand in the configuration, its dataclass, fields left out."""

    heading: str
    place: str
    kind: type[Any]
    omitted: Collection[str] = ()


def sections() -> list[Section]:
    """All sections in order; a heading of level 3 belongs to the one of level 2 before it."""
    systems = [
        Section(f"## {system.name}", "`experiments.NAME.settings`", system.settings, OF_TRANSFORMER)
        for system in SYSTEMS.values()
        if system.settings is not TransformerSettings
    ]
    return [
        Section("## top level", "", Configuration),
        Section("## demo", "`demo`", DemoSettings),
        Section("## corpora", "`corpora.NAME`", CorpusSection),
        Section("### splits", "`corpora.NAME.splits.SPLIT`", SplitSettings),
        Section("### filters", "`corpora.NAME.filters`", Filters),
        Section("### data", "`corpora.NAME.data` and `parsers.LANGUAGE.data`", DataSettings),
        Section("### data.urls", "`corpora.NAME.data.urls.PATH`", UrlSettings),
        *(
            Section(f"### format {name}", "`corpora.NAME.options`", chosen.options)
            for name, chosen in CORPUS_FORMATS.items()
            if fields(chosen.options)
        ),
        Section("## suites", "`corpora.NAME.suites.SUITE`", SuiteSettings),
        *(
            Section(f"### suite format {name}", "`corpora.NAME.suites.SUITE.options`", chosen.options)
            for name, chosen in SUITE_FORMATS.items()
            if fields(chosen.options)
        ),
        Section("## systems outside of the project", "`corpora.NAME.systems.SYSTEM`", ExternalSystemSettings),
        Section("## text", "`corpora.NAME.text`", SideSettings, {"language"}),
        Section("### bpe", "`corpora.NAME.text.bpe`", BpeSettings),
        Section("### sentencepiece", "`corpora.NAME.text.sentencepiece`", SentencePieceSettings),
        Section("## analyses", "`analyses.NAME`", AnalysisSettings),
        *(
            Section(f"### backend {name}", "`analyses.NAME.STAGE`", offer.settings, {"weights"})
            for name, offer in OFFERS.items()
        ),
        Section("### stage rst", "`analyses.NAME.rst`", RstSettings),
        Section("### stage themes", "`analyses.NAME.themes`", ThemeSettings),
        Section("### graph", "`analyses.NAME.graph`", GraphSettings),
        Section("## experiments", "`experiments.NAME`", ExperimentSettings),
        Section("## model and the transformer", "`model`", TransformerSettings),
        *systems,
        Section("## training", "`training`", TrainingSettings),
        Section("## decoding", "`decoding`", DecodingSettings),
        Section("## paper_tables", "`paper_tables.NAME`", PaperTableSettings),
        Section("### columns", "`paper_tables.NAME.columns.COLUMN`", PaperColumnSettings),
        Section("## labellers", "`labellers.NAME`", LabellerSection),
        Section("### settings of a labeller", "`labellers.NAME.settings`", LabellerSettings),
        Section("### training of a labeller", "`labellers.NAME.training`", LabellerTrainingSettings),
        Section("### imported words", "`labellers.NAME.imported`", ImportedWords),
        Section("## model_folders", "`model_folders`", ModelFolderSettings),
        Section("## significance", "`significance`", SignificanceSettings),
        Section("## document_metrics", "`document_metrics`", DocumentMetricsSettings),
        Section("## metrics", "`metrics.NAME`", MetricSettings),
        Section("## report", "`report`", ReportSettings),
        Section("## hardware", "`hardware`", HardwareSettings),
        Section("## parsers", "`parsers.LANGUAGE`", ParserSection),
        Section("### treebanks", "`parsers.LANGUAGE.treebanks.NAME`", TreebankSettings),
        Section("### segmenter", "`parsers.LANGUAGE.segmenter`", SegmenterSettings),
        Section("### joint network", "`parsers.LANGUAGE.network`", NetworkSettings),
        Section("### training of the joint network", "`parsers.LANGUAGE.training`", LearningSettings),
        Section("### vectors of words", "`parsers.LANGUAGE.vectors`", VectorSettings),
        Section("### teachers", "`parsers.LANGUAGE.teachers`", TeacherSettings),
        Section("### units", "`parsers.LANGUAGE.units`", LearntUnitsSettings),
        Section(
            "### rst and coreference",
            "`parsers.LANGUAGE.rst` and `parsers.LANGUAGE.coreference`",
            TrainedAnalyserSettings,
        ),
        Section("### projected", "`parsers.LANGUAGE.rst.projected` and `coreference.projected`", ProjectionSettings),
        Section("### rst parser", "`parsers.LANGUAGE.rst.settings`", ParserSettings),
        Section("### training of the rst parser", "`parsers.LANGUAGE.rst.training`", ParserLearningSettings),
        Section("### coreference resolver", "`parsers.LANGUAGE.coreference.settings`", CoreferenceNetworkSettings),
        Section(
            "### training of the coreference resolver",
            "`parsers.LANGUAGE.coreference.training`",
            CoreferenceLearningSettings,
        ),
        Section("### resolving", "`parsers.LANGUAGE.coreference.resolving`", ResolverSettings),
    ]


def settings_page() -> str:
    """The whole page in Markdown."""
    return "\n".join([HEAD, *map(section_text, sections())])


def section_text(section: Section) -> str:
    """A section in Markdown: heading, place in the configuration, table."""
    hints = get_type_hints(section.kind)
    entries = [entry for entry in fields(section.kind) if entry.name not in section.omitted]
    rows = [
        f"| `{entry.name}` | {default_text(entry)} | {values_text(hints[entry.name], entry.metadata)} | "
        f"{cell(entry.metadata['meaning'])} |\n"
        for entry in entries
    ]
    return f"{section.heading}\n\n{introduction(section)}\n\n{TABLE + ''.join(rows) if rows else 'No keys.' + chr(10)}"


def introduction(section: Section) -> str:
    """The subject of the section, the first sentence of its dataclass, and where its keys stand."""
    first = (inspect.getdoc(section.kind) or "").split("\n\n")[0].replace("\n", " ")
    subject = re.split(r"\. (?=[A-Z])", first)[0].rstrip(".")
    subject = re.sub(r" \(spec [^)]*\)", "", subject).replace("``", "`") + "."
    place = f" Keys of {section.place}." if section.place else ""
    _, _, name = section.heading.partition(" ")
    if name in SYSTEMS:
        return f"{subject}{place} It reads one {SYSTEMS[name].unit} at a time; it also has the switches of the {LINK}."
    if name.startswith("backend "):
        stages = ", ".join(OFFERS[name.removeprefix("backend ")].modules)
        return f"{subject}{place} STAGE is one of {stages}."
    return f"{subject}{place}"


def default_text(entry: Field[Any]) -> str:
    """The default of a key as YAML; empty for a required one."""
    return f"`{as_yaml(default_of(entry))}`" if has_default(entry) else ""


def values_text(hint: Any, limits: Mapping[str, Any]) -> str:
    """The values of a key in words: type, choices, range."""
    if "enum" in limits["schema"]:
        return ", ".join(f"`{as_yaml(value)}`" for value in limits["schema"]["enum"])
    alternatives = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    return " or ".join(_value_text(alternative, limits) for alternative in alternatives)


def _value_text(hint: Any, limits: Mapping[str, Any]) -> str:
    if get_origin(hint) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(hint))
    if get_origin(hint) is list:
        return f"list of {_value_text(get_args(hint)[0], limits)}"
    if get_origin(hint) is dict or is_dataclass(hint):
        return "mapping"
    return WORDS[hint] + (range_text(limits) if hint in (int, float) else "")


def range_text(limits: Mapping[str, Any]) -> str:
    """The range of a number, for example ``≥ 0, < 1``."""
    bounds = {"≥": limits["minimum"], "≤": limits["maximum"], "<": limits["below"]}
    given = [f"{sign} {bound}" for sign, bound in bounds.items() if bound is not None]
    return f" {', '.join(given)}" if given else ""


def cell(text: str) -> str:
    """A text as the cell of a table, with links to pages; no bar ends the cell, no angle bracket opens a tag."""
    return PAGE.sub(r"[\g<0>](../\1)", text.replace("|", "\\|").replace("<", "\\<").replace("[^", "\\[^"))
