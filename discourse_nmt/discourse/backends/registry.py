"""The registry of backends: module and settings for each stage, and the earlier tables that a stage reads.

This module imports no backend, so that the workflow can look up what a stage depends on.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest, parse_settings
from discourse_nmt.discourse.backends.backend import Backend, Context, Stage
from discourse_nmt.discourse.settings import (
    BackendSettings,
    BuiltinSettings,
    BuiltinThemeSettings,
    CommandSettings,
    ImportSettings,
    StanzaSettings,
)

STAGES: tuple[Stage, ...] = get_args(Stage)

# Earlier tables that an analyser of each stage reads; see needed_tables for exceptions.
TABLES: dict[Stage, tuple[Stage, ...]] = {
    "syntax": (),
    "edus": ("syntax",),
    "rst": ("syntax", "edus"),
    "coreference": ("syntax",),
    "themes": ("syntax", "edus"),
}


@dataclass(frozen=True)
class Offer:
    """A backend for some stages: its module by stage, its settings, and how it gets documents."""

    modules: Mapping[Stage, str]
    settings: type[BackendSettings]
    stored: bool = True
    """Whether the document store keeps its results; false where computing them again costs no more."""
    whole: bool = False
    """Whether it gets all documents of a shard at once, because its start or the reading of its files is slow."""
    further: Mapping[Stage, type[BackendSettings]] = field(default_factory=dict)
    """Settings of stages that have further keys."""

    def settings_of(self, stage: Stage) -> type[BackendSettings]:
        """The class of a stage's settings."""
        return self.further.get(stage, self.settings)


OFFERS: dict[str, Offer] = {
    "builtin": Offer(
        {stage: f"discourse_nmt.discourse.backends.builtin.{stage}" for stage in STAGES},
        BuiltinSettings,
        further={"themes": BuiltinThemeSettings},
    ),
    "stanza": Offer(
        {
            "syntax": "discourse_nmt.discourse.backends.stanza.syntax",
            "coreference": "discourse_nmt.discourse.backends.stanza.coreference",
        },
        StanzaSettings,
    ),
    "import": Offer(
        dict.fromkeys(STAGES, "discourse_nmt.discourse.backends.files.imported"),
        ImportSettings,
        stored=False,
        whole=True,
    ),
    "command": Offer(
        dict.fromkeys(STAGES, "discourse_nmt.discourse.backends.files.command"), CommandSettings, whole=True
    ),
}


def offer_named(stage: Stage, name: str) -> Offer:
    """The backend ``name``; raises :class:`InputError` if there is no such backend for the stage."""
    names = [backend for backend, offer in OFFERS.items() if stage in offer.modules]
    if name not in names:
        raise InputError(f"{stage}: no backend {name}", remedy=nearest(name, names))
    return OFFERS[name]


def stage_settings(stage: Stage, section: Mapping[str, Any]) -> BackendSettings:
    """The settings of a stage, from its section of the configuration: ``backend`` and that backend's keys."""
    values = {key: value for key, value in section.items() if key != "backend"}
    return parse_settings(offer_named(stage, section["backend"]).settings_of(stage), values, stage)


def module_of(stage: Stage, name: str) -> str:
    """The module of the backend ``name`` for the stage."""
    return offer_named(stage, name).modules[stage]


def needed_tables(stage: Stage, settings: BackendSettings) -> tuple[Stage, ...]:
    """The earlier tables that the backend with these settings reads.

    The import of tables needs no words, and themes of whole sentences need no discourse units.
    """
    if isinstance(settings, ImportSettings) and settings.format == "table":
        return tuple(table for table in TABLES[stage] if table != "syntax")
    if isinstance(settings, BuiltinThemeSettings) and settings.clause == "sentence":
        return tuple(table for table in TABLES[stage] if table != "edus")
    return TABLES[stage]


def backend_for(stage: Stage, section: Mapping[str, Any], context: Context) -> Backend:
    """The backend that a stage's section of the configuration names, ready to analyse documents of ``context``."""
    module = importlib.import_module(module_of(stage, section["backend"]))
    backend: Backend = module.make(stage, stage_settings(stage, section), context)
    return backend
