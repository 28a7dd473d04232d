"""Sections under ``analyses``: the backend of each stage, the stages of a table, comparisons."""

import dataclasses

from discourse_nmt.base.settings import parse_settings
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.backends.registry import STAGES, stage_settings
from discourse_nmt.discourse.settings import BackendSettings, RstSettings
from discourse_nmt.workflow.configuration.analyses import AnalysisSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.graphs import graph_tables

# Keys of the stage rst that its backend does not see.
OF_CONVERSION = {field.name for field in dataclasses.fields(RstSettings)}
SCORED = ("edus", "rst", "rst_dependencies", "coreference", "themes")  # tables with a comparison


def section_of(analysis: AnalysisSection, side: str, stage: Stage) -> dict[str, object]:
    """The section of a stage on a side: its backend with that backend's keys."""
    keys = dict(analysis.stage(side, stage))
    if stage == "rst":
        keys = {key: value for key, value in keys.items() if key not in OF_CONVERSION}
    return {**keys, "weights": analysis.weights} if keys["backend"] == "builtin" else keys


def backend_of(analysis: AnalysisSection, side: str, stage: Stage) -> str:
    """The name of the backend of a stage on a side."""
    return str(section_of(analysis, side, stage)["backend"])


def conversion_of(analysis: AnalysisSection, side: str) -> RstSettings:
    """The unit that is parsed for systems, and how the trees of a side become dependencies."""
    keys = analysis.stage(side, "rst")
    return parse_settings(RstSettings, {key: keys[key] for key in OF_CONVERSION & keys.keys()}, "rst")


def settings_of(analysis: AnalysisSection, side: str, stage: Stage) -> BackendSettings:
    """The settings of a stage's backend on a side."""
    return stage_settings(stage, section_of(analysis, side, stage))


def compared_sides(config: Configuration, name: str) -> list[tuple[str, str]]:
    """Corpus and side of each text that both an analysis and the one it is compared with are about."""
    gold = config.analyses[name].compared_with
    if gold is None:
        return []
    pair = [config.analyses[name], config.analyses[gold]]
    return [
        (corpus, side)
        for corpus in config.corpora
        for side in ("source", "target")
        if all(side in analysis.sides and corpus in (analysis.corpora or [corpus]) for analysis in pair)
    ]


def compared_tables_of(config: Configuration, name: str, gold: str) -> list[str]:
    """The tables by which an analysis is scored against ``gold``, and those that the comparison reads beside them.

    Both analyses have them. Trees are compared with their units, and themes with the analysis's own syntax.
    """
    analysis = config.analyses[name]
    shared: list[str] = [table for table in analysis.tables if table in config.analyses[gold].tables]
    shared = [table for table in SCORED if table in shared]
    if "edus" not in shared:
        shared = [table for table in shared if table not in ("rst", "rst_dependencies")]
    if "themes" in shared and "syntax" not in analysis.tables:
        shared.remove("themes")
    return ["syntax", *shared] if "themes" in shared else shared


def stages_of(analysis: AnalysisSection, table: str) -> list[Stage]:
    """The stages that a table comes from: its own, the one it is converted from, or those that a graph joins."""
    if table == "document_graph":
        return graph_tables(analysis.graph)
    return [stage for stage in STAGES if stage == table or (stage, table) == ("rst", "rst_dependencies")]
