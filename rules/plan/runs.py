"""Training runs: which there are, what each starts from, and the drafts that some of them read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from discourse_nmt.rules.plan.corpora import Corpora
from discourse_nmt.rules.plan.files import Files
from discourse_nmt.rules.plan.jobs import Wildcards
from discourse_nmt.rules.sections.pretrained import PRETRAINED


class Run(NamedTuple):
    """One training run."""

    corpus: str
    experiment: str
    seed: int


@dataclass(frozen=True)
class Runs:
    """The training runs of a configuration."""

    config: Mapping[str, Any]
    files: Files
    corpora: Corpora

    def all(self) -> list[Run]:
        """Every training run."""
        return [
            Run(corpus, name, seed)
            for name, experiment in self.config["experiments"].items()
            for corpus in experiment.get("corpora", self.config["corpora"])
            for seed in experiment["seeds"]
        ]

    def used_corpora(self) -> list[str]:
        """The corpora that an experiment uses."""
        return list(dict.fromkeys(run.corpus for run in self.all()))

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
        return [f"{folder}/scores/{split}.tsv" for split in self.corpora.test_sets(wildcards.corpus)]

    def system(self, wildcards: Wildcards) -> str:
        """Name of the system of the job's experiment."""
        system: str = self.config["experiments"][wildcards.experiment]["system"]
        return system

    def seed_in(self, experiment: str, seed: int | str) -> int:
        """The seed of the run of ``experiment`` that runs of ``seed`` start from: the same where it has it."""
        seeds: list[int] = self.config["experiments"][experiment]["seeds"]
        return int(seed) if int(seed) in seeds else seeds[0]

    def initial_model(self, wildcards: Wildcards) -> list[str]:
        """The model that the job's run starts from, the pretrained one or an experiment's; none for a first stage."""
        first = self.config["experiments"][wildcards.experiment]["initialised_from"]
        if first is None:
            return []
        if first == PRETRAINED:
            return [f"{self.files.results}/{wildcards.corpus}/pretrained/model.safetensors"]
        seed = self.seed_in(first, wildcards.seed)
        return [f"{self.files.run(wildcards.corpus, first, seed)}/model.safetensors"]

    def draft_of(self, experiment: str, seed: int | str) -> tuple[str, int | str]:
        """Experiment and seed whose translations are the draft of a run: those of its very first stage."""
        while (first := self.config["experiments"][experiment]["initialised_from"]) not in (None, PRETRAINED):
            experiment, seed = first, self.seed_in(first, seed)
        return experiment, seed
