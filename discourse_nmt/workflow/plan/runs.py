"""Runs: trainings, what each starts from, drafts that some of them read; and the outputs of other systems."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from discourse_nmt.base.storage.files import checksum
from discourse_nmt.language_models.settings import LLM
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.jobs.interface import NamedInput, Wildcards
from discourse_nmt.workflow.jobs.parameters import Parameters
from discourse_nmt.workflow.plan.corpora import Corpora
from discourse_nmt.workflow.sections.corpora import SEED
from discourse_nmt.workflow.sections.experiments import corpus_of_first, predecessors, trained_on
from discourse_nmt.workflow.sections.models import decoding_kind
from discourse_nmt.workflow.sections.outside_systems import EXTERNAL
from discourse_nmt.workflow.sections.pretrained import PRETRAINED


class Run(NamedTuple):
    """One training run, or one output of another system."""

    corpus: str
    experiment: str
    seed: int


@dataclass(frozen=True)
class Runs:
    """The runs of a configuration. An external system is one that the project only scores."""

    config: Configuration
    files: Files
    corpora: Corpora
    parameters: Parameters

    def all(self) -> list[Run]:
        """Every training run."""
        return [
            Run(corpus, name, seed)
            for name, experiment in self.config.experiments.items()
            for corpus in trained_on(self.config, experiment)
            for seed in experiment.seeds
        ]

    def external(self) -> list[Run]:
        """Every output of an external system."""
        return [
            Run(name, system, seed)
            for name, corpus in self.config.corpora.items()
            for system, section in corpus.systems.items()
            for seed in section.seeds
        ]

    def trained_experiments(self) -> list[str]:
        """The experiments with a training of their own."""
        trained_otherwise = {*self.decoded_experiments(), *self.taken_experiments()}
        return [name for name in self.config.experiments if name not in trained_otherwise]

    def taken_experiments(self) -> list[str]:
        """The experiments whose networks come from model folders."""
        sections = self.config.experiments.items()
        return [name for name, section in sections if section.taken_from is not None and section.model_of is None]

    def model_folder(self, wildcards: Wildcards) -> str:
        """Params function: the model folder whose network the job's run takes."""
        folder = self.config.experiments[wildcards.experiment].taken_from
        assert folder is not None, wildcards.experiment
        return folder.replace(SEED, str(wildcards.seed))

    def model_folder_description(self, wildcards: Wildcards) -> list[str]:
        """Input function: the description of that folder, which has the digests of all its other files."""
        key = f"experiments.{wildcards.experiment}.taken_from"
        taken = f"{self.files.run(wildcards.corpus, wildcards.experiment, wildcards.seed)}/model.safetensors"
        remedy = "name a model folder, which the target models makes, or null to train"
        return self.files.imported([f"{self.model_folder(wildcards)}/model.json"], key, remedy, taken)

    def model_folder_digest(self, wildcards: Wildcards) -> str:
        """Params function: a digest of that description, since an unpacked folder can be older than the one before.

        A folder that is gone counts as the one that was taken, of which the job keeps the description.
        """
        description = Path(self.model_folder(wildcards)) / "model.json"
        taken = Path(self.files.run(wildcards.corpus, wildcards.experiment, wildcards.seed)) / "taken_from.json"
        return checksum(description if description.exists() else taken)

    def decoded_experiments(self) -> list[str]:
        """The experiments that decode the model of another one."""
        return [name for name, experiment in self.config.experiments.items() if experiment.model_of is not None]

    def model_of(self, name: str) -> Callable[[Wildcards], str]:
        """Input function: the file ``name`` of the run whose model the job's run takes over."""

        def file(wildcards: Wildcards) -> str:
            trained = self.config.experiments[wildcards.experiment].model_of
            assert trained is not None, wildcards.experiment
            return f"{self.files.run(wildcards.corpus, trained, wildcards.seed)}/{name}"

        return file

    def subword_translations(self, wildcards: Wildcards) -> list[str]:
        """Input function: the translations of subwords that the job's run takes a shortlist from, if it has one."""
        decoding = self.parameters.experiments[wildcards.corpus, wildcards.experiment].decoding
        return [self.files.subword_translations(wildcards.corpus)] if decoding.shortlist else []

    def tuned_decoding(self, wildcards: Wildcards) -> list[str]:
        """Input function: the values of decoding that are chosen for the job's run on dev, if there are any."""
        if self.is_external(wildcards.corpus, wildcards.experiment):
            return []
        decoding = self.parameters.experiments[wildcards.corpus, wildcards.experiment].decoding
        folder = self.files.run(wildcards.corpus, wildcards.experiment, wildcards.seed)
        return [f"{folder}/tuned_decoding/dev.json"] if decoding.tuned else []

    def computed_by(self, wildcards: Wildcards) -> list[str]:
        """Params function: engine and precision of the job's search, if not the default; none of an external system."""
        if self.is_external(wildcards.corpus, wildcards.experiment):
            return []
        return self.parameters.experiments[wildcards.corpus, wildcards.experiment].decoding.computed_by

    def scored(self) -> list[Run]:
        """Every run whose translations are scored."""
        return [*self.all(), *self.external()]

    def external_names(self) -> list[str]:
        """The names of external systems."""
        return list(dict.fromkeys(run.experiment for run in self.external()))

    def is_external(self, corpus: str, experiment: str) -> bool:
        """Whether a name is that of an external system of a corpus."""
        return experiment in self.config.corpora[corpus].systems

    def is_asked(self, corpus: str, experiment: str) -> bool:
        """Whether a name is that of a language model, which a rule asks for translations."""
        system = self.config.corpora[corpus].systems.get(experiment)
        return system is not None and system.language_model is not None

    def test_sets(self, run: Run) -> list[str]:
        """The test sets that a run has translations of."""
        test_sets = self.corpora.test_sets(run.corpus)
        if not self.is_external(run.corpus, run.experiment):
            return test_sets
        given = self.config.corpora[run.corpus].systems[run.experiment].hypotheses
        return [split for split in test_sets if split in given]

    def scored_sets(self, run: Run) -> list[str]:
        """Those of them that have references."""
        scored = self.corpora.scored_sets(run.corpus)
        return [split for split in self.test_sets(run) if split in scored]

    def translated_suites(self, run: Run) -> list[str]:
        """The suites of which a run has translations that are looked at."""
        if not self.is_external(run.corpus, run.experiment):
            return self.corpora.translated_suites(run.corpus)
        given = self.config.corpora[run.corpus].systems[run.experiment].hypotheses
        return [suite for suite in self.corpora.suites(run.corpus) if suite in given]

    def used_corpora(self) -> list[str]:
        """The corpora that an experiment or an external system uses."""
        return list(dict.fromkeys(run.corpus for run in self.scored()))

    def folder(self, run: Run) -> str:
        """Folder of a training run."""
        return self.files.run(*run)

    def files_named(self, name: str) -> list[str]:
        """One file of that name for every training run; ``{split}`` stands for each test set."""
        return [
            f"{self.folder(run)}/{name.format(split=split)}"
            for run in self.all()
            for split in (self.corpora.test_sets(run.corpus) if "{split}" in name else [""])
        ]

    def test_scores(self, wildcards: Wildcards) -> list[str]:
        """Input function: the scores of the job's run on each test set."""
        folder = self.files.run(wildcards.corpus, wildcards.experiment, wildcards.seed)
        return [f"{folder}/scores/{split}.tsv" for split in self.corpora.scored_sets(wildcards.corpus)]

    def translated_files(self, name: str) -> list[str]:
        """One file of that name for every run and each test set, ``{split}``, that it has translations of."""
        return [
            f"{self.folder(run)}/{name.format(split=split)}" for run in self.scored() for split in self.test_sets(run)
        ]

    def scored_files(self, name: str) -> list[str]:
        """The same for the test sets that have references."""
        return [
            f"{self.folder(run)}/{name.format(split=split)}" for run in self.scored() for split in self.scored_sets(run)
        ]

    def system(self, wildcards: Wildcards) -> str:
        """Name of the system of the job's experiment; it is the same for all that come from outside as files."""
        if self.is_external(wildcards.corpus, wildcards.experiment):
            return LLM if self.is_asked(wildcards.corpus, wildcards.experiment) else EXTERNAL
        return self.config.experiments[wildcards.experiment].system

    def seeds(self, corpus: str, name: str) -> list[int]:
        """The seeds of an experiment or of an external system of a corpus."""
        section = self.config.experiments.get(name) or self.config.corpora[corpus].systems[name]
        return section.seeds

    def seed_in(self, corpus: str, name: str, seed: int | str) -> int:
        """The seed of such an experiment or system that runs of ``seed`` start from: the same where it has it."""
        seeds = self.seeds(corpus, name)
        return int(seed) if int(seed) in seeds else seeds[0]

    def initial_model(self, wildcards: Wildcards) -> list[str]:
        """The model that the job's run starts from, the pretrained one or an experiment's; none for a first stage."""
        first = self.config.experiments[wildcards.experiment].initialised_from
        if first is None:
            return []
        if first == PRETRAINED:
            return [f"{self.files.results}/{wildcards.corpus}/pretrained/model.safetensors"]
        corpus = corpus_of_first(self.config, first, wildcards.corpus)
        assert corpus is not None, first
        seed = self.seed_in(corpus, first, wildcards.seed)
        return [f"{self.files.run(corpus, first, seed)}/model.safetensors"]

    def draft_of(self, corpus: str, experiment: str, seed: int | str) -> tuple[str, int | str]:
        """Experiment and seed whose translations are the draft of a run: those of its very first stage."""
        for first in predecessors(self.config.experiments, experiment):
            experiment, seed = first, self.seed_in(corpus, first, seed)
        return experiment, seed

    def is_draft(self, corpus: str, experiment: str) -> bool:
        """Whether the translations of an experiment are the draft that a run on the corpus reads."""
        return (corpus, experiment) in self._drafts

    @cached_property  # every job that looks at translations asks, which are thousands
    def _drafts(self) -> set[tuple[str, str]]:
        """Corpora and experiments whose translations are a draft."""
        drafted = {name for name in self.config.experiments if decoding_kind(self.config, name).drafted}
        return {(run.corpus, self.draft_of(*run)[0]) for run in self.all() if run.experiment in drafted}


def shortlist_option(wildcards: Wildcards, input: NamedInput) -> list[str]:
    """Params function: the translations of subwords as an option of the command, where there are any."""
    return ["--subword-translations", *input["subword_translations"]] if input["subword_translations"] else []


def tuned_option(wildcards: Wildcards, input: NamedInput) -> list[str]:
    """Params function: the values of decoding that are chosen on dev as an option of the command, if there are any."""
    return ["--tuned", *input["tuned"]] if input["tuned"] else []
