"""Sections under ``analyses``: the backend of each stage, the stages of a table, comparisons."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from discourse_nmt.corpus.settings import parse_settings
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.backends.registry import STAGES, stage_settings
from discourse_nmt.discourse.settings import BackendSettings, RstSettings
from discourse_nmt.rules.sections.graphs import graph_settings, graph_tables

# Keys of the stage rst that its backend does not see.
OF_CONVERSION = {field.name for field in dataclasses.fields(RstSettings)}


def section_of(analysis: Mapping[str, Any], side: str, stage: Stage) -> dict[str, Any]:
    """The section of a stage on a side: its backend with that backend's keys."""
    section = _given(analysis, side, stage)
    if stage == "rst":
        section = {key: value for key, value in section.items() if key not in OF_CONVERSION}
    return {**section, "weights": analysis["weights"]} if section["backend"] == "builtin" else section


def conversion_of(analysis: Mapping[str, Any], side: str) -> RstSettings:
    """What is parsed for systems, and how the trees of a side become dependencies."""
    section = _given(analysis, side, "rst")
    return parse_settings(RstSettings, {key: section[key] for key in OF_CONVERSION & section.keys()}, "rst")


def _given(analysis: Mapping[str, Any], side: str, stage: Stage) -> dict[str, Any]:
    own = analysis["target"] if side == "target" else {}
    section: dict[str, Any] = own.get(stage, analysis[stage])
    return section


def settings_of(analysis: Mapping[str, Any], side: str, stage: Stage) -> BackendSettings:
    """The settings of a stage's backend on a side."""
    return stage_settings(stage, section_of(analysis, side, stage))


def compared_sides(config: Mapping[str, Any], name: str) -> list[tuple[str, str]]:
    """Corpus and side of the texts on which an analysis is scored against the one that it is compared with."""
    analyses = config["analyses"]
    if analyses[name]["compared_with"] is None:
        return []
    both = [analyses[name], analyses[analyses[name]["compared_with"]]]
    return [
        (corpus, side)
        for corpus in config["corpora"]
        for side in ("source", "target")
        if all(side in one["sides"] and corpus in (one["corpora"] or config["corpora"]) for one in both)
    ]


def compared_tables_of(config: Mapping[str, Any], name: str) -> list[str]:
    """The tables by which an analysis is scored, which both have, and those that the comparison needs beside them."""
    tables, gold = (config["analyses"][one]["tables"] for one in (name, config["analyses"][name]["compared_with"]))
    both = [
        table for table in ("edus", "rst", "rst_dependencies", "coreference", "themes") if table in {*tables} & {*gold}
    ]
    if "edus" not in both:
        both = [table for table in both if table not in ("rst", "rst_dependencies")]
    if "themes" in both and "syntax" not in tables:
        both.remove("themes")
    return ["syntax", *both] if "themes" in both else both


def stages_of(analysis: Mapping[str, Any], table: str) -> list[Stage]:
    """The stages whose tables a table is: its own, the one that it is converted from, or those that a graph joins."""
    if table == "document_graph":
        return graph_tables(graph_settings(analysis))
    return [stage for stage in STAGES if stage == table or (stage, table) == ("rst", "rst_dependencies")]
