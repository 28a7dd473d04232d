"""Checks of the section ``experiments``: systems, first stages, labellers, baselines."""

import dataclasses

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.corpus.address.forms import FORMS, SOURCE_LANGUAGE, are_known
from discourse_nmt.models.switches.context import SideConstraintSettings
from discourse_nmt.models.switches.decoding import obstacle
from discourse_nmt.models.switches.packed import PackedSettings
from discourse_nmt.models.switches.theme_rheme_cache import LABELLER_SIZES
from discourse_nmt.models.switches.transformer import MEANING
from discourse_nmt.models.systems import system_named
from discourse_nmt.training.kinds import STRUCTURES
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.corpora import SEED, splits_of
from discourse_nmt.workflow.sections.experiments import (
    corpora_of,
    corpus_of_first,
    experiment_settings,
    place_of,
    predecessors,
    structure_of,
    switches_of,
    trained_on,
)
from discourse_nmt.workflow.sections.pretrained import PRETRAINED

CHECKPOINT = (
    "for a checkpoint on disk set initialised_from: pretrained and name its folder under corpora.NAME.text.pretrained; "
    "docs/how-to/pretrained.md explains"
)


def check_experiments(config: Configuration) -> None:
    """Check what the schema cannot: switches of systems, corpora, first stages without a circle, labellers, baselines.

    ``config`` has the schema's defaults. Raises :class:`InputError`.
    """
    experiments = config.experiments
    systems = any(corpus.systems for corpus in config.corpora.values())
    if config.corpora and not experiments and not systems:
        raise InputError("no experiments", remedy="name a system to train under experiments")
    if PRETRAINED in experiments:
        raise InputError(f"experiments.{PRETRAINED}: that names the checkpoint", remedy="rename the experiment")
    for name, experiment in experiments.items():
        for corpus in trained_on(config, experiment):
            if corpus not in config.corpora:
                remedy = nearest(corpus, config.corpora)
                raise InputError(f"experiments.{name}.corpora: no corpus {corpus}", remedy=remedy)
            if "dev" not in splits_of(config.corpora[corpus]):
                remedy = "give it files under splits, or take it from train, for example held_out: {dev: 0.05}"
                raise InputError(f"corpora.{corpus}: no split dev, which decides when training ends", remedy=remedy)
        first = experiment.initialised_from
        if first == PRETRAINED:
            check_pretrained(config, name)
            first = None
        if first is not None and first not in experiments:
            remedy = CHECKPOINT if "/" in first else nearest(first, experiments)
            raise InputError(f"experiments.{name}.initialised_from: no experiment {first}", remedy=remedy)
        if first is not None:
            check_corpora_of_first(config, name, first)
        check_sizes_of_first(config, name, first)
        check_labeller(config, name)
        check_decoding(config, name)
        check_address(config, name)
        if experiment.taken_from is not None and len(experiment.seeds) > 1 and SEED not in experiment.taken_from:
            raise InputError(
                f"experiments.{name}.taken_from: one folder for {len(experiment.seeds)} seeds",
                remedy=f"write {SEED} where the names of the folders differ",
            )
    for name in experiments:
        if name in predecessors(experiments, name):
            raise InputError(f"experiments.{name}.initialised_from leads back to {name}", remedy="break the circle")
        check_drafts(config, name)
    check_baselines(config)


def check_corpora_of_first(config: Configuration, name: str, first: str) -> None:
    """Raise :class:`InputError` where ``first`` has no model that an experiment on its corpora can start from."""
    for corpus in sorted(corpora_of(config, name)):
        if corpus_of_first(config, first, corpus) is None:
            raise InputError(
                f"experiments.{name}.initialised_from: {first} is not trained on {corpus}",
                remedy=f"add it to experiments.{first}.corpora, or set corpora.{corpus}.text_of to a corpus of {first}",
            )


def check_drafts(config: Configuration, name: str) -> None:
    """Raise :class:`InputError` where the first stage, which makes the drafts, is not trained on a corpus."""
    stages = predecessors(config.experiments, name)
    if not stages or not STRUCTURES[structure_of(config, name)].drafted:
        return
    for corpus in sorted(corpora_of(config, name) - corpora_of(config, stages[-1])):
        message = f"{stages[-1]}, which makes the drafts, is not trained on {corpus}"
        remedy = f"add it to experiments.{stages[-1]}.corpora"
        raise InputError(f"experiments.{name}.initialised_from: {message}", remedy=remedy)


def check_sizes_of_first(config: Configuration, name: str, first: str | None) -> None:
    """Raise :class:`InputError` where an experiment's network cannot hold the model of the ``first`` one."""
    own = dataclasses.asdict(experiment_settings(config, name).settings)
    other = own if first is None else dataclasses.asdict(experiment_settings(config, first).settings)
    for key in ("width", "feed_forward_width", *MEANING):
        if own[key] != other[key]:
            raise InputError(
                f"experiments.{name}: {key} is {own[key]}, that of {first}, which it starts from, is {other[key]}",
                remedy=f"give both the same {key}",
            )
    for key in ("encoder_layers", "decoder_layers"):
        if own[key] < other[key]:
            raise InputError(
                f"experiments.{name}: {key} is {own[key]}, that of {first}, which it starts from, is {other[key]}, so "
                "that its upper layers would be lost",
                remedy=f"give both the same {key}",
            )


def check_decoding(config: Configuration, name: str) -> None:
    """Raise :class:`InputError` where an experiment's network cannot translate as its decoding says."""
    for corpus in sorted(corpora_of(config, name)):
        sections = experiment_settings(config, name, corpus)
        if sections.decoding.sentences is not None and not isinstance(sections.settings, PackedSettings):
            message = f"decoding.sentences is {sections.decoding.sentences}, but its system reads no instances"
            raise InputError(f"{place_of(config, name)}: {message}", remedy="set it to null")
        if sections.decoding.engine == "ctranslate2" and (reason := obstacle(sections.settings, sections.decoding)):
            place = place_of(config, name)
            section = place if config.experiments[name].model_of else f"{place}.decoding"
            message = f"{place}: decoding.engine is ctranslate2, but {reason}"
            raise InputError(message, remedy=f"set {section}: {{engine: own}}")


def check_address(config: Configuration, name: str) -> None:
    """Raise :class:`InputError` where an experiment is to keep forms of address that are not those of its corpora."""
    settings = switches_of(config, name)
    if not isinstance(settings, SideConstraintSettings):
        return
    for corpus in sorted(corpora_of(config, name)):
        source, target = config.corpora[corpus].source_language, config.corpora[corpus].target_language
        if not are_known(source, target):
            raise InputError(
                f"experiments.{name}: words of address are not known for corpus {corpus}, {source} to {target}",
                remedy=f"use a corpus of {SOURCE_LANGUAGE} to {', '.join(FORMS)}, or another system",
            )
        if settings.target_language != target:
            raise InputError(
                f'experiments.{name}: target_language is "{settings.target_language}", corpus {corpus} is of {target}',
                remedy=f"set experiments.{name}.settings.target_language to {target}",
            )


def check_labeller(config: Configuration, name: str) -> None:
    """Raise :class:`InputError` where an experiment lacks a labeller that its system reads, or has one for no use."""
    experiment = config.experiments[name]
    labeller, first = experiment.labeller, experiment.initialised_from
    held = "labeller" in switches_of(config, name).companions
    if labeller is None and held:
        remedy = "name one of labellers, or set settings.cache to continuous"
        raise InputError(f"experiments.{name}: its cache needs a labeller", remedy=remedy)
    if labeller is None:
        return
    if not held:
        raise InputError(f"experiments.{name}.labeller: its system has no use for one", remedy="set it to null")
    if labeller not in config.labellers:
        remedy = nearest(labeller, config.labellers)
        raise InputError(f"experiments.{name}.labeller: no labeller {labeller}", remedy=remedy)
    if config.labellers[labeller].settings.get("network") == "characters":
        remedy = "name one with network: encoder"
        raise InputError(f"experiments.{name}.labeller: {labeller} reads characters and has no scores", remedy=remedy)
    if first is None or first == PRETRAINED:
        remedy = "set initialised_from to the experiment whose encoder it is to read"
        raise InputError(f"experiments.{name}.labeller: it starts from no experiment", remedy=remedy)
    check_sentence_encoder(config, first, f"experiments.{name}.initialised_from")
    sections = {"model": config.model, f"experiments.{name}.settings": experiment.settings}
    for key, labeller_key in LABELLER_SIZES.items():
        for path, section in sections.items():
            if key in section:
                remedy = f"set labellers.{labeller}.settings.{labeller_key}" if labeller_key else "leave it out"
                raise InputError(f"{path}.{key}: it is what the labeller has", remedy=remedy)


def check_sentence_encoder(config: Configuration, name: str, key: str) -> None:
    """Raise :class:`InputError` naming ``key`` where an experiment's model cannot be read by a labeller."""
    if system_named(config.experiments[name].system).unit == "instance":
        raise InputError(
            f"{key}: {name} does not encode sentences by themselves, as a labeller reads them",
            remedy="name one whose system does, such as transformer",
        )


def check_pretrained(config: Configuration, name: str) -> None:
    """Raise :class:`InputError` where a corpus of an experiment has no checkpoint to start from."""
    for corpus in sorted(corpora_of(config, name)):
        if config.corpora[corpus].text.pretrained is None:
            raise InputError(
                f"experiments.{name}.initialised_from: corpus {corpus} has no checkpoint",
                remedy=f"set subwords and pretrained in corpora.{corpus}.text",
            )


def check_baselines(config: Configuration) -> None:
    """Raise :class:`InputError` for a baseline that does not exist, or that cannot be compared with on a corpus."""
    known = [*config.experiments, *(name for corpus in config.corpora.values() for name in corpus.systems)]
    baseline = config.significance.baseline
    if baseline is not None and baseline not in known:
        raise InputError(f"significance.baseline: no experiment {baseline}", remedy=nearest(baseline, known))
    for name, experiment in config.experiments.items():
        check_baseline(config, f"experiments.{name}", name, experiment.compared_with, known, corpora_of(config, name))
    for corpus, section in config.corpora.items():
        for name, system in section.systems.items():
            place = f"experiments.{name}" if system.language_model else f"corpora.{corpus}.systems.{name}"
            check_baseline(config, place, name, system.compared_with, known, {corpus})


def check_baseline(
    config: Configuration, place: str, name: str, baseline: str | None, known: list[str], corpora: set[str]
) -> None:
    """Check the ``baseline`` of an experiment or external system whose section is ``place``, on its ``corpora``."""
    key = f"{place}.compared_with"
    if baseline is None:
        return
    if baseline not in known:
        raise InputError(f"{key}: no experiment {baseline}", remedy=nearest(baseline, known))
    if baseline == name:
        raise InputError(f"{key}: that is itself", remedy="name another experiment")
    if missing := sorted(corpora - corpora_of(config, baseline)):
        if baseline in config.experiments:
            raise InputError(
                f"{key}: {baseline} is not trained on {missing[0]}", remedy=f"add it to experiments.{baseline}.corpora"
            )
        raise InputError(
            f"{key}: {baseline} has no translations of {missing[0]}", remedy=f"add it to corpora.{missing[0]}.systems"
        )
