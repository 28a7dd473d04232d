"""Sections under ``labellers``: switches with every default, and where labelled words come from."""

from typing import TypeVar

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import Given
from discourse_nmt.discourse.themes.imported import ImportedWords
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings
from discourse_nmt.workflow.configuration.tree import Configuration

Settings = TypeVar("Settings")


def labeller_switches(config: Configuration, name: str) -> LabellerSettings:
    """The switches of a labeller, with every default; raises :class:`InputError` naming a key at fault."""
    return _parsed(config.labellers[name].settings, name, "settings")


def labeller_training(config: Configuration, name: str) -> LabellerTrainingSettings:
    """The training of a labeller, with every default; raises :class:`InputError` naming a key at fault."""
    return _parsed(config.labellers[name].training, name, "training")


def imported_words(config: Configuration, name: str) -> ImportedWords | None:
    """The labelled corpus of a labeller; None where an analysis labels the words."""
    section = config.labellers[name].imported
    return None if section is None else _parsed(section, name, "imported")


def _parsed(section: Given[Settings], name: str, key: str) -> Settings:
    try:
        return section.parsed(key)
    except InputError as error:
        raise InputError(f"labellers.{name}: {error}") from None
