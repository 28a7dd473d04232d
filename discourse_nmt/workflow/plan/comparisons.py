"""Comparisons: runs beside those of their baseline, analyses beside the one that they are compared with."""

from collections.abc import Callable
from dataclasses import dataclass

from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.interface import InputFunction, Wildcards
from discourse_nmt.workflow.plan.analyses import Analyses
from discourse_nmt.workflow.plan.runs import Run, Runs
from discourse_nmt.workflow.sections.analyses import compared_sides, compared_tables_of
from discourse_nmt.workflow.sections.experiments import baseline_of, tested_groups


@dataclass(frozen=True)
class Comparisons:
    """What is compared, and the files that each comparison reads."""

    config: Configuration
    runs: Runs
    analyses: Analyses

    def compared_runs(self, wildcards: Wildcards) -> tuple[list[Run], list[Run]]:
        """The runs that a job compares, and the run of the baseline beside each.

        There is one run where the output names a seed, else one for each seed of the experiment.
        """
        corpus, experiment = wildcards.corpus, wildcards.experiment
        baseline = baseline_of(self.config, experiment, corpus)
        assert baseline is not None, experiment
        seed = wildcards.get("seed", "")
        seeds = [int(seed)] if seed else self.runs.seeds(corpus, experiment)
        own = [Run(corpus, experiment, seed) for seed in seeds]
        return own, [Run(corpus, baseline, self.runs.seed_in(corpus, baseline, seed)) for seed in seeds]

    def own_files(self, folder: str) -> InputFunction:
        """Input function: what the experiment's runs have in a folder, of the job's ``{metric}``, for its test set."""
        return lambda wildcards: self._files(self.compared_runs(wildcards)[0], folder, wildcards)

    def baseline_files(self, folder: str) -> InputFunction:
        """Input function: what the baseline's runs have in a folder for the job's test set."""
        return lambda wildcards: self._files(self.compared_runs(wildcards)[1], folder, wildcards)

    def own_task_files(self, wildcards: Wildcards) -> list[str]:
        """Input function: what the experiment's runs have in the folder of the job's task."""
        return self.own_files(wildcards.task)(wildcards)

    def baseline_task_files(self, wildcards: Wildcards) -> list[str]:
        """Input function: what the baseline's runs have in the folder of the job's task."""
        return self.baseline_files(wildcards.task)(wildcards)

    def _files(self, compared: list[Run], folder: str, wildcards: Wildcards) -> list[str]:
        folder = folder.format(metric=wildcards.get("metric", ""))
        return [f"{self.runs.folder(run)}/{folder}/{wildcards.split}.parquet" for run in compared]

    def seeds(self, wildcards: Wildcards) -> list[str]:
        """Params function: options of seeds and baseline, and groups of documents where they are the units."""
        own, baseline = self.compared_runs(wildcards)
        seeds = [[str(run.seed) for run in side] for side in (own, baseline)]
        groups = tested_groups(self.config, wildcards.corpus)
        options = [
            "--trainings",
            self.config.significance.trainings,
            "--seeds",
            *seeds[0],
            "--baseline",
            baseline[0].experiment,
            "--baseline-seeds",
            *seeds[1],
        ]
        return [*options, f"--groups={groups}"] if groups else options

    def significance_tables(self, folder: str, sets: Callable[[Run], list[str]]) -> list[str]:
        """The score tables of the comparisons on those of the test sets ``sets(run)`` that the baseline has, too.

        There is one for each run that has a baseline, and one over all seeds of an experiment that has several.
        """
        places: dict[str, list[str]] = {}
        over_seeds: dict[str, list[str]] = {}
        for run in self.runs.scored():
            if baseline := baseline_of(self.config, run.experiment, run.corpus):
                of_baseline = sets(run._replace(experiment=baseline))
                common = [split for split in sets(run) if split in of_baseline]
                places[self.runs.folder(run)] = common
                if len(self.runs.seeds(run.corpus, run.experiment)) > 1:
                    over_seeds[self.runs.folder(run).rpartition("/")[0]] = common
        return [f"{place}/{folder}/{split}.tsv" for place, of in (places | over_seeds).items() for split in of]

    def gold(self, wildcards: Wildcards) -> str:
        """The analysis that the job's analysis is compared with."""
        gold = self.config.analyses[wildcards.analysis].compared_with
        assert gold is not None, wildcards.analysis
        return gold

    def gold_folder(self, wildcards: Wildcards) -> str:
        """Folder of the annotation of that analysis."""
        return f"{self.analyses.files.results}/{wildcards.corpus}/discourse/{self.gold(wildcards)}/{wildcards.side}"

    def tables(self, wildcards: Wildcards) -> list[str]:
        """The tables of the job's analysis that are compared, and those that a comparison needs beside them."""
        return compared_tables_of(self.config, wildcards.analysis, self.gold(wildcards))

    def predicted_annotation(self, wildcards: Wildcards) -> list[str]:
        """Input function: the tables that a comparison reads of the analysis."""
        return self._annotation(wildcards, wildcards.analysis)

    def gold_annotation(self, wildcards: Wildcards) -> list[str]:
        """Input function: the tables that a comparison reads of the analysis it is compared with."""
        return self._annotation(wildcards, self.gold(wildcards))

    def _annotation(self, wildcards: Wildcards, analysis: str) -> list[str]:
        present = self.config.analyses[analysis].tables
        return [
            path
            for table in self.tables(wildcards)
            if table in present
            for path in self.analyses.annotation(wildcards.corpus, analysis, wildcards.side, table, wildcards.split)
        ]

    def analysis_tables(self) -> list[str]:
        """The score tables of every comparison of analyses."""
        return [
            f"{self.analyses.files.results}/{corpus}/discourse/{name}/{side}/scores/{split}.tsv"
            for name in self.config.analyses
            for corpus, side in compared_sides(self.config, name)
            for split in self.runs.corpora.scored_sets(corpus)
        ]
