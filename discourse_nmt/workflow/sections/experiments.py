"""Sections under ``experiments``: switches with every default, corpora, baselines, structure files."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from discourse_nmt.base.errors import InputError
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS, System
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.configuration.decoding import DecodingSection
from discourse_nmt.workflow.configuration.experiments import ExperimentSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.outside_systems import trained_system
from discourse_nmt.workflow.sections.pretrained import PRETRAINED


@dataclass(frozen=True)
class ExperimentSettings:
    """The switches of an experiment's system (``settings``), its training and its decoding, with every default."""

    settings: TransformerSettings
    training: TrainingSettings
    decoding: DecodingSection


def experiment_settings(config: Configuration, name: str, corpus: str | None = None) -> ExperimentSettings:
    """The settings of an experiment; those on ``corpus`` if given.

    Raises :class:`InputError` naming a key that is unknown or whose value is wrong.
    """
    experiment = config.experiments[name]
    of_corpus = [config.corpora[corpus]] if corpus else []
    training = experiment.training.over(*(section.training for section in of_corpus), config.training)
    decoding = experiment.decoding.over(*(section.decoding for section in of_corpus), config.decoding)
    try:
        check_switches(trained_system(experiment.system), experiment.settings, "settings")
        check_switches(SYSTEMS["transformer"], config.model, "model")
        settings = experiment.settings.over(config.model).parsed("settings")
        return ExperimentSettings(settings, training.parsed("training"), decoding.parsed("decoding"))
    except InputError as error:
        raise InputError(f"{place_of(config, name)}{f' on {corpus}' if corpus else ''}: {error}") from None


def place_of(config: Configuration, name: str) -> str:
    """The path of an experiment's section in the configuration, which for one of ``decodings`` is its key there."""
    model = config.experiments[name].model_of
    return f"experiments.{name}" if model is None else f"experiments.{model}.decodings.{name[len(model) + 1 :]}"


def check_switches(system: System, switches: Mapping[str, object], section: str) -> None:
    """Raise :class:`InputError` for a switch that only other systems have; ``model`` has those of the Transformer."""
    switches_of = {name: {entry.name for entry in dataclasses.fields(one.settings)} for name, one in SYSTEMS.items()}
    for switch in switches:
        others = [name for name, declared in switches_of.items() if switch in declared]
        if others and system.name not in others:
            remedy = f"leave it out, or use {' or '.join(others)}"
            if section == "model":
                remedy = f"write it into settings of an experiment with the system {' or '.join(others)}"
            raise InputError(f"{section}: {system.name} has no switch {switch}", remedy=remedy)


def switches_of(config: Configuration, name: str) -> TransformerSettings:
    """The switches of an experiment's system, with every default."""
    experiment = config.experiments[name]
    return experiment.settings.over(config.model).parsed(f"system {experiment.system}")


def structure_of(config: Configuration, name: str) -> str:
    """The kind of structure file that an experiment's system reads, a key of :data:`.STRUCTURES`."""
    return switches_of(config, name).structure


def trained_on(config: Configuration, experiment: ExperimentSection) -> list[str]:
    """The corpora that an experiment is trained on, in the order in which it or the configuration names them."""
    return list(experiment.corpora or config.corpora)


def corpora_of(config: Configuration, name: str) -> set[str]:
    """The corpora that an experiment is trained on, or of which an external system has translations."""
    if name not in config.experiments:
        return {corpus for corpus, section in config.corpora.items() if name in section.systems}
    return set(trained_on(config, config.experiments[name]))


def corpus_of_first(config: Configuration, first: str, corpus: str) -> str | None:
    """The corpus whose model of ``first`` an experiment on ``corpus`` starts from: the same, else its ``text_of``.

    None if ``first`` is trained on neither.
    """
    trained = corpora_of(config, first)
    return next((one for one in (corpus, config.corpora[corpus].text_of) if one in trained), None)


def predecessors(experiments: Mapping[str, ExperimentSection], name: str) -> list[str]:
    """The experiments that ``name`` is initialised from, directly and indirectly, each once."""
    stages: list[str] = []
    first = experiments[name].initialised_from
    while first is not None and first not in (PRETRAINED, *stages):
        stages.append(first)
        first = experiments[first].initialised_from
    return stages


def baseline_of(config: Configuration, name: str, corpus: str) -> str | None:
    """The baseline that ``name`` is compared with on a corpus; none for the baseline itself.

    Both are experiments or external systems.
    """
    section = config.experiments.get(name) or config.corpora[corpus].systems[name]
    baseline = section.compared_with or config.significance.baseline
    return None if baseline in (None, name) or corpus not in corpora_of(config, baseline) else baseline


def tested_groups(config: Configuration, corpus: str) -> str:
    """The regular expression of the groups that tests on a corpus draw; empty where they draw documents."""
    return (config.corpora[corpus].groups or "") if config.significance.units == "groups" else ""
