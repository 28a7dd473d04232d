"""The analysis of discourse that the model of an experiment reads when it translates, as model folders describe it."""

import dataclasses

from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.backends.registry import STAGES, needed_tables
from discourse_nmt.training.kinds import STRUCTURES, StructureKind
from discourse_nmt.workflow.configuration.analyses import AnalysisSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.analyses import backend_of, conversion_of, settings_of, stages_of
from discourse_nmt.workflow.sections.experiments import experiment_settings


def decoding_kind(config: Configuration, experiment: str) -> StructureKind:
    """The kind of structure that an experiment's system decodes with if it uses all that it can."""
    return STRUCTURES[experiment_settings(config, experiment).settings.decoding_structure(True)]


def analysis_of_model(config: Configuration, experiment: str) -> dict[str, object]:
    """The fields of :class:`.AnalysisRecipe` but for the digests of weights; empty for a system that reads no analysis.

    The target side has analysers only where drafts are analysed.
    """
    kind = decoding_kind(config, experiment)
    if not kind.annotation:
        return {}
    name = config.experiments[experiment].analysis
    analysis = config.analyses[name]
    return {
        "name": name,
        "source": _analysers(analysis, "source", kind.annotation),
        "target": _analysers(analysis, "target", kind.annotation) if kind.drafted else {},
        "rst": dataclasses.asdict(conversion_of(analysis, "source")),
        "graph": dataclasses.asdict(analysis.graph),
    }


def _analysers(analysis: AnalysisSection, side: str, tables: tuple[str, ...]) -> dict[str, dict[str, object]]:
    """By stage, in order, backend and settings of the analysers of ``tables`` and of all that these read."""
    stages: set[Stage] = {stage for table in tables for stage in stages_of(analysis, table)}
    for stage in reversed(STAGES):
        if stage in stages:
            stages.update(needed_tables(stage, settings_of(analysis, side, stage)))
    return {
        stage: {
            "backend": backend_of(analysis, side, stage),
            **dataclasses.asdict(settings_of(analysis, side, stage)),
        }
        for stage in STAGES
        if stage in stages
    }
