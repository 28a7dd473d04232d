"""Labellers of themes: their labelled words, the models whose encoders they read, their score tables."""

import dataclasses
from dataclasses import dataclass
from functools import cached_property

from snakemake.exceptions import WorkflowError

from discourse_nmt.discourse.themes.imported import ImportedWords
from discourse_nmt.models.systems import SYSTEMS
from discourse_nmt.workflow.checks.labellers import check_words
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.jobs.interface import ParamsFunction, Wildcards, names_regex, told_in_one_line
from discourse_nmt.workflow.jobs.parameters import Parameters, canonical, code
from discourse_nmt.workflow.plan.analyses import Analyses
from discourse_nmt.workflow.plan.runs import Runs
from discourse_nmt.workflow.sections.experiments import corpus_of_first
from discourse_nmt.workflow.sections.labellers import imported_words, labeller_switches, labeller_training


@dataclass(frozen=True)
class Labellers:
    """The labellers of a configuration."""

    config: Configuration
    files: Files
    runs: Runs
    analyses: Analyses
    parameters: Parameters

    @cached_property
    def imported(self) -> dict[str, ImportedWords | None]:
        """By labeller, the labelled corpus that it learns from; None where an analysis labels the words."""
        return {name: imported_words(self.config, name) for name in self.config.labellers}

    def regex(self, imported: bool) -> str:
        """A regular expression for the names of the labellers with or without a labelled corpus of their own."""
        return names_regex(name for name, words in self.imported.items() if (words is not None) == imported)

    def folder(self, corpus: str, labeller: str, experiment: str, seed: int | str) -> str:
        """Folder of one trained labeller; it reads the encoder of that experiment's model of that seed."""
        return f"{self.files.results}/{corpus}/labellers/{labeller}/{experiment}/seed{seed}"

    def folders_of(self, corpus: str, experiment: str, seed: int | str) -> list[str]:
        """The folder of the labeller that a training run takes over, if any; it reads the model the run starts from."""
        section = self.config.experiments[experiment]
        labeller, first = section.labeller, section.initialised_from
        if labeller is None or first is None:
            return []
        read = corpus_of_first(self.config, first, corpus)
        assert read is not None, experiment
        return [self.folder(read, labeller, first, self.runs.seed_in(read, first, seed))]

    def of_run(self, wildcards: Wildcards) -> list[str]:
        """Input function: the labeller that the job's training run takes over, if any."""
        folders = self.folders_of(wildcards.corpus, wildcards.experiment, wildcards.seed)
        return [f"{folder}/labeller.safetensors" for folder in folders]

    def used_tables(self) -> list[str]:
        """The score tables of the labellers that experiments use."""
        return sorted({f"{folder}/scores.tsv" for run in self.runs.all() for folder in self.folders_of(*run)})

    def all_tables(self) -> list[str]:
        """Those, and the ones of every labeller and model that the configuration names under labellers."""
        named = {
            f"{self.folder(run.corpus, labeller, run.experiment, run.seed)}/scores.tsv"
            for labeller, section in self.config.labellers.items()
            for run in self.runs.all()
            if run.experiment in section.experiments
        }
        return sorted(named.union(self.used_tables()))

    def words(self, split: str) -> ParamsFunction:
        """Input function: the table of the labelled words of a split."""
        return lambda wildcards: self._words(wildcards, split)

    def test_words(self, wildcards: Wildcards) -> list[str]:
        """Input function: the tables of labelled words on which the job's labeller is scored."""
        imported = self.imported[wildcards.labeller]
        splits = ["test"] if imported else self.runs.corpora.scored_sets(wildcards.corpus)
        return [self._words(wildcards, split) for split in splits]

    def _words(self, wildcards: Wildcards, split: str) -> str:
        return f"{self.files.results}/{wildcards.corpus}/labellers/{wildcards.labeller}/words/{split}.parquet"

    def sources(self, labeller: str) -> list[str]:
        """The files of a labelled corpus; a missing one is an error of one line."""
        words = self.imported[labeller]
        if words is None:
            return []
        files: set[str] = set()
        for pattern in words.files:
            matching = self.files.matching(pattern)
            if not matching:
                remedy = words.where or f"put it there, or correct labellers.{labeller}.imported.files"
                raise WorkflowError(f"labeller {labeller}: no file {pattern}; {remedy}")
            files.update(matching)
        return sorted(files)

    def imported_sources(self, wildcards: Wildcards) -> list[str]:
        """Input function: the files of the labelled corpus of the job's labeller."""
        return self.sources(wildcards.labeller)

    def import_settings(self, wildcards: Wildcards) -> str:
        """What the import of labelled words depends on."""
        words = self.imported[wildcards.labeller]
        assert words is not None, wildcards.labeller
        return canonical(dataclasses.asdict(words) | {"where": ""})

    def themes(self, wildcards: Wildcards) -> list[str]:
        """Input function: the tables of themes that give a corpus's words their labels."""
        with told_in_one_line("config"):
            check_words(self.config, wildcards.labeller, wildcards.corpus)
        analysis = self.config.labellers[wildcards.labeller].analysis
        return self.analyses.annotation(wildcards.corpus, analysis, "source", "themes", wildcards.split)

    def model(self, wildcards: Wildcards) -> list[str]:
        """Input function: the model whose encoder the job's labeller reads; none for one that reads words."""
        if labeller_switches(self.config, wildcards.labeller).network == "characters":
            return []
        return [f"{self.files.run(wildcards.corpus, wildcards.experiment, wildcards.seed)}/model.safetensors"]

    def code(self, wildcards: Wildcards) -> str:
        """Fingerprint of the training of a labeller on an experiment's model, whose network is loaded by name."""
        system = SYSTEMS[self.runs.system(wildcards)]
        return code("train.train_labeller", system.module, *self.parameters.subword_modules(wildcards.corpus))

    def settings(self, wildcards: Wildcards) -> str:
        """Params function: the switches of the job's labeller, with every default."""
        return canonical(dataclasses.asdict(labeller_switches(self.config, wildcards.labeller)))

    def training(self, wildcards: Wildcards) -> str:
        """Params function: the training of the job's labeller, with every default."""
        return canonical(dataclasses.asdict(labeller_training(self.config, wildcards.labeller)))

    def check_sources(self) -> None:
        """Raise an error of one line for a missing file of any labelled corpus."""
        for labeller in self.imported:
            self.sources(labeller)
