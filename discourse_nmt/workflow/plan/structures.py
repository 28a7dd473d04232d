"""Structure files beside a dataset: which a run reads, and the tables that each is built from."""

from dataclasses import dataclass

from discourse_nmt.text.stop_words import stop_word_file
from discourse_nmt.training.kinds import DRAFT, STRUCTURES, TEXT_TABLES, TREE_TABLES, StructureKind
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files, draft_folder
from discourse_nmt.workflow.jobs.interface import InputFunction, NamedInput, Wildcards, names_regex, told_in_one_line
from discourse_nmt.workflow.jobs.parameters import Parameters, canonical, code
from discourse_nmt.workflow.plan.analyses import Analyses
from discourse_nmt.workflow.plan.runs import Runs
from discourse_nmt.workflow.reruns.fingerprint import files_digest
from discourse_nmt.workflow.sections.analyses import conversion_of
from discourse_nmt.workflow.sections.models import analysis_of_model, decoding_kind


@dataclass(frozen=True)
class StructurePlan:
    """The structure files of a run."""

    config: Configuration
    files: Files
    runs: Runs
    analyses: Analyses
    parameters: Parameters

    def kind(self, experiment: str) -> str:
        """The kind of structure file that an experiment's system reads, empty for none."""
        return self.parameters.kinds[experiment]

    def of_kind(self, kind: str, corpus: str, experiment: str, seed: int | str, split: str) -> list[str]:
        """The structure file of a kind for a split; none for a kind that is made of no tables.

        It is that of the experiment's analysis, whose analysers run because of it, and that of its draft.
        """
        declared = STRUCTURES[kind]
        folder = f"{self.files.results}/{corpus}/structure/{kind}"
        if declared.annotation:
            folder = f"{folder}/{self.config.experiments[experiment].analysis}"
        if declared.drafted:
            first, seed_of_first = self.runs.draft_of(corpus, experiment, seed)
            folder = f"{folder}/{first}/seed{seed_of_first}"
        return [f"{folder}/{split}.arrow"] if declared.tables else []

    def of_split(self, split: str) -> InputFunction:
        """Input function: the structure file of a split that the job's training reads, if any."""
        return lambda wildcards: self.of_kind(
            self.kind(wildcards.experiment), wildcards.corpus, wildcards.experiment, wildcards.seed, split
        )

    def of_test_set(self, kind: str) -> InputFunction:
        """Input function: the structure file of a kind for the job's test set."""
        return lambda wildcards: self.of_kind(
            kind, wildcards.corpus, wildcards.experiment, wildcards.seed, wildcards.split
        )

    def decoding(self, wildcards: Wildcards) -> list[str]:
        """Input function: the structure file of a test set, where the experiment's decoding needs one."""
        resolved = self.parameters.experiments[wildcards.corpus, wildcards.experiment]
        return self.of_test_set(resolved.settings.decoding_structure(resolved.decoding.use_tree))(wildcards)

    def analysis_of_model(self, wildcards: Wildcards) -> str:
        """Params function: the analysis that the model of the job's run reads when it translates."""
        return canonical(analysis_of_model(self.config, wildcards.experiment))

    def draft_model(self, wildcards: Wildcards) -> list[str]:
        """Input function: the model folder that translates the drafts that the job's model reads, if it reads any."""
        if not decoding_kind(self.config, wildcards.experiment).drafted:
            return []
        drafted = self.runs.draft_of(wildcards.corpus, wildcards.experiment, wildcards.seed)
        return [f"{self.files.run(wildcards.corpus, *drafted)}/model"]

    def regex(self, *, annotated: bool, drafted: bool) -> str:
        """A regular expression for the kinds whose files are built with or without annotation and a draft."""
        return names_regex(
            name
            for name, kind in STRUCTURES.items()
            if kind.builder and (bool(kind.annotation), kind.drafted) == (annotated, drafted)
        )

    def tables(self, wildcards: Wildcards) -> dict[str, list[str]]:
        """Input function of a structure file: all shards of the tables that it is built from."""
        kind = STRUCTURES[wildcards.kind]
        return {name: self._table(wildcards, kind, name, table) for name, table in kind.inputs.items()}

    def _table(self, wildcards: Wildcards, kind: StructureKind, name: str, table: str) -> list[str]:
        """All shards of one input of a kind, which is called ``name``."""
        corpus, split = wildcards.corpus, wildcards.split
        if name.startswith(DRAFT):
            draft = draft_folder(wildcards.experiment, wildcards.seed)
            folder = "text" if table in TEXT_TABLES else f"discourse/{wildcards.analysis}/target"
            return self.files.shards(f"{draft}/{folder}/{table}", corpus, split)
        if table in TEXT_TABLES:
            return self.files.shards(f"text/{table}", corpus, split)
        analysis = wildcards.analysis
        paths = self.analyses.annotation(corpus, analysis, "source", table, split)
        unit = conversion_of(self.config.analyses[analysis], "source").unit
        if kind.tree and table == kind.tables[-1] and unit == "instance":
            return self.files.shards(f"discourse/{analysis}/source/{TREE_TABLES[kind.tree]}", corpus, split)
        return paths

    def table_options(self, wildcards: Wildcards, input: NamedInput) -> list[str]:
        """Params function: these tables as options of the command."""
        return [f"{name}={path}" for name in STRUCTURES[wildcards.kind].inputs for path in input[name]]

    def code(self, wildcards: Wildcards) -> str:
        """Params function: fingerprint of the script and of the builder of the job's kind, which is loaded by name."""
        return code("structures.build_structure", STRUCTURES[wildcards.kind].builder)

    def builder_options(self, wildcards: Wildcards) -> list[str]:
        """Params function: further options of the command, for builders that read them."""
        options = STRUCTURES[wildcards.kind].options
        conversion = self.analyses.conversion_options(wildcards) if "conversion" in options else []
        language = ["--language", self.runs.corpora.source_language(wildcards)] if "language" in options else []
        return conversion + language

    def stop_words(self, wildcards: Wildcards) -> str:
        """Params function: a digest of the stop words of the source language, for builders that read them.

        A language without a list is an error of one line.
        """
        if "language" not in STRUCTURES[wildcards.kind].options:
            return ""
        with told_in_one_line(f"corpus {wildcards.corpus}"):
            path = stop_word_file(self.runs.corpora.source_language(wildcards))
        return files_digest([path])

    def check_annotation(self) -> None:
        """Raise an error of one line for annotation that a training reads and that cannot be made."""
        for corpus, experiment, _ in self.runs.all():
            analysis = self.config.experiments[experiment].analysis
            for table in STRUCTURES[self.kind(experiment)].annotation:
                for split in ("train", "dev"):
                    self.analyses.annotation(corpus, analysis, "source", table, split)


def structure_option(wildcards: Wildcards, input: NamedInput) -> list[str]:
    """Params function: the structure file of a test set as an option of the command, where there is one."""
    return ["--structure", *input["structure"]] if input["structure"] else []


def training_options(wildcards: Wildcards, input: NamedInput) -> list[str]:
    """Params function: the structure files of a training, as options of its command."""
    return [
        word
        for name in ("train_structure", "dev_structure")
        for path in input[name]
        for word in (f"--{name.replace('_', '-')}", path)
    ]
