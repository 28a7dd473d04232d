"""Scores of training runs: what each is computed from, and all score tables of a run of the workflow."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from discourse_nmt import PACKAGE
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import as_json
from discourse_nmt.text.stop_words import stop_word_file
from discourse_nmt.workflow.checks.analyses import check_annotation
from discourse_nmt.workflow.checks.programs import Need, NeededFile, NeededProgram
from discourse_nmt.workflow.configuration.general import MetricSettings
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.jobs.interface import InputFunction, NamedInput, Wildcards
from discourse_nmt.workflow.jobs.parameters import canonical
from discourse_nmt.workflow.plan.comparisons import Comparisons
from discourse_nmt.workflow.plan.corpora import Corpora
from discourse_nmt.workflow.plan.labellers import Labellers
from discourse_nmt.workflow.plan.parsers import Parsers
from discourse_nmt.workflow.plan.runs import Run, Runs
from discourse_nmt.workflow.plan.structures import StructurePlan
from discourse_nmt.workflow.reruns.fingerprint import files_digest
from discourse_nmt.workflow.sections.experiments import tested_groups

REPORTS = PACKAGE / "scoring" / "reports"
CACHE_TEMPLATES = [
    REPORTS / name for name in ("caches.html", "caches.css", "templates/base.html", "templates/style.css")
]


@dataclass(frozen=True)
class ScorePlan:
    """The scores of a run of the workflow."""

    config: Configuration
    files: Files
    corpora: Corpora
    runs: Runs
    structures: StructurePlan
    labellers: Labellers
    comparisons: Comparisons
    parsers: Parsers

    def tables(self) -> list[str]:
        """The score tables that are gathered in one. No score may be in two of them."""
        document_scores = "document_scores/{split}.tsv"
        return [
            *self.labellers.used_tables(),
            *self.runs.scored_files("scores/{split}.tsv"),
            *self.information_tables(),
            *(self.runs.scored_files(document_scores) if self.config.document_metrics.compute else []),
            *self.comparisons.significance_tables("significance", self.runs.scored_sets),
            *self.comparisons.significance_tables("contrastive_significance", self.contrastive_sets),
            *self.comparisons.significance_tables("generation_significance", self.generation_sets),
            *self.comparisons.analysis_tables(),
            *self.parsers.score_tables("rows"),
            *self.suite_tables(),
            *self.rule_tables(),
            *self.metric_tables(),
        ]

    def metric_tables(self) -> list[str]:
        """The score tables of the user's metrics, and of their comparisons."""
        return [
            path
            for metric in self.config.metrics
            for path in (
                *self.runs.scored_files(f"metric_scores/{metric}/{{split}}.tsv"),
                *self.comparisons.significance_tables(f"metric_significance/{metric}", self.runs.scored_sets),
            )
        ]

    def metric(self, wildcards: Wildcards) -> MetricSettings:
        """The settings of the job's metric."""
        return self.config.metrics[wildcards.metric]

    def metric_command(self, wildcards: Wildcards) -> list[str]:
        """Params function: the command of the job's metric."""
        return self.metric(wildcards).command

    def metric_better(self, wildcards: Wildcards) -> str:
        """Params function: which scores of the job's metric are better."""
        return self.metric(wildcards).better

    def metric_time_limit(self, wildcards: Wildcards) -> list[str]:
        """Params function: the time limit of the job's metric, as an option."""
        limit = self.metric(wildcards).time_limit
        return [] if limit is None else ["--time-limit", str(limit)]

    def metric_texts(self, wildcards: Wildcards) -> str:
        """Params function: what stands in a line of the files of the job's metric."""
        return canonical(as_json(self.metric(wildcards).texts))

    def metric_digest(self, wildcards: Wildcards) -> str:
        """Params function: a digest of the files that the settings of the job's metric name."""
        metric = self.metric(wildcards)
        named = [*metric.command, *([metric.texts.subwords] if metric.texts.subwords else [])]
        return files_digest(Path(word) for word in named if Path(word).is_file())

    def metric_needs(self, wildcards: Wildcards) -> list[Need]:
        """What the job's metric needs of the user's machine."""
        key, metric = f"metrics.{wildcards.metric}", self.metric(wildcards)
        subwords = [metric.texts.subwords] if metric.texts.subwords else []
        return [
            NeededProgram(f"{key}.command", tuple(metric.command)),
            *(NeededFile(f"{key}.texts.subwords", path) for path in subwords),
        ]

    def contrastive_sets(self, run: Run) -> list[str]:
        """The test sets and suites of a run's corpus that its system scores given translations of."""
        return [] if self.runs.is_external(run.corpus, run.experiment) else list(self.corpora.contrastive[run.corpus])

    def generation_sets(self, run: Run) -> list[str]:
        """The test sets and suites of which a run has translations that are searched for right and wrong forms."""
        items = self.config.corpora[run.corpus].contrastive
        return [*(split for split in self.runs.scored_sets(run) if split in items), *self.runs.translated_suites(run)]

    def contrastive(self, wildcards: Wildcards) -> list[str]:
        """Input function: the scores of the contrastive items of a test set or suite, where there are such items."""
        return self._of_items("contrastive", wildcards, self.contrastive_sets)

    def generation(self, wildcards: Wildcards) -> list[str]:
        """Input function: the judged translations of a test set or suite, where it has items that ask for forms."""
        return self._of_items("generation", wildcards, self.generation_sets)

    def normalised_sides(self, wildcards: Wildcards) -> list[str]:
        """Params function: the sides that the job's system reads normalised; none of an external system."""
        if self.runs.is_external(wildcards.corpus, wildcards.experiment):
            return []
        return self.corpora.normalised_sides(wildcards.corpus)

    def output_alignment(self, wildcards: Wildcards) -> list[str]:
        """Input function: how the output of an external system is aligned; none for a system of the project."""
        folder = self.files.run(wildcards.corpus, wildcards.experiment, wildcards.seed)
        external = self.runs.is_external(wildcards.corpus, wildcards.experiment)
        return [f"{folder}/output_alignment/{wildcards.split}.parquet"] if external else []

    def information_tables(self) -> list[str]:
        """The tables of CXMI of every training run; none without controls."""
        return [
            f"{self.runs.folder(run)}/information_scores/{split}.tsv"
            for run in (self.runs.all() if self.config.document_metrics.controls else [])
            for split in self.runs.scored_sets(run)
        ]

    def groups_option(self, wildcards: Wildcards) -> list[str]:
        """Params function: groups of documents as an option, where scores are drawn by them."""
        groups = tested_groups(self.config, wildcards.corpus)
        return [f"--groups={groups}"] if groups else []

    def _of_items(self, folder: str, wildcards: Wildcards, sets: Callable[[Run], list[str]]) -> list[str]:
        run = Run(wildcards.corpus, wildcards.experiment, int(wildcards.seed))
        return [f"{self.runs.folder(run)}/{folder}/{wildcards.split}.parquet"] if wildcards.split in sets(run) else []

    def items(self, wildcards: Wildcards) -> str:
        """Input function: the items of a test set or suite."""
        if self.corpora.is_generated(wildcards.corpus, wildcards.split):
            return self.corpora.suite_items(wildcards.corpus, wildcards.split)
        return self.corpora.contrastive_items(wildcards)

    def items_option(self, wildcards: Wildcards) -> str:
        """Params function: the option that these are given with."""
        return "--expected" if self.corpora.is_generated(wildcards.corpus, wildcards.split) else "--contrastive"

    def asked(self, wildcards: Wildcards) -> list[str]:
        """Input function: the items of the job's suite, whose sentences alone are looked at.

        None of a test set, and of a system whose translations are a draft, which is analysed whole.
        """
        suite = wildcards.split in self.corpora.suites(wildcards.corpus)
        whole = self.runs.is_draft(wildcards.corpus, wildcards.experiment)
        return [self.corpora.suite_items(wildcards.corpus, wildcards.split)] if suite and not whole else []

    def asked_option(self, wildcards: Wildcards, input: NamedInput) -> list[str]:
        """Params function: these items as an option of the command."""
        return [self.items_option(wildcards), *input["asked"]] if input["asked"] else []

    def suite_tables(self) -> list[str]:
        """The score tables of every run on each suite that it scores or has translations of."""
        return [
            f"{self.runs.folder(run)}/suites/{suite}.tsv"
            for run in self.runs.scored()
            for suite in self.corpora.suites(run.corpus)
            if suite in (*self.contrastive_sets(run), *self.generation_sets(run))
        ]

    def rule_tables(self) -> list[str]:
        """The score tables of the rules that guess the forms of suites of address, of corpora with systems."""
        return [
            f"{self.files.results}/{corpus}/suites/{name}.rules.tsv"
            for corpus in dict.fromkeys(run.corpus for run in self.runs.scored())
            for name, suite in self.config.corpora[corpus].suites.items()
            if suite.format == "address" and suite.options.get("scene") != "another"
        ]

    def measured_annotation(self, table: str) -> InputFunction:
        """Input function of document metrics: a table of the analysis that they use.

        There is none where the analysis is not about the job's corpus, or has no analyser for its language.
        """

        def files(wildcards: Wildcards) -> list[str]:
            analysis, analyses = self.config.document_metrics.analysis, self.structures.analyses
            if analysis is None or wildcards.corpus not in analyses.corpora_of(analysis):
                return []
            try:
                check_annotation(self.config, wildcards.corpus, analysis, "source", table)
            except InputError:
                return []
            return analyses.annotation(wildcards.corpus, analysis, "source", table, wildcards.split)

        return files

    def stop_words(self, wildcards: Wildcards) -> list[str]:
        """The stop words of the source language, where there is a list."""
        try:
            return [str(stop_word_file(self.corpora.source_language(wildcards)))]
        except InputError:
            return []

    def stop_words_digest(self, wildcards: Wildcards) -> str:
        """A digest of these stop words."""
        return files_digest(map(Path, self.stop_words(wildcards)))

    def cache_files(self) -> list[str]:
        """Table and page of every run whose system has a theme-rheme cache, for each test set."""
        return [
            f"{self.runs.folder(run)}/cache/{split}.{ending}"
            for run in self.runs.all()
            if self.structures.kind(run.experiment) == "cache_words"
            for split in self.corpora.test_sets(run.corpus)
            for ending in ("tsv", "html")
        ]
