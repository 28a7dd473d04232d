"""``docs/reference/settings/``: every key of the configuration in one table per section, and a page of all pages."""

import inspect
import re
import types
from collections.abc import Collection, Iterator, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin

from discourse_nmt.base.settings import TUNED, Given, as_json, declared_fields, hints_of
from discourse_nmt.corpus.data.settings import DataSettings, UrlSettings
from discourse_nmt.corpus.importing.filters import Filters
from discourse_nmt.corpus.importing.plan import SplitSettings
from discourse_nmt.corpus.readers import FORMATS as CORPUS_FORMATS
from discourse_nmt.corpus.readers import Format as CorpusFormat
from discourse_nmt.corpus.suites import FORMATS as SUITE_FORMATS
from discourse_nmt.corpus.suites import SuiteFormat
from discourse_nmt.demo.settings import DemoSettings
from discourse_nmt.discourse.analysers.network_settings import NetworkSettings
from discourse_nmt.discourse.backends.registry import OFFERS
from discourse_nmt.discourse.coreference.network import CoreferenceNetworkSettings
from discourse_nmt.discourse.coreference.resolver import ResolverSettings
from discourse_nmt.discourse.parsing.network import ParserSettings
from discourse_nmt.discourse.settings import GraphSettings, RstSettings
from discourse_nmt.discourse.themes.imported import ImportedWords
from discourse_nmt.discourse.themes.settings import ThemeSettings
from discourse_nmt.discourse.treebanks.settings import TreebankSettings
from discourse_nmt.language_models.settings import LLM, LanguageModelSettings
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.scoring.alignment.settings import DocumentMetricsSettings
from discourse_nmt.scoring.comparison.settings import SignificanceSettings
from discourse_nmt.scoring.external.settings import MetricTextSettings
from discourse_nmt.scoring.reports.settings import ReportSettings
from discourse_nmt.training.analysers.coreference import CoreferenceLearningSettings
from discourse_nmt.training.analysers.joint import LearningSettings
from discourse_nmt.training.analysers.rst_parser import ParserLearningSettings
from discourse_nmt.training.analysers.segmenter import SegmenterSettings
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.configuration.analyses import AnalysisSection
from discourse_nmt.workflow.configuration.corpora import CorpusSection, ExternalSystemSettings, SuiteSection
from discourse_nmt.workflow.configuration.decoding import DecodingSection
from discourse_nmt.workflow.configuration.experiments import ExperimentSection
from discourse_nmt.workflow.configuration.general import (
    HardwareSettings,
    MetricSettings,
    ModelFolderSettings,
)
from discourse_nmt.workflow.configuration.labellers import LabellerSection
from discourse_nmt.workflow.configuration.papers import PaperColumnSettings, PaperTableSettings
from discourse_nmt.workflow.configuration.parsers import (
    LearntUnitsSettings,
    ParserSection,
    ProjectionSettings,
    TeacherSettings,
    TrainedAnalyserSettings,
    VectorSettings,
)
from discourse_nmt.workflow.configuration.texts import BpeSection, BySide, SentencePieceSection, TextSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.schema.json_schema import alternatives_of, as_yaml, default_of, has_default

INDEX = """# Settings

Generated from the dataclasses of settings by `make schema`; do not edit this page.

Every key of the configuration, by section. A key without a default is required. `config.yaml` shows the keys in use;
`config.schema.yaml` lets an editor complete and check them, the switches of each system included.

| page | sections |
| --- | --- |
"""
HEAD = """
Generated from the dataclasses of settings by `make schema`; do not edit this page. [All settings](../settings.md).
"""
PAGE = re.compile(r"docs/([a-z/-]+\.md)")
TABLE = "| key | default | values | meaning |\n| --- | --- | --- | --- |\n"
LINK = "[Transformer](sentence-and-packed-systems.md#model-and-the-transformer)"
WORDS = {str: "text", int: "integer", float: "number", bool: "`true`, `false`", types.NoneType: "`null`"}
OF_TRANSFORMER = {entry.name for entry in fields(TransformerSettings)}


@dataclass(frozen=True)
class Section:
    """A section of a page: heading, its dataclass, fields left out, and its place where the tree does not tell it."""

    heading: str
    kind: type[object]
    omitted: Collection[str] = ()
    place: str = ""


def of_options(heading: str, formats: Mapping[str, CorpusFormat | SuiteFormat], place: str) -> list[Section]:
    """A section for the options of each format that has any."""
    return [
        Section(f"## {heading} {name}", chosen.options, place=place)
        for name, chosen in formats.items()
        if fields(chosen.options)
    ]


def of_systems(*names: str) -> list[Section]:
    """A section for the switches of each system."""
    return [
        Section(f"## {name}", SYSTEMS[name].settings, OF_TRANSFORMER, "`experiments.NAME.settings`") for name in names
    ]


@cache
def pages() -> dict[str, list[Section]]:
    """The sections of each page; a heading of level 3 belongs to the one of level 2 before it."""
    trained = "`parsers.LANGUAGE.{}`".format
    return {
        "run": [
            Section("## top level", Configuration),
            Section("## demo", DemoSettings),
            Section("## report", ReportSettings),
            Section("## hardware", HardwareSettings),
            Section("## model_folders", ModelFolderSettings),
        ],
        "corpora": [
            Section("## corpora", CorpusSection),
            Section("### splits", SplitSettings),
            Section("### filters", Filters),
            Section("### data", DataSettings),
            Section("### data.urls", UrlSettings, place="`corpora.NAME.data.urls.PATH`"),
            Section("## suites", SuiteSection),
            Section("## systems outside of the project", ExternalSystemSettings),
        ],
        "formats": [
            *of_options("format", CORPUS_FORMATS, "`corpora.NAME.options`"),
            *of_options("suite format", SUITE_FORMATS, "`corpora.NAME.suites.SUITE.options`"),
        ],
        "text": [
            Section("## text", TextSection),
            Section("### bpe", BpeSection),
            Section("### sentencepiece", SentencePieceSection),
        ],
        "analyses": [
            Section("## analyses", AnalysisSection),
            *(
                Section(f"### backend {name}", offer.settings, {"weights"}, "`analyses.NAME.STAGE`")
                for name, offer in OFFERS.items()
            ),
            Section("### stage rst", RstSettings, place="`analyses.NAME.rst`"),
            Section("### stage themes", ThemeSettings, place="`analyses.NAME.themes`"),
            Section("### graph", GraphSettings),
        ],
        "experiments-and-labellers": [
            Section("## experiments", ExperimentSection),
            Section(f"## {LLM}", LanguageModelSettings, place="`experiments.NAME.settings`"),
            Section("## labellers", LabellerSection),
            Section("### settings of a labeller", LabellerSettings),
            Section("### training of a labeller", LabellerTrainingSettings),
            Section("### imported words", ImportedWords),
        ],
        "sentence-and-packed-systems": [
            Section("## model and the transformer", TransformerSettings),
            *of_systems("rst_transformer", "g_transformer", "concat", "flat_transformer", "hybrid_context"),
        ],
        "context-systems": of_systems(
            "selective", "han", "doc_transformer", "continuous_cache", "hm_gdc", "side_constraint"
        ),
        "structure-systems": of_systems("multitask", "document_graph", "theme_rheme_cache"),
        "training-and-decoding": [
            Section("## training", TrainingSettings),
            Section("## decoding", DecodingSection),
        ],
        "scores": [
            Section("## significance", SignificanceSettings),
            Section("## document_metrics", DocumentMetricsSettings),
            Section("## metrics", MetricSettings),
            Section("### texts of a metric", MetricTextSettings),
            Section("## paper_tables", PaperTableSettings),
            Section("### columns", PaperColumnSettings),
        ],
        "parsers": [
            Section("## parsers", ParserSection),
            Section("### treebanks", TreebankSettings),
            Section("### segmenter", SegmenterSettings, place=trained("segmenter")),
            Section("### joint network", NetworkSettings, place=trained("network")),
            Section("### training of the joint network", LearningSettings, place=trained("training")),
            Section("### vectors of words", VectorSettings),
            Section("### teachers", TeacherSettings),
            Section("### units", LearntUnitsSettings),
        ],
        "parsers-rst-and-coreference": [
            Section("## rst and coreference", TrainedAnalyserSettings),
            Section("### projected", ProjectionSettings),
            Section("### rst parser", ParserSettings, place=trained("rst.settings")),
            Section("### training of the rst parser", ParserLearningSettings, place=trained("rst.training")),
            Section("### coreference resolver", CoreferenceNetworkSettings, place=trained("coreference.settings")),
            Section(
                "### training of the coreference resolver",
                CoreferenceLearningSettings,
                place=trained("coreference.training"),
            ),
            Section("### resolving", ResolverSettings, place=trained("coreference.resolving")),
        ],
    }


# Names that stand for those of a user, by the key that holds the named sections.
NAMED = {"splits": "SPLIT", "suites": "SUITE", "systems": "SYSTEM", "columns": "COLUMN", "parsers": "LANGUAGE"}


def walked(kind: type[object], place: str = "") -> Iterator[tuple[str, type[object]]]:
    """Every section of the tree below ``kind``, which is in ``place``: its own place and its class."""
    for name in declared_fields(kind):
        for hint in alternatives_of(hints_of(kind)[name]):
            named = get_origin(hint) is dict
            section = get_args(hint)[1] if named else hint
            section = get_args(section)[0] if get_origin(section) is Given else section
            if is_dataclass(section) and isinstance(section, type):
                own = f"{place}{name}{'.' + NAMED.get(name, 'NAME') if named else ''}"
                yield own, section
                yield from walked(section, f"{own}.")


@cache
def places() -> dict[type[object], str]:
    """Where the keys of a class stand: the places nearest to the top level, of those where it stands as a whole."""
    found: dict[type[object], list[str]] = {}
    for place, kind in walked(Configuration):
        found.setdefault(kind, []).append(place)
    nearest = {kind: min(place.count(".") for place in of_kind) for kind, of_kind in found.items()}
    return {
        kind: " and ".join(f"`{place}`" for place in of_kind if place.count(".") == nearest[kind])
        for kind, of_kind in found.items()
    }


def settings_pages() -> dict[str, str]:
    """The pages in Markdown, by their paths in the checkout: one of all pages, and each of these."""
    index = INDEX + "".join(map(index_row, pages()))
    folder = "docs/reference/settings"
    return {f"{folder}.md": index, **{f"{folder}/{name}.md": page_text(name) for name in pages()}}


def index_row(page: str) -> str:
    """The row of a page with links to its sections of level 2."""
    headings = [section.heading.removeprefix("## ") for section in pages()[page] if section.heading.startswith("## ")]
    links = (f"[{heading}](settings/{page}.md#{heading.replace(' ', '-')})" for heading in headings)
    return f"| {title_of(page)} | {', '.join(links)} |\n"


def title_of(page: str) -> str:
    """The title of a page."""
    return page.replace("-", " ").capitalize()


def page_text(page: str) -> str:
    """A page in Markdown."""
    return "\n".join([f"# Settings: {title_of(page).lower()}\n{HEAD}", *map(section_text, pages()[page])])


def section_text(section: Section) -> str:
    """A section in Markdown: heading, place in the configuration, table."""
    hints = hints_of(section.kind)
    entries = [entry for entry in declared_fields(section.kind).values() if entry.name not in section.omitted]
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
    where = section.place or places().get(section.kind, "")
    place = f" Keys of {where}." if where else ""
    _, _, name = section.heading.partition(" ")
    if name in SYSTEMS:
        return f"{subject}{place} It reads one {SYSTEMS[name].unit} at a time; it also has the switches of the {LINK}."
    if name.startswith("backend "):
        stages = ", ".join(OFFERS[name.removeprefix("backend ")].modules)
        return f"{subject}{place} STAGE is one of {stages}."
    return f"{subject}{place}"


def default_text(entry: Field[Any]) -> str:
    """The default of a key as YAML; empty for a required one. What seldom changes has no table and is written out."""
    if entry.name == TUNED:
        return f"`{as_yaml(as_json(entry.default))}`"
    return f"`{as_yaml(default_of(entry))}`" if has_default(entry) else ""


def values_text(hint: Any, limits: Mapping[str, Any]) -> str:
    """The values of a key in words: type, choices, range."""
    if "enum" in limits["schema"]:
        return ", ".join(f"`{as_yaml(value)}`" for value in limits["schema"]["enum"])
    return " or ".join(_value_text(one, limits) for one in alternatives_of(hint) if one is not BySide)


def _value_text(hint: Any, limits: Mapping[str, Any]) -> str:
    if get_origin(hint) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(hint))
    if get_origin(hint) is list:
        return f"list of {_value_text(get_args(hint)[0], limits)}"
    if get_origin(hint) in (dict, Given) or is_dataclass(hint):
        return "mapping"
    return WORDS[hint] + (range_text(limits) if hint in (int, float) else "")


def range_text(limits: Mapping[str, Any]) -> str:
    """The range of a number, for example ``≥ 0, < 1``."""
    bounds = {"≥": limits["minimum"], "≤": limits["maximum"], "<": limits["below"]}
    given = [f"{sign} {bound}" for sign, bound in bounds.items() if bound is not None]
    return f" {', '.join(given)}" if given else ""


def cell(text: str) -> str:
    """A text as the cell of a table, with links to pages; no bar ends the cell, no angle bracket opens a tag."""
    return PAGE.sub(r"[\g<0>](../../\1)", text.replace("|", "\\|").replace("<", "\\<").replace("[^", "\\[^"))
