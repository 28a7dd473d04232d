"""The plan of a run: everything that rules take from a configuration, by topic."""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from discourse_nmt.workflow.checks.programs import Need
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.jobs.parameters import Parameters
from discourse_nmt.workflow.plan.analyses import STAGE_OF_RULE, Analyses
from discourse_nmt.workflow.plan.comparisons import Comparisons
from discourse_nmt.workflow.plan.corpora import Corpora
from discourse_nmt.workflow.plan.data import DataFiles
from discourse_nmt.workflow.plan.labellers import Labellers
from discourse_nmt.workflow.plan.language_models import LanguageModels
from discourse_nmt.workflow.plan.papers import PaperTables
from discourse_nmt.workflow.plan.parsers import Parsers
from discourse_nmt.workflow.plan.report import Report
from discourse_nmt.workflow.plan.runs import Runs
from discourse_nmt.workflow.plan.scores import ScorePlan
from discourse_nmt.workflow.plan.structures import StructurePlan
from discourse_nmt.workflow.sizing.parts import PartPlan

TRAINING_TARGETS = {"train", "translate", "models", "score", "report", "table"}


class Plan:
    """The plan of a run, from a configuration that is checked and has every default.

    Each attribute is one topic. Methods whose only arguments are ``wildcards`` (and ``input``) are input or params
    functions of rules; ``Input function`` or ``Params function`` at the beginning of a docstring says that a method
    is one or returns one. ``stored`` gives the names in remote storage that match a pattern.
    """

    def __init__(self, config: Configuration, stored: Callable[[str], list[str]] | None = None) -> None:
        self.config = config
        self.files = files = Files(config, stored)
        self.parts = PartPlan(config, files)
        self.parameters = parameters = Parameters(config)
        self.data = data = DataFiles(config, files)
        self.corpora = corpora = Corpora(config, files, data, parameters)
        self.runs = runs = Runs(config, files, corpora, parameters)
        self.analyses = analyses = Analyses(config, files, corpora)
        self.structures = structures = StructurePlan(config, files, runs, analyses, parameters)
        self.labellers = labellers = Labellers(config, files, runs, analyses, parameters)
        self.parsers = parsers = Parsers(config, files, data)
        self.comparisons = comparisons = Comparisons(config, runs, analyses)
        self.scores = ScorePlan(config, files, corpora, runs, structures, labellers, comparisons, parsers)
        self.papers = PaperTables(config, files, runs, labellers)
        self.language_models = LanguageModels(config, files, runs, analyses)
        self.report = Report(config, files, corpora, runs, analyses, structures, parameters)

    def look_up(self, words: Collection[str]) -> None:
        """Look up every file that no rule makes, so that a missing one is told before any job and in one line.

        ``words`` are those of the command line, among which are its targets: Snakemake does not know them yet, and
        prints what an input function raises with a traceback.
        """
        if {"analyse", "documents_jsonl", "chats"} & set(words):
            self.analyses.all_annotation()
        if TRAINING_TARGETS & set(words):
            self.structures.check_annotation()
            self.language_models.look_up()
        if "data" in words:
            self.data.manifests()
        if {"labellers", "table"} & set(words):
            self.labellers.check_sources()
        # Each is looked up once and kept.
        _ = self.report.documents, self.corpora.sources, self.corpora.checkpoints
        _ = self.corpora.contrastive, self.corpora.suite_sources, self.corpora.hypotheses

    def needs(self, jobs: Iterable[Any]) -> Iterator[Need]:
        """What Snakemake's ``jobs`` need of the user's machine, for :func:`.check_needs`."""
        for job in jobs:
            rule, wildcards = job.rule.name, job.wildcards
            if rule == "run_metric":
                yield from self.scores.metric_needs(wildcards)
            elif rule == "ask_language_model":
                yield from self.language_models.needs(wildcards)
            elif rule in STAGE_OF_RULE:
                yield from self.analyses.needs(rule, wildcards)
