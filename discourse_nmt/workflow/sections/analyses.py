"""Sections under ``analyses``: the backend of each stage, the stages of a table, comparisons."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from discourse_nmt.base.settings import parse_settings
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.backends.registry import STAGES, stage_settings
from discourse_nmt.discourse.settings import BackendSettings, RstSettings
from discourse_nmt.workflow.sections.graphs import graph_settings, graph_tables

# Keys of the stage rst that its backend does not see.
OF_CONVERSION = {field.name for field in dataclasses.fields(RstSettings)}
SCORED = ("edus", "rst", "rst_dependencies", "coreference", "themes")  # tables with a comparison


def section_of(analysis: Mapping[str, Any], side: str, stage: Stage) -> dict[str, Any]:
    """The section of a stage on a side: its backend with that backend's keys."""
    section = _stage_section(analysis, side, stage)
    if stage == "rst":
        section = {key: value for key, value in section.items() if key not in OF_CONVERSION}
    return {**section, "weights": analysis["weights"]} if section["backend"] == "builtin" else section


def conversion_of(analysis: Mapping[str, Any], side: str) -> RstSettings:
    """The unit that is parsed for systems, and how the trees of a side become dependencies."""
    section = _stage_section(analysis, side, "rst")
    return parse_settings(RstSettings, {key: section[key] for key in OF_CONVERSION & section.keys()}, "rst")


def _stage_section(analysis: Mapping[str, Any], side: str, stage: Stage) -> dict[str, Any]:
    own = analysis["target"] if side == "target" else {}
    section: dict[str, Any] = own.get(stage, analysis[stage])
    return section


def settings_of(analysis: Mapping[str, Any], side: str, stage: Stage) -> BackendSettings:
    """The settings of a stage's backend on a side."""
    return stage_settings(stage, section_of(analysis, side, stage))


def compared_sides(config: Mapping[str, Any], name: str) -> list[tuple[str, str]]:
    """Corpus and side of each text that both an analysis and the one it is compared with are about."""
    analyses = config["analyses"]
    if analyses[name]["compared_with"] is None:
        return []
    pair = [analyses[name], analyses[analyses[name]["compared_with"]]]
    return [
        (corpus, side)
        for corpus in config["corpora"]
        for side in ("source", "target")
        if all(side in analysis["sides"] and corpus in (analysis["corpora"] or [corpus]) for analysis in pair)
    ]


def compared_tables_of(config: Mapping[str, Any], name: str) -> list[str]:
    """The tables by which an analysis is scored, and those that the comparison reads beside them.

    Both analyses have them. Trees are compared with their units, and themes with the analysis's own syntax.
    """
    analysis = config["analyses"][name]
    gold = config["analyses"][analysis["compared_with"]]
    shared = [table for table in SCORED if table in analysis["tables"] and table in gold["tables"]]
    if "edus" not in shared:
        shared = [table for table in shared if table not in ("rst", "rst_dependencies")]
    if "themes" in shared and "syntax" not in analysis["tables"]:
        shared.remove("themes")
    return ["syntax", *shared] if "themes" in shared else shared


def stages_of(analysis: Mapping[str, Any], table: str) -> list[Stage]:
    """The stages that a table comes from: its own, the one it is converted from, or those that a graph joins."""
    if table == "document_graph":
        return graph_tables(graph_settings(analysis))
    return [stage for stage in STAGES if stage == table or (stage, table) == ("rst", "rst_dependencies")]
