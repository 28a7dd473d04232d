"""Sections under ``analyses``."""

from dataclasses import dataclass

from discourse_nmt.base.settings import DISTINCT, SOME_DISTINCT, ChosenBy, Given, given, setting
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.backends.registry import OFFERS
from discourse_nmt.discourse.settings import (
    TABLES,
    GraphSettings,
    Side,
    Table,
)

# The key backend, keys of that backend's class, and for the stage rst those of RstSettings.
StageKeys = Given[object]


def stage_keys(stage: Stage, meaning: str) -> StageKeys:
    """A dataclass field for a stage, whose key ``backend`` chooses its class."""
    kinds: dict[str, type[object]] = {name: offer.settings_of(stage) for name, offer in OFFERS.items()}
    return given(object, meaning, ChosenBy("backend", kinds, inside=True))


@dataclass(frozen=True)
class TargetStages:
    """The stages of the target side."""

    syntax: StageKeys = stage_keys("syntax", "words, tags, lemmas and dependencies")
    edus: StageKeys = stage_keys("edus", "elementary discourse units")
    rst: StageKeys = stage_keys("rst", "rhetorical structure trees and their dependencies")
    coreference: StageKeys = stage_keys("coreference", "coreference chains")
    themes: StageKeys = stage_keys("themes", "themes and rhemes")


@dataclass(frozen=True)
class AnalysisSection:
    """A set of analysers. The stages are checked by :func:`.stage_settings`."""

    corpora: list[str] | None = setting(
        None, "corpora that the target analyse annotates; null for all", schema=SOME_DISTINCT
    )
    sides: list[Side] = setting(["source"], "sides that are annotated", schema=SOME_DISTINCT)
    tables: list[Table] = setting(
        [table for table in TABLES if table != "document_graph"],
        "tables that the target analyse makes",
        schema=DISTINCT,
    )
    weights: str | None = setting(
        None, "folder of builtin models, with one folder per language; null for those of the project"
    )
    compared_with: str | None = setting(
        None, "analysis, for example gold annotation, against which it is scored on test sets; null for none"
    )
    syntax: StageKeys = stage_keys("syntax", "words, tags, lemmas and dependencies")
    edus: StageKeys = stage_keys("edus", "elementary discourse units")
    rst: StageKeys = stage_keys("rst", "rhetorical structure trees and their dependencies")
    coreference: StageKeys = stage_keys("coreference", "coreference chains")
    themes: StageKeys = stage_keys("themes", "themes and rhemes")
    graph: GraphSettings = setting(GraphSettings(), "word graphs of documents")
    target: Given[TargetStages] = given(TargetStages, "stages that differ on the target side")

    def stage(self, side: str, stage: Stage) -> StageKeys:
        """The keys of a stage on a side."""
        own: StageKeys = getattr(self, stage)
        if side == "target" and stage in self.target:
            own = getattr(self.target.parsed("target"), stage)
        return own
