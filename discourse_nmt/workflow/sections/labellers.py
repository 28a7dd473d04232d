"""Sections under ``labellers``: switches with every default, and where labelled words come from."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.discourse.themes.imported import ImportedWords
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings


def labeller_settings(config: Mapping[str, Any], name: str) -> dict[str, dict[str, Any]]:
    """Settings and training of a labeller, with every default.

    Raises :class:`InputError` naming a key that is unknown or whose value is wrong.
    """
    section = config["labellers"][name]
    try:
        settings = parse_settings(LabellerSettings, section["settings"], "settings")
        training = parse_settings(LabellerTrainingSettings, section["training"], "training")
    except InputError as error:
        raise InputError(f"labellers.{name}: {error}") from None
    return {"settings": dataclasses.asdict(settings), "training": dataclasses.asdict(training)}


def imported_words(config: Mapping[str, Any], name: str) -> ImportedWords | None:
    """The labelled corpus of a labeller; None where an analysis labels the words."""
    section = config["labellers"][name]["imported"]
    if section is None:
        return None
    try:
        return parse_settings(ImportedWords, section, "imported")
    except InputError as error:
        raise InputError(f"labellers.{name}: {error}") from None
