"""Experiments with language models: systems that are asked instead of trained."""

from dataclasses import replace

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import nearest
from discourse_nmt.language_models.settings import LLM, LanguageModelSettings
from discourse_nmt.workflow.configuration.corpora import ExternalSystemSettings
from discourse_nmt.workflow.configuration.experiments import ExperimentSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.sections.corpora import SEED, test_sets_of, translated_suites_of

# Keys of an experiment that are about a network.
OF_NETWORKS = ("initialised_from", "taken_from", "labeller", "training", "decoding", "decodings")


def with_language_models(config: Configuration) -> Configuration:
    """With the experiments of the system ``llm`` as systems of their corpora, whose translations a rule asks for.

    Raises :class:`InputError` for a key that only networks have, an unknown corpus, or the name of another system.
    """
    asked = {name: section for name, section in config.experiments.items() if section.system == LLM}
    corpora = dict(config.corpora)
    for name, section in asked.items():
        if wrong := next((key for key in OF_NETWORKS if getattr(section, key)), None):
            raise InputError(f"experiments.{name}.{wrong}: a language model is not trained", remedy="leave it out")
        for corpus in section.corpora or config.corpora:
            key = f"experiments.{name}"
            if corpus not in corpora:
                raise InputError(f"{key}.corpora: no corpus {corpus}", remedy=nearest(corpus, corpora))
            if name in corpora[corpus].systems:
                raise InputError(f"{key}: corpora.{corpus}.systems has this name, too", remedy="rename one of the two")
            system = _system(config, name, section, corpus)
            corpora[corpus] = replace(corpora[corpus], systems={**corpora[corpus].systems, name: system})
    experiments = {name: section for name, section in config.experiments.items() if name not in asked}
    return replace(config, corpora=corpora, experiments=experiments)


def _system(config: Configuration, name: str, section: ExperimentSection, corpus: str) -> ExternalSystemSettings:
    settings = section.settings.parsed(f"experiments.{name}.settings")
    assert isinstance(settings, LanguageModelSettings)
    translated = [*test_sets_of(config.corpora[corpus]), *translated_suites_of(config.corpora[corpus])]
    folder = f"results/{config.run}/{corpus}/experiments/{name}/seed{SEED}/language_model"
    return ExternalSystemSettings(
        hypotheses={test_set: f"{folder}/{test_set}.jsonl" for test_set in translated},
        seeds=section.seeds,
        compared_with=section.compared_with,
        language_model=settings,
        analysis=section.analysis,
    )
