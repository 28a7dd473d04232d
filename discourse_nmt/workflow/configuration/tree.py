"""The configuration as a whole: one tree of dataclasses, the source of schema and pages of settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.settings import NAME, Given, given, parse_settings, required, setting
from discourse_nmt.demo.settings import DemoSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.scoring.alignment.settings import DocumentMetricsSettings
from discourse_nmt.scoring.comparison.settings import SignificanceSettings
from discourse_nmt.scoring.reports.settings import ReportSettings
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.configuration.analyses import AnalysisSection
from discourse_nmt.workflow.configuration.corpora import CorpusSection
from discourse_nmt.workflow.configuration.decoding import DecodingSection
from discourse_nmt.workflow.configuration.experiments import ExperimentSection
from discourse_nmt.workflow.configuration.general import (
    HardwareSettings,
    MetricSettings,
    ModelFolderSettings,
)
from discourse_nmt.workflow.configuration.labellers import LabellerSection
from discourse_nmt.workflow.configuration.papers import PaperTableSettings
from discourse_nmt.workflow.configuration.parsers import ParserSection

NAME_PATTERN = f"^{NAME.pattern}$"


@dataclass(frozen=True)
class Configuration:
    """The whole configuration."""

    run: str = required("name of this run; its results lie in results/<run>/", schema={"pattern": NAME_PATTERN})
    size: Literal["full", "small"] = setting(
        "full",
        "small runs the same on a laptop, end to end: networks, updates and numbers of documents are scaled down, and "
        "results lie in results/<run>-small/; config/README.md explains",
    )
    demo: DemoSettings = setting(
        DemoSettings(), "the generated demo corpus, made only where a corpus reads from results/<run>/generated/"
    )
    corpora: dict[str, CorpusSection] = setting({}, "parallel corpora with document boundaries, by name")
    documents: list[str] = setting(
        [],
        "English texts (UTF-8, paragraphs separated by blank lines) whose discourse analysis the report shows: files "
        "or patterns; [] for none",
    )
    report: ReportSettings = setting(
        ReportSettings(), "the document viewer of the report; docs/how-to/report.md explains"
    )
    analyses: dict[str, AnalysisSection] = setting(
        {"builtin": AnalysisSection()},
        "sets of analysers of discourse, by name; docs/reference/discourse-stages.md explains",
    )
    model: Given[TransformerSettings] = given(
        TransformerSettings, "switches of the Transformer core, which all systems have"
    )
    training: Given[TrainingSettings] = given(
        TrainingSettings, "training of the networks; docs/how-to/training.md explains"
    )
    decoding: Given[DecodingSection] = given(DecodingSection, "translation with a trained model")
    significance: SignificanceSettings = setting(
        SignificanceSettings(),
        "tests of whether experiments differ from a baseline by more than chance; docs/how-to/significance.md explains",
    )
    document_metrics: DocumentMetricsSettings = setting(
        DocumentMetricsSettings(), "scores of translations as documents; docs/reference/document-metrics.md explains"
    )
    model_folders: ModelFolderSettings = setting(
        ModelFolderSettings(), "model folders; docs/reference/model-folder.md explains"
    )
    metrics: dict[str, MetricSettings] = setting(
        {}, "metrics that a program of yours computes, by name; docs/how-to/other-systems.md explains"
    )
    hardware: HardwareSettings = setting(
        HardwareSettings(), "resources of the jobs of networks; a change alters no result and re-runs nothing"
    )
    experiments: dict[str, ExperimentSection] = setting({}, "systems to train and compare, by name")
    paper_tables: dict[str, PaperTableSettings] = setting(
        {},
        "tables of papers with measured scores beside the published ones, by name, which the target table makes; "
        "docs/reference/paper-tables.md explains",
    )
    labellers: dict[str, LabellerSection] = setting(
        {},
        "labellers of themes on the encoders of trained models, by name; docs/systems/theme-labeller.md explains",
    )
    parsers: dict[str, ParserSection] = setting(
        {},
        "treebanks and settings from which the target parsers trains the builtin analysers, by language; "
        "docs/how-to/train-analysers.md explains",
    )

    @classmethod
    def read(cls, values: Mapping[str, object]) -> "Configuration":
        """The configuration in a mapping that fits the schema and has its defaults."""
        return parse_settings(cls, values, "", as_written=True)
