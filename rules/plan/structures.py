"""Structure files beside a dataset: which a run reads, and the tables that each is built from."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discourse_nmt.models.systems import STRUCTURES, system_named
from discourse_nmt.rules.plan.analyses import Analyses
from discourse_nmt.rules.plan.files import Files, draft_folder
from discourse_nmt.rules.plan.jobs import InputFunction, Wildcards, told_in_one_line
from discourse_nmt.rules.plan.runs import Runs
from discourse_nmt.rules.reruns.fingerprint import files_digest
from discourse_nmt.rules.sections.analyses import conversion_of
from discourse_nmt.rules.sections.experiments import experiment_settings, structure_of
from discourse_nmt.text.stop_words import stop_word_file

# By the kind of structure file: what is parsed by itself with rst.unit: instance, and the table of its trees.
PARSED = {
    "dependencies": ("instance", "instance_dependencies"),
    "positions": ("paragraph", "paragraph_rst"),
    "paragraph_dependencies": ("paragraph", "paragraph_rst"),
}


@dataclass(frozen=True)
class Structures:
    """The structure files of a run."""

    config: Mapping[str, Any]
    files: Files
    runs: Runs
    analyses: Analyses

    def kind(self, experiment: str) -> str:
        """The kind of structure file that an experiment's system reads, empty for none."""
        return structure_of(self.config, experiment)

    def of_kind(self, kind: str, corpus: str, experiment: str, seed: int | str, split: str) -> list[str]:
        """The structure file of a kind for a split; none for a kind that is made of no tables.

        It is that of the experiment's analysis, whose analysers run because of it; words to cache have no analysis.
        """
        folder = f"{self.files.results}/{corpus}/structure/{kind}"
        if kind == "cache_words":
            return [f"{folder}/{split}.arrow"]
        analysis = self.config["experiments"][experiment]["analysis"]
        if kind == "graphs":
            first, seed_of_first = self.runs.draft_of(experiment, seed)
            return [f"{folder}/{analysis}/{first}/seed{seed_of_first}/{split}.arrow"]
        return [f"{folder}/{analysis}/{split}.arrow"] if STRUCTURES[kind] else []

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
        resolved = experiment_settings(self.config, wildcards.experiment)
        switches = system_named(self.runs.system(wildcards)).switches(resolved["settings"])
        return self.of_test_set(switches.decoding_structure(resolved["decoding"]["use_tree"]))(wildcards)

    def tables(self, kind: str) -> Any:
        """Input function of a kind of structure file: the tables of the source side that it is made of."""

        def files(wildcards: Wildcards) -> dict[str, list[str]]:
            corpus, analysis, split = wildcards.corpus, wildcards.analysis, wildcards.split
            tables = {
                table: self.analyses.annotation(corpus, analysis, "source", table, split) for table in STRUCTURES[kind]
            }
            if conversion_of(self.config["analyses"][analysis], "source").unit == "instance":
                trees = STRUCTURES[kind][-1]
                tables[trees] = self.files.shards(f"discourse/{analysis}/source/{PARSED[kind][1]}", corpus, split)
            return tables

        return files

    def parsed_units(self) -> list[tuple[str, str]]:
        """What may be parsed by itself with rst.unit: instance, and the tables of those trees."""
        return list(dict.fromkeys(PARSED.values()))

    def source_graphs(self, wildcards: Wildcards) -> list[str]:
        """Input function: the word graphs of the source."""
        return self.analyses.annotation(
            wildcards.corpus, wildcards.analysis, "source", "document_graph", wildcards.split
        )

    def draft_tables(self, wildcards: Wildcards) -> dict[str, list[str]]:
        """Input function of a graph file with a draft: the draft's tables of all shards."""
        folder = draft_folder(wildcards.experiment, wildcards.seed)
        tables = {
            "draft_tokens": "text/tokens",
            "draft_subwords": "text/subwords",
            "draft_graphs": f"discourse/{wildcards.analysis}/target/document_graph",
        }
        return {
            name: self.files.shards(f"{folder}/{path}", wildcards.corpus, wildcards.split)
            for name, path in tables.items()
        }

    def stop_words(self, wildcards: Wildcards) -> str:
        """A digest of the stop words of the corpus's source language; no list is an error of one line."""
        with told_in_one_line(f"corpus {wildcards.corpus}"):
            path = stop_word_file(self.runs.corpora.source_language(wildcards))
        return files_digest([Path(path)])

    def check_annotation(self) -> None:
        """Raise an error of one line for annotation that a training reads and that cannot be made."""
        for corpus, experiment, _ in self.runs.all():
            analysis = self.config["experiments"][experiment]["analysis"]
            for table in STRUCTURES[self.kind(experiment)]:
                for split in ("train", "dev"):
                    if table != "tokens":  # which no analyser makes
                        self.analyses.annotation(corpus, analysis, "source", table, split)


def structure_option(wildcards: Wildcards, input: Any) -> list[str]:
    """Params function: the structure file of a test set as an option of the command, where there is one."""
    return ["--structure", *input.structure] if input.structure else []


def training_options(wildcards: Wildcards, input: Any) -> list[str]:
    """Params function: the structure files of a training, as options of its command."""
    return [
        word
        for name in ("train_structure", "dev_structure")
        for path in input[name]
        for word in (f"--{name.replace('_', '-')}", path)
    ]
