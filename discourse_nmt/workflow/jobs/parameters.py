"""Parameters of rules by which Snakemake sees that code or settings changed."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.text.settings import OTHER_SUBWORDS, OTHER_TOKENISERS, SIDES, TextSettings
from discourse_nmt.training.kinds import STRUCTURES, TASKS, companions_of
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.interface import ParamsFunction, Wildcards
from discourse_nmt.workflow.reruns.fingerprint import fingerprint, script_module
from discourse_nmt.workflow.sections.corpora import import_settings, text_settings
from discourse_nmt.workflow.sections.experiments import (
    ExperimentSettings,
    corpora_of,
    experiment_settings,
    switches_of,
)

TOKENISING = ("source_language", "target_language", "tokeniser")  # keys of text that tokens depend on
# Keys of decoding that scores depend on.
SCORING = ("batch_tokens", "sentences", "use_tree", "whole_documents", "use_context")
OF_EXPERIMENTS = ("settings", "training", "decoding", "scoring")  # the other stages belong to a corpus


@cache
def code(script: str, *modules: str) -> str:
    """Fingerprint of a script (see :func:`.script_module`) and of further project modules that it loads by name."""
    return fingerprint(script_module(script), *(module.split(":")[0] for module in modules))


def canonical(values: Mapping[str, object]) -> str:
    """One JSON string for a dictionary of settings: Snakemake compares params as values without names."""
    return json.dumps(values, sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True)
class Parameters:
    """Settings and code of the stages of a run."""

    config: Configuration

    @cached_property
    def experiments(self) -> dict[tuple[str, str], ExperimentSettings]:
        """By corpus and experiment, the settings of its system, training and decoding, with every default."""
        return {
            (corpus, name): experiment_settings(self.config, name, corpus)
            for name in self.config.experiments
            for corpus in corpora_of(self.config, name)
        }

    @cached_property
    def switches(self) -> dict[str, TransformerSettings]:
        """By experiment, the switches of its system, with every default."""
        return {name: switches_of(self.config, name) for name in self.config.experiments}

    @cached_property
    def texts(self) -> dict[str, TextSettings]:
        """By corpus, the settings of each side's text stage, with every default."""
        return {name: TextSettings.from_mapping(text_settings(corpus)) for name, corpus in self.config.corpora.items()}

    @property
    def kinds(self) -> dict[str, str]:
        """By experiment, the kind of structure file that its system reads, empty for none."""
        return {name: switches.structure for name, switches in self.switches.items()}

    def settings_of(self, stage: str, name: str) -> str:
        """The part of the configuration that a stage of the corpus ``name`` depends on, as one canonical JSON string.

        Stages are corpus, tokenise and text.
        """
        corpus = self.config.corpora[name]
        if stage == "corpus":
            return canonical(import_settings(corpus))
        text = text_settings(corpus)
        return canonical({key: text[key] for key in TOKENISING} if stage == "tokenise" else text)

    def experiment_settings_of(self, stage: str, corpus: str, name: str) -> str:
        """The same of an experiment on a corpus; stages are settings (switches of its system), training, decoding and
        scoring.
        """
        sections = self.experiments[corpus, name]
        if stage == "scoring":
            return canonical({key: getattr(sections.decoding, key) for key in SCORING})
        return canonical(dataclasses.asdict(getattr(sections, stage)))

    def settings(self, stage: str) -> ParamsFunction:
        """Params function: the settings of a stage of the job's corpus, or of its experiment on the corpus."""
        if stage in OF_EXPERIMENTS:
            return lambda wildcards: self.experiment_settings_of(stage, wildcards.corpus, wildcards.experiment)
        return lambda wildcards: self.settings_of(stage, wildcards.corpus)

    def subword_modules(self, corpus: str) -> list[str]:
        """The module of a corpus's kind of subwords, which is loaded by name; none where they are learnt."""
        kind = self.config.corpora[corpus].text.subwords
        return [OTHER_SUBWORDS[kind][0]] if kind in OTHER_SUBWORDS else []

    def tokeniser_modules(self, corpus: str) -> list[str]:
        """The modules of the tokenisers of a corpus that are loaded by name."""
        names = sorted({self.texts[corpus].of(side).tokeniser for side in SIDES})
        return [OTHER_TOKENISERS[name] for name in names if name in OTHER_TOKENISERS]

    def tokeniser_code(self, script: str) -> ParamsFunction:
        """Params function: fingerprint of a script that tokenises sentences of the job's corpus."""
        return lambda wildcards: code(script, *self.tokeniser_modules(wildcards.corpus))

    def subword_code(self, script: str) -> ParamsFunction:
        """Params function: fingerprint of a script that reads the subwords of the job's corpus."""
        return lambda wildcards: code(script, *self.subword_modules(wildcards.corpus))

    def system_code_of(self, script: str, experiment: str, *modules: str) -> str:
        """Fingerprint of a script that runs an experiment's system, of which each kind has a module of its own."""
        system, switches = SYSTEMS[self.config.experiments[experiment].system], self.switches[experiment]
        named = [STRUCTURES[switches.structure].reader]
        if script == "train.train":  # the only one that gives a network its companions
            named += [companion.module for companion in companions_of(switches)]
        return code(script, system.module, TASKS[system.unit], *filter(None, named), *modules)

    def system_code(self, script: str) -> ParamsFunction:
        """Params function: fingerprint of a script that runs the system of the job's experiment."""
        return lambda wildcards: self.system_code_of(script, wildcards.experiment)

    def system_and_text_code(self, script: str) -> ParamsFunction:
        """Params function: the same for a script that reads subwords of the job's corpus, and tokenises, too."""

        def fingerprint_of(wildcards: Wildcards) -> str:
            modules = self.subword_modules(wildcards.corpus) + self.tokeniser_modules(wildcards.corpus)
            return self.system_code_of(script, wildcards.experiment, *modules)

        return fingerprint_of
