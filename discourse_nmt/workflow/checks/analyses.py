"""Checks of the section ``analyses``, and of what other sections need of an analysis."""

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.relations import Relation
from discourse_nmt.base.settings import nearest
from discourse_nmt.discourse.backends.backend import Context, Stage
from discourse_nmt.discourse.backends.builtin.models import check_model
from discourse_nmt.discourse.backends.registry import STAGES, backend_for, needed_tables
from discourse_nmt.discourse.settings import BuiltinSettings, CommandSettings, ImportSettings
from discourse_nmt.training.kinds import STRUCTURES, StructureKind
from discourse_nmt.workflow.configuration.analyses import AnalysisSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.analyses import (
    compared_sides,
    compared_tables_of,
    conversion_of,
    section_of,
    settings_of,
    stages_of,
)
from discourse_nmt.workflow.sections.experiments import experiment_settings, structure_of, trained_on
from discourse_nmt.workflow.sections.pretrained import PRETRAINED


def check_analyses(config: Configuration) -> None:
    """Check what the schema cannot: keys of each backend, corpora, and what other sections need of an analysis.

    ``config`` has the schema's defaults. A language without models is no fault unless an experiment needs it. Raises
    :class:`InputError`.
    """
    analyses = config.analyses
    for name, analysis in analyses.items():
        for corpus in analysis.corpora or []:
            if corpus not in config.corpora:
                remedy = nearest(corpus, config.corpora)
                raise InputError(f"analyses.{name}.corpora: no corpus {corpus}", remedy=remedy)
        check_comparison(config, name)
        try:
            for side in ("source", "target"):
                for stage in STAGES:
                    check_stage(analysis, side, stage)
        except InputError as error:
            raise InputError(f"analyses.{name}: {error}") from None
    for name in config.report.analyses:
        if name not in analyses:
            raise InputError(f"report.analyses: no analysis {name}", remedy=nearest(name, analyses))
    measured = config.document_metrics.analysis
    if measured is not None and measured not in analyses:
        raise InputError(f"document_metrics.analysis: no analysis {measured}", remedy=nearest(measured, analyses))
    for name in config.experiments:
        check_structure(config, name)


def check_structure(config: Configuration, name: str) -> None:
    """Raise :class:`InputError` where an experiment's analysis cannot make the tables of its kind of structure."""
    experiment = config.experiments[name]
    kind, analysis = STRUCTURES[structure_of(config, name)], experiment.analysis
    if analysis not in config.analyses and (kind.annotation or analysis != "builtin"):
        remedy = nearest(analysis, config.analyses)
        raise InputError(f"experiments.{name}: no analysis {analysis}", remedy=remedy)
    for corpus in trained_on(config, experiment):
        for table in kind.annotation:
            for side in ("source", "target") if kind.drafted else ("source",):
                check_annotation(config, corpus, analysis, side, table)
    if kind.tree:
        try:
            check_unit(config.analyses[analysis], analysis)
        except InputError as error:
            raise InputError(f"experiments.{name}: {error}") from None
    if "document_graph" in kind.annotation:
        check_relations(config, name)
    if kind.drafted:
        check_draft(config, name, kind)


def check_relations(config: Configuration, name: str) -> None:
    """Raise :class:`InputError` where the graphs of an experiment's analysis lack a relation that it attends to."""
    experiment = config.experiments[name]
    analysis = experiment.analysis
    settings = experiment_settings(config, name).settings
    relations: list[Relation] = getattr(settings, "relations", [])
    for relation in relations:
        if relation not in config.analyses[analysis].graph.relations:
            raise InputError(
                f"experiments.{name}.settings.relations: graphs of the analysis {analysis} have no relation {relation}",
                remedy=f"leave it out, or add it to analyses.{analysis}.graph.relations",
            )


def check_draft(config: Configuration, name: str, kind: StructureKind) -> None:
    """Raise :class:`InputError` where no first stage makes an experiment's draft, or no analyser can analyse it."""
    experiment = config.experiments[name]
    analysis = experiment.analysis
    if experiment.initialised_from in (None, PRETRAINED):
        raise InputError(
            f"experiments.{name}: the graph of the target is that of a draft, and there is no first stage to make it",
            remedy="name an experiment as initialised_from, or set target_graph: none",
        )
    for table in kind.annotation:
        for stage in stages_of(config.analyses[analysis], table):
            if isinstance(settings_of(config.analyses[analysis], "target", stage), ImportSettings):
                raise InputError(
                    f"experiments.{name}: {stage} of a draft cannot be imported",
                    remedy=f"name another backend as analyses.{analysis}.target.{stage}",
                )


def check_comparison(config: Configuration, name: str) -> None:
    """Raise :class:`InputError` where ``compared_with`` names no other analysis, or one that has no table in common."""
    gold = config.analyses[name].compared_with
    if gold is None:
        return
    others = [other for other in config.analyses if other != name]
    if gold not in others:
        remedy = nearest(gold, others) if others else "add that analysis"
        raise InputError(f"analyses.{name}.compared_with: no other analysis {gold}", remedy=remedy)
    if not compared_sides(config, name) or not compared_tables_of(config, name, gold):
        remedy = "give them the same corpora, sides and tables, and edus with rst and rst_dependencies"
        raise InputError(f"analyses.{name}.compared_with: {gold} has no table of the same text", remedy=remedy)


def check_unit(analysis: AnalysisSection, name: str) -> None:
    """Raise :class:`InputError` where imported trees, which are of documents, should be of instances."""
    imported = isinstance(settings_of(analysis, "source", "rst"), ImportSettings)
    if imported and conversion_of(analysis, "source").unit == "instance":
        raise InputError(
            f"analyses.{name}.rst: imported trees are of documents, not of instances", remedy="set unit: document"
        )


def check_stage(analysis: AnalysisSection, side: str, stage: Stage) -> None:
    """Raise :class:`InputError` for a key, a format, a placeholder or a command that the stage's backend refuses."""
    conversion_of(analysis, side)
    if isinstance(settings_of(analysis, side, stage), ImportSettings | CommandSettings):
        backend_for(stage, section_of(analysis, side, stage), Context("", "", "source", ""))  # opens no file


def check_annotation(config: Configuration, corpus: str, name: str, side: str, table: str) -> list[Stage]:
    """The stages that make a table, those included whose tables they read.

    Raises :class:`InputError` where one of them has no analyser for the corpus's language.
    """
    stages: list[Stage] = []
    waiting = stages_of(config.analyses[name], table)
    while waiting:
        stage = waiting.pop()
        if stage in stages:
            continue
        stages.append(stage)
        settings = settings_of(config.analyses[name], side, stage)
        if isinstance(settings, BuiltinSettings):
            try:
                check_model(stage, settings, config.corpora[corpus].language(side))
            except InputError as error:
                raise InputError(f"analyses.{name}, {side} side of the corpus {corpus}: {error}") from None
        waiting += needed_tables(stage, settings)
    return stages
