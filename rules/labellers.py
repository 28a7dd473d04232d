"""The labellers of themes under ``labellers`` in the configuration, resolved and checked."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.settings import nearest, parse_settings
from discourse_nmt.discourse.themes.words import ImportedWords
from discourse_nmt.models.switches.theme_labeller import LabellerSettings
from discourse_nmt.rules.analyses import check_annotation
from discourse_nmt.rules.configuration import check_sentence_encoder, corpora_of, splits_of
from discourse_nmt.training.labellers.settings import LabellerTrainingSettings


def labeller_settings(config: Mapping[str, Any], name: str) -> dict[str, dict[str, Any]]:
    """What a labeller resolves to: its settings and training, with every default.

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


def check_labellers(config: Mapping[str, Any]) -> None:
    """Check what the schema cannot: settings, and that experiments and analyses exist.

    ``config`` has the schema's defaults. Raises :class:`InputError`.
    """
    for name, labeller in config["labellers"].items():
        settings = labeller_settings(config, name)["settings"]
        imported = imported_words(config, name)
        if imported is not None and settings["network"] == "encoder":
            labels, designated = imported.labels, settings["designated"]
            if designated not in labels:
                message = f"labellers.{name}.settings.designated: {designated} is no label of {imported.format}"
                raise InputError(message, remedy=nearest(designated, labels))
        for experiment in labeller["experiments"]:
            if experiment not in config["experiments"]:
                remedy = nearest(experiment, config["experiments"])
                raise InputError(f"labellers.{name}.experiments: no experiment {experiment}", remedy=remedy)
            check_sentence_encoder(config, experiment, f"labellers.{name}.experiments")
            if imported is None:
                for corpus in sorted(corpora_of(config, experiment)):
                    check_words(config, name, corpus)


def check_words(config: Mapping[str, Any], name: str, corpus: str) -> None:
    """Raise :class:`InputError` where a labeller's analysis, which is to label a corpus, cannot do so."""
    analysis = config["labellers"][name]["analysis"]
    if analysis not in config["analyses"]:
        remedy = nearest(analysis, config["analyses"])
        raise InputError(f"labellers.{name}.analysis: no analysis {analysis}", remedy=remedy)
    if "dev" not in splits_of(config["corpora"][corpus]):
        raise InputError(f"labellers.{name}: corpus {corpus} has no split dev", remedy="give it one, or use imported")
    check_annotation(config, corpus, analysis, "source", "themes")
