"""Analyses of discourse: the files of annotation, and the inputs and parameters of the analysers that make them."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import cast

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.backends import registry
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.backends.builtin.models import model_files
from discourse_nmt.discourse.settings import (
    BackendSettings,
    BuiltinSettings,
    CommandSettings,
    ImportSettings,
    RstSettings,
    Side,
    StanzaSettings,
)
from discourse_nmt.workflow.checks.analyses import check_annotation
from discourse_nmt.workflow.checks.programs import Need, NeededProgram
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.jobs.interface import ParamsFunction, Wildcards, told_in_one_line, warn_once
from discourse_nmt.workflow.jobs.parameters import canonical, code
from discourse_nmt.workflow.plan.corpora import Corpora
from discourse_nmt.workflow.reruns.fingerprint import files_digest
from discourse_nmt.workflow.sections.analyses import backend_of, conversion_of, settings_of
from discourse_nmt.workflow.sections.graphs import graph_tables, missing_models

# Rules of the discourse stages by the table they make.
ANALYSER_RULES: dict[Stage, str] = {
    "syntax": "analyse_syntax",
    "edus": "segment_edus",
    "rst": "parse_rst",
    "coreference": "resolve_coreference",
    "themes": "label_themes",
}
# The stage whose backend a rule runs.
STAGE_OF_RULE: dict[str, Stage] = {rule: stage for stage, rule in ANALYSER_RULES.items()} | {
    "analyse_draft_syntax": "syntax",
    "resolve_draft_coreference": "coreference",
    "parse_instances": "rst",
    "parse_paragraphs": "rst",
}


@dataclass(frozen=True)
class Analyses:
    """The analyses of a configuration."""

    config: Configuration
    files: Files
    corpora: Corpora

    def corpora_of(self, analysis: str) -> list[str]:
        """The corpora that an analysis is about."""
        return list(self.config.analyses[analysis].corpora or self.config.corpora)

    @cached_property
    def backends(self) -> dict[tuple[str, str, Stage], BackendSettings]:
        """The settings of the backend of every analysis, side and stage."""
        return {
            (name, side, stage): settings_of(analysis, side, stage)
            for name, analysis in self.config.analyses.items()
            for side in ("source", "target")
            for stage in ANALYSER_RULES
        }

    @cached_property
    def stages(self) -> Callable[[str, str, str, str], list[Stage]]:
        """The stages that make a table of a corpus, analysis and side: :func:`.check_annotation`, once for each."""
        return cache(partial(check_annotation, self.config))

    def settings(self, wildcards: Wildcards, stage: Stage) -> BackendSettings:
        """The settings of a stage's backend on the job's side."""
        return self.backends[wildcards.analysis, wildcards.side, stage]

    def module(self, analysis: str, side: str, stage: Stage) -> str:
        """The module of the backend that an analysis chooses for a stage."""
        return registry.module_of(stage, backend_of(self.config.analyses[analysis], side, stage))

    def annotation(self, corpus: str, analysis: str, side: str, table: str, split: str) -> list[str]:
        """The files of a table of annotation, for a job or a target that reads it.

        A language for which the analysis has no analyser and a missing file to import are errors of one line.
        """
        with told_in_one_line("config"):
            for stage in self.stages(corpus, analysis, side, table):
                self.imported_files(corpus, analysis, side, stage, split)
        return self.files.shards(f"discourse/{analysis}/{side}/{table}", corpus, split)

    def graphs(self, wildcards: Wildcards) -> list[str]:
        """Input function: the word graphs of the job's side and split."""
        return self.annotation(wildcards.corpus, wildcards.analysis, wildcards.side, "document_graph", wildcards.split)

    def all_annotation(self) -> list[str]:
        """Every file that the target analyse makes."""
        return [
            path
            for name, analysis in self.config.analyses.items()
            for corpus in self.corpora_of(name)
            for side in analysis.sides
            for table in analysis.tables
            for split in self.corpora.splits(corpus)
            if self.covers(corpus, name, side, table, split)
            for path in self.annotation(corpus, name, side, table, split)
        ]

    def exported(self) -> list[str]:
        """Every file that the target documents_jsonl makes: the splits with a target side, by corpus and analysis."""
        return [
            f"{self.files.results}/{corpus}/documents_jsonl/{name}/{split}.jsonl"
            for name in self.config.analyses
            for corpus in self.corpora_of(name)
            for split in self.corpora.paired_splits(corpus)
        ]

    def exported_tables(self, wildcards: Wildcards) -> dict[str, list[str]]:
        """The files of all annotation of the job's analysis and split, by side and table."""
        corpus, name, split = wildcards.corpus, wildcards.analysis, wildcards.split
        analysis = self.config.analyses[name]
        return {
            f"{side}/{table}": self.annotation(corpus, name, side, table, split)
            for side in analysis.sides
            for table in analysis.tables
            if self.covers(corpus, name, side, table, split)
        }

    def exported_files(self, wildcards: Wildcards) -> list[str]:
        """Input function: those files."""
        return [file for files in self.exported_tables(wildcards).values() for file in files]

    def exported_options(self, wildcards: Wildcards) -> list[str]:
        """Params function: the same as options of the command."""
        return [f"{name}={file}" for name, files in self.exported_tables(wildcards).items() for file in files]

    def covers(self, corpus: str, analysis: str, side: str, table: str, split: str) -> bool:
        """Whether an analysis is made of a split: one without references has no target, and may lack imported files."""
        if split in self.corpora.paired_splits(corpus):
            return True
        if side == "target":
            return False
        with told_in_one_line("config"):
            stages = self.stages(corpus, analysis, side, table)
        patterns = [
            backend.pattern(corpus, split, cast(Side, side), stage).replace("{document}", "*")
            for stage in stages
            if isinstance(backend := self.backends[analysis, side, stage], ImportSettings)
        ]
        return all(map(self.files.matching, patterns))

    def imported_files(self, corpus: str, analysis: str, side: str, stage: Stage, split: str) -> list[str]:
        """The files that a stage imports; none for another backend.

        Raises :class:`InputError` for a missing file that no rule makes.
        """
        settings = self.backends[analysis, side, stage]
        if not isinstance(settings, ImportSettings):
            return []
        pattern = settings.pattern(corpus, split, cast(Side, side), stage)
        files = self.files.matching(pattern.replace("{document}", "*"))
        if not files:
            remedy = f"put it there, or correct analyses.{analysis}.{stage}.files"
            raise InputError(f"no file {pattern} for the corpus {corpus}", remedy=remedy)
        return files

    def needs(self, rule: str, wildcards: Wildcards) -> list[Need]:
        """What a job of a ``rule`` that runs a backend needs of the user's machine: the program of a command."""
        stage = STAGE_OF_RULE[rule]
        settings = self.settings(wildcards, stage)
        if not isinstance(settings, CommandSettings):
            return []
        own = wildcards.side == "target" and stage in self.config.analyses[wildcards.analysis].target
        place = f"{wildcards.analysis}.target" if own else wildcards.analysis
        return [NeededProgram(f"analyses.{place}.{stage}.command", tuple(settings.located))]

    def _imported(self, wildcards: Wildcards, stage: Stage) -> list[str]:
        return self.imported_files(wildcards.corpus, wildcards.analysis, wildcards.side, stage, wildcards.split)

    def _shard(self, wildcards: Wildcards, table: str) -> str:
        folder = f"{self.files.text(wildcards)}/discourse/{wildcards.analysis}/{wildcards.side}"
        return f"{folder}/{table}/{wildcards.split}/{wildcards.shard}.parquet"

    def inputs(self, stage: Stage) -> Callable[[Wildcards], dict[str, str | list[str]]]:
        """Input function of a stage: sentences, earlier tables, and the file of the split that it imports."""

        def files(wildcards: Wildcards) -> dict[str, str | list[str]]:
            # For its errors: a backend without a model for the language, a missing file.
            self.annotation(wildcards.corpus, wildcards.analysis, wildcards.side, stage, wildcards.split)
            settings = self.settings(wildcards, stage)
            return {
                "sentences": f"{self.files.text(wildcards)}/corpus/{wildcards.split}/{wildcards.shard}.parquet",
                **{table: self._shard(wildcards, table) for table in registry.needed_tables(stage, settings)},
                "imported": [] if _one_per_document(settings) else self._imported(wildcards, stage),
            }

        return files

    def code(self, stage: Stage, script: str = "discourse.analyse") -> ParamsFunction:
        """Params function of a stage: the fingerprint of its script and of the backend that it uses."""
        return lambda wildcards: code(script, self.module(wildcards.analysis, wildcards.side, stage))

    def environment(self, stage: Stage) -> ParamsFunction:
        """The conda environment of a stage, which depends on its backend."""

        def path(wildcards: Wildcards) -> str:
            name = "stanza" if isinstance(self.settings(wildcards, stage), StanzaSettings) else "network"
            return f"../envs/{name}.yaml"

        return path

    def resolved(self, stage: Stage) -> ParamsFunction:
        """Params function of a stage: its section of the configuration with the backend's defaults."""

        def section(wildcards: Wildcards) -> str:
            backend = backend_of(self.config.analyses[wildcards.analysis], wildcards.side, stage)
            return canonical({"backend": backend, **dataclasses.asdict(self.settings(wildcards, stage))})

        return section

    def digest(self, stage: Stage) -> ParamsFunction:
        """Params function of a stage: a digest of its models, or of the imported files, one per document.

        They are no inputs: a fresh clone gives models other times, and there may be thousands of documents.
        """

        def digest(wildcards: Wildcards) -> str:
            settings = self.settings(wildcards, stage)
            if isinstance(settings, BuiltinSettings):
                return files_digest(model_files(stage, settings, self.corpora.side_language(wildcards)))
            if _one_per_document(settings):
                return files_digest(map(Path, self._imported(wildcards, stage)))
            if isinstance(settings, CommandSettings):
                return files_digest(Path(word) for word in settings.located if Path(word).is_file())
            if isinstance(settings, StanzaSettings) and settings.download == "never":
                return files_digest(path for path in Path(settings.folder).rglob("*") if path.is_file())
            return ""

        return digest

    def conversion(self, wildcards: Wildcards) -> RstSettings:
        """The unit that is parsed for systems, and how the trees of the job's analysis become dependencies."""
        return conversion_of(self.config.analyses[wildcards.analysis], wildcards.get("side", "source"))

    def conversion_options(self, wildcards: Wildcards) -> list[str]:
        """How trees become dependencies, as options of a command."""
        conversion = self.conversion(wildcards)
        return ["--conversion", conversion.conversion, *(["--debinarise"] if conversion.debinarise else [])]

    def graph_settings(self, wildcards: Wildcards) -> str:
        """Which words the graphs of the job's analysis link, with every default."""
        return canonical(dataclasses.asdict(self.config.analyses[wildcards.analysis].graph))

    def graph_inputs(self, wildcards: Wildcards) -> dict[str, str]:
        """Input function of a word graph: the tables of its shard that the chosen relations are made of.

        Warns once in a run of a relation without edges, as there is no model for the language.
        """
        settings = self.config.analyses[wildcards.analysis].graph
        tables = graph_tables(settings)
        backends = {stage: self.settings(wildcards, stage) for stage in tables}
        for line in missing_models(settings, self.corpora.side_language(wildcards), backends):
            warn_once(f"analysis {wildcards.analysis}, {wildcards.side} side of the corpus {wildcards.corpus}: {line}")
        return {table: self._shard(wildcards, table) for table in tables}

    def graph_options(self, wildcards: Wildcards, input: Mapping[str, str]) -> list[str]:
        """These tables as options of the command."""
        return [word for name in self.graph_inputs(wildcards) for word in (f"--{name}", input[name])]


def earlier_tables(wildcards: Wildcards, input: Mapping[str, str | list[str]]) -> list[str]:
    """Params function of a stage: the earlier tables that it reads, as options of its command."""
    return [f"{name}={path}" for name, path in input.items() if name in registry.STAGES]


def _one_per_document(settings: BackendSettings) -> bool:
    """Whether a stage imports one file for each document."""
    return isinstance(settings, ImportSettings) and "{document}" in settings.files
