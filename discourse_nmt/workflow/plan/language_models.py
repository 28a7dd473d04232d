"""Language models: what their prompts read, and where their answers are kept."""

import os
from dataclasses import dataclass
from pathlib import Path

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.settings import as_json, nearest
from discourse_nmt.language_models.settings import FORMS, LanguageModelSettings
from discourse_nmt.workflow.checks.programs import Need, NeededProgram, NeededVariable
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.jobs.interface import Wildcards, told_in_one_line, warn_once
from discourse_nmt.workflow.jobs.parameters import canonical
from discourse_nmt.workflow.plan.analyses import Analyses
from discourse_nmt.workflow.plan.runs import Run, Runs
from discourse_nmt.workflow.reruns.fingerprint import files_digest

ANSWERS = "work/language_models"  # of all runs: a request is paid for once
CHAT_FILES = [*(f"{form}.jsonl" for form in FORMS), "README.md"]


@dataclass(frozen=True)
class LanguageModels:
    """The language models of a configuration."""

    config: Configuration
    files: Files
    runs: Runs
    analyses: Analyses

    @property
    def names(self) -> list[str]:
        """The experiments with a language model."""
        return list(dict.fromkeys(run.experiment for run in self.runs.external() if self.is_asked(run)))

    def is_asked(self, run: Run) -> bool:
        """Whether the translations of a run are those of a language model."""
        return self.runs.is_asked(run.corpus, run.experiment)

    def settings(self, wildcards: Wildcards) -> LanguageModelSettings:
        """The settings of the job's language model."""
        settings = self.config.corpora[wildcards.corpus].systems[wildcards.experiment].language_model
        assert settings is not None, wildcards.experiment
        return settings

    def settings_option(self, wildcards: Wildcards) -> str:
        """Params function: the same as JSON."""
        return canonical(as_json(self.settings(wildcards)))

    def owner(self, wildcards: Wildcards) -> str:
        """Params function: the name under which the answers that the job pays for are kept."""
        return f"{self.config.run}/{wildcards.corpus}/{wildcards.experiment}"

    def look_up(self) -> None:
        """Look up templates, glossaries and annotation, so that a fault is told before any job and in one line."""
        for run in filter(self.is_asked, self.runs.external()):
            system = self.config.corpora[run.corpus].systems[run.experiment]
            key = f"experiments.{run.experiment}"
            with told_in_one_line(f"config: {key}"):
                assert system.language_model is not None
                variable = system.language_model.key_variable
                if variable is not None and not os.environ.get(variable):
                    warn_once(f"{key}: the environment variable {variable} is not set; the server wants its key")
                glossary = system.language_model.glossary
                if glossary is not None and not Path(glossary).is_file():
                    raise InputError("no such file", file=glossary, remedy=f"put it there, or correct {key}.settings")
                for test_set in system.hypotheses:
                    self._tables(run.corpus, run.experiment, test_set)

    def needs(self, wildcards: Wildcards) -> list[Need]:
        """What the job needs of the user's machine: a program, or the key of a server."""
        key, settings = f"experiments.{wildcards.experiment}.settings", self.settings(wildcards)
        if settings.address is None:
            return [NeededProgram(f"{key}.command", tuple(settings.command))]
        return [NeededVariable(f"{key}.key_variable", name) for name in [settings.key_variable] if name is not None]

    def prompt_files_digest(self, wildcards: Wildcards) -> str:
        """Params function: a digest of the template and the glossary of the job's language model."""
        # Loaded only where it is needed: it loads Jinja and numpy, and every start of the workflow waits for the plan.
        from discourse_nmt.language_models.prompt_files import template_text

        settings = self.settings(wildcards)
        template, _ = template_text(settings.template)
        return files_digest([template, *(Path(one) for one in [settings.glossary] if one)])

    def tables(self, wildcards: Wildcards) -> list[str]:
        """Input function: the annotation that the prompts of the job read."""
        tables = self._tables(wildcards.corpus, wildcards.experiment, wildcards.split)
        return [file for files in tables.values() for file in files]

    def table_options(self, wildcards: Wildcards) -> list[str]:
        """Params function: the same as options of the command."""
        tables = self._tables(wildcards.corpus, wildcards.experiment, wildcards.split)
        return [f"{table}={file}" for table, files in tables.items() for file in files]

    def _tables(self, corpus: str, experiment: str, split: str) -> dict[str, list[str]]:
        system = self.config.corpora[corpus].systems[experiment]
        assert system.language_model is not None, experiment
        from discourse_nmt.language_models.prompt_files import needed_tables

        tables = needed_tables(system.language_model)
        if tables and system.analysis not in self.config.analyses:
            remedy = nearest(system.analysis, self.config.analyses)
            raise InputError(f"no analysis {system.analysis}, whose {tables[0]} prompts read", remedy=remedy)
        return {table: self.analyses.annotation(corpus, system.analysis, "source", table, split) for table in tables}

    def earlier(self, wildcards: Wildcards) -> list[str]:
        """Input function: the translations that the job's language model is asked for before, where it has a budget.

        Jobs that share a budget run one after the other: each counts what was paid before.
        """
        settings = self.settings(wildcards)
        if settings.budget_requests is None and settings.budget_tokens is None:
            return []
        system = self.config.corpora[wildcards.corpus].systems[wildcards.experiment]
        order = [(seed, test_set) for seed in system.seeds for test_set in system.hypotheses]
        place = order.index((int(wildcards.seed), wildcards.split))
        return [
            f"{self.files.run(wildcards.corpus, wildcards.experiment, seed)}/language_model/{test_set}.jsonl"
            for seed, test_set in order[:place][-1:]
        ]

    def chats(self) -> list[str]:
        """Every file that the target chats makes: one set for each split with a target side, by corpus and analysis."""
        folders = [
            path.replace("/documents_jsonl/", "/chats/").removesuffix(".jsonl") for path in self.analyses.exported()
        ]
        return [f"{folder}/{name}" for folder in folders for name in CHAT_FILES]

    def answers(self, wildcards: Wildcards) -> list[str]:
        """Input function: the answers that the job's translations were read from; none of other systems."""
        folder = self.files.run(wildcards.corpus, wildcards.experiment, wildcards.seed)
        asked = self.runs.is_asked(wildcards.corpus, wildcards.experiment)
        return [f"{folder}/language_model/{wildcards.split}.parquet"] if asked else []
