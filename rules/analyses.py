"""The sets of analysers under ``analyses`` in the configuration, resolved and checked."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import nearest, parse_settings
from discourse_nmt.discourse.backends.backend import Context, Stage
from discourse_nmt.discourse.backends.builtin.models import check_model
from discourse_nmt.discourse.backends.registry import STAGES, backend_for, needed_tables, stage_settings
from discourse_nmt.discourse.settings import (
    BackendSettings,
    BuiltinSettings,
    CommandSettings,
    ImportSettings,
    RstSettings,
)
from discourse_nmt.rules.configuration import experiment_settings, structure_of
from discourse_nmt.rules.graphs import graph_settings, graph_tables
from discourse_nmt.rules.pretrained import PRETRAINED
from discourse_nmt.training.kinds import STRUCTURES, StructureKind

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


def check_analyses(config: Mapping[str, Any]) -> None:
    """Check what the schema cannot: keys of each backend, corpora, and what experiments need.

    ``config`` has the schema's defaults. A language without models is no fault unless an experiment needs it. Raises
    :class:`InputError`.
    """
    for name, analysis in config["analyses"].items():
        for corpus in analysis["corpora"] or []:
            if corpus not in config["corpora"]:
                remedy = nearest(corpus, config["corpora"])
                raise InputError(f"analyses.{name}.corpora: no corpus {corpus}", remedy=remedy)
        check_comparison(config, name)
        try:
            graph_settings(analysis)
            for side in ("source", "target"):
                for stage in STAGES:
                    check_stage(analysis, side, stage)
        except InputError as error:
            raise InputError(f"analyses.{name}: {error}") from None
    for name in config["report"]["analyses"]:
        if name not in config["analyses"]:
            raise InputError(f"report.analyses: no analysis {name}", remedy=nearest(name, config["analyses"]))
    for name, experiment in config["experiments"].items():
        kind = STRUCTURES[structure_of(config, name)]
        needs = kind.annotation
        if experiment["analysis"] not in config["analyses"] and (needs or experiment["analysis"] != "builtin"):
            remedy = nearest(experiment["analysis"], config["analyses"])
            raise InputError(f"experiments.{name}: no analysis {experiment['analysis']}", remedy=remedy)
        for corpus in experiment.get("corpora", config["corpora"]):
            for table in needs:
                check_annotation(config, corpus, experiment["analysis"], "source", table)
                if kind.drafted:
                    check_annotation(config, corpus, experiment["analysis"], "target", table)
            if kind.tree:
                try:
                    check_unit(config["analyses"][experiment["analysis"]], experiment["analysis"])
                except InputError as error:
                    raise InputError(f"experiments.{name}: {error}") from None
        if "document_graph" in needs:
            check_graphs(config, name, kind)


def check_graphs(config: Mapping[str, Any], name: str, kind: StructureKind) -> None:
    """Raise :class:`InputError` where an experiment's graphs lack a relation, or its draft a model or an analyser."""
    experiment = config["experiments"][name]
    analysis = config["analyses"][experiment["analysis"]]
    for relation in experiment_settings(config, name)["settings"]["relations"]:
        if relation not in graph_settings(analysis).relations:
            raise InputError(
                f"experiments.{name}.settings.relations: graphs of the analysis {experiment['analysis']} "
                f"have no relation {relation}",
                remedy=f"leave it out, or add it to analyses.{experiment['analysis']}.graph.relations",
            )
    if not kind.drafted:
        return
    if experiment["initialised_from"] in (None, PRETRAINED):
        raise InputError(
            f"experiments.{name}: the graph of the target is that of a draft, and there is no first stage to make it",
            remedy="name an experiment as initialised_from, or set target_graph: none",
        )
    for stage in stages_of(analysis, "document_graph"):
        if isinstance(settings_of(analysis, "target", stage), ImportSettings):
            raise InputError(
                f"experiments.{name}: {stage} of a draft cannot be imported",
                remedy=f"name another backend as analyses.{experiment['analysis']}.target.{stage}",
            )


def check_comparison(config: Mapping[str, Any], name: str) -> None:
    """Raise :class:`InputError` where the analysis that another is compared with is none, or shares nothing with it."""
    gold = config["analyses"][name]["compared_with"]
    if gold is None:
        return
    others = [other for other in config["analyses"] if other != name]
    if gold not in others:
        remedy = nearest(gold, others) if others else "add that analysis"
        raise InputError(f"analyses.{name}.compared_with: no other analysis {gold}", remedy=remedy)
    if not compared_sides(config, name) or not compared_tables_of(config, name):
        remedy = "give them the same corpora, sides and tables, and edus with rst and rst_dependencies"
        raise InputError(f"analyses.{name}.compared_with: {gold} has no table of the same text", remedy=remedy)


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


def check_unit(analysis: Mapping[str, Any], name: str) -> None:
    """Raise :class:`InputError` where imported trees, which are of documents, should be of instances."""
    imported = isinstance(settings_of(analysis, "source", "rst"), ImportSettings)
    if imported and conversion_of(analysis, "source").unit == "instance":
        raise InputError(
            f"analyses.{name}.rst: imported trees are of documents, not of instances", remedy="set unit: document"
        )


def check_stage(analysis: Mapping[str, Any], side: str, stage: Stage) -> None:
    """Raise :class:`InputError` for a key, a format, a placeholder or a command that the stage's backend refuses."""
    conversion_of(analysis, side)
    if isinstance(settings_of(analysis, side, stage), ImportSettings | CommandSettings):
        backend_for(stage, section_of(analysis, side, stage), Context("", "", "source", ""))  # opens no file


def check_annotation(config: Mapping[str, Any], corpus: str, name: str, side: str, table: str) -> list[Stage]:
    """The stages that make a table, and those that it stands on.

    Raises :class:`InputError` where one of them has no analyser for the corpus's language.
    """
    stages: list[Stage] = []
    waiting = stages_of(config["analyses"][name], table)
    while waiting:
        stage = waiting.pop()
        if stage in stages:
            continue
        stages.append(stage)
        settings = settings_of(config["analyses"][name], side, stage)
        if isinstance(settings, BuiltinSettings):
            try:
                check_model(stage, settings, config["corpora"][corpus][f"{side}_language"])
            except InputError as error:
                raise InputError(f"analyses.{name}, {side} side of the corpus {corpus}: {error}") from None
        waiting += needed_tables(stage, settings)
    return stages


def stages_of(analysis: Mapping[str, Any], table: str) -> list[Stage]:
    """The stages whose tables a table is: its own, the one that it is converted from, or those that a graph joins."""
    if table == "document_graph":
        return graph_tables(graph_settings(analysis))
    return [stage for stage in STAGES if stage == table or (stage, table) == ("rst", "rst_dependencies")]
