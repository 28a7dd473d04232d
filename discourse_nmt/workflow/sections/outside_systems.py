"""Systems without a network of the project, which it asks or only scores; those with one are :data:`.SYSTEMS`."""

from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.language_models.settings import LLM, LanguageModelSettings
from discourse_nmt.models.systems import SYSTEMS, System
from discourse_nmt.workflow.configuration.corpora import ExternalSystemSettings

EXTERNAL = "external"  # the system, in tables, of outputs that the project only scores


@dataclass(frozen=True)
class OutsideSystem:
    """One kind of system that is not trained."""

    name: str
    settings: type[object]
    """Dataclass that declares its keys."""
    place: str
    """Where these stand in the configuration."""
    unit: str
    """What it reads."""
    annotation: str
    adds: str
    """What it is, in a few words."""
    page: str
    """The page that explains it."""


OUTSIDE_SYSTEMS = {
    system.name: system
    for system in [
        OutsideSystem(
            LLM,
            LanguageModelSettings,
            "settings of the experiment",
            "sentence, chunk, paragraph or document",
            "what its prompts show",
            "a language model is asked for translations",
            "docs/how-to/language-models.md",
        ),
        OutsideSystem(
            EXTERNAL,
            ExternalSystemSettings,
            "corpora.NAME.systems.SYSTEM",
            "anything",
            "none",
            "translations by any other system, which are read from files and scored",
            "docs/how-to/other-systems.md",
        ),
    ]
}


def trained_system(name: str) -> System:
    """The system with a network called ``name``.

    Raises :class:`InputError` for an unknown one, with the nearest name of all, and for one that is not trained.
    """
    if name in OUTSIDE_SYSTEMS:
        system = OUTSIDE_SYSTEMS[name]
        raise InputError(f"system {name} is not trained", remedy=f"its keys stand in {system.place}; see {system.page}")
    if name not in SYSTEMS:
        raise InputError(f"unknown system {name}", remedy=nearest(name, [*SYSTEMS, *OUTSIDE_SYSTEMS]))
    return SYSTEMS[name]
