"""Names of the files of a run, and the files that patterns of the configuration stand for."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from snakemake.exceptions import WorkflowError

from discourse_nmt.base import sources
from discourse_nmt.base.shards import files_of
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.interface import InputFunction, Wildcards, check_braces, warn_once
from discourse_nmt.workflow.sections.corpora import splits_of
from discourse_nmt.workflow.sections.files import sentences_pattern

STAND_INS = ".stand-ins"  # beside files that only have the sizes of those that they stand for
DEMO_SPLITS = ("train", "dev", "test")
GOLD_TABLES = ("edus", "rst", "rst_dependencies", "coreference", "themes")


@dataclass(frozen=True)
class Files:
    """Names of files in ``results/<run>/`` and ``work/<run>/``; ``work`` holds what no rule declares."""

    config: Configuration
    stored: Callable[[str], list[str]] | None = None
    """The names in remote storage that match a pattern, if the run has such storage."""

    @property
    def results(self) -> str:
        """Folder of what the rules make."""
        return f"results/{self.config.run}"

    @property
    def work(self) -> str:
        """Folder of checkpoints and document stores, which no rule declares so that no rule removes them."""
        return f"work/{self.config.run}"

    @property
    def are_stand_ins(self) -> bool:
        """Whether files of corpora have nothing but a size here, and nobody may read them (:mod:`.stand_ins`)."""
        return Path(STAND_INS).is_file()

    @property
    def demo_texts(self) -> list[str]:
        """The splits of the generated demo corpus."""
        return [f"{self.results}/generated/{split}.tsv" for split in DEMO_SPLITS]

    @property
    def demo_contrastive(self) -> str:
        """The contrastive items of the demo corpus."""
        return f"{self.results}/generated/contrastive/test.parquet"

    @property
    def demo_gold(self) -> list[str]:
        """The gold annotation of the demo corpus."""
        return [
            f"{self.results}/generated/gold/{table}/{split}.parquet" for table in GOLD_TABLES for split in DEMO_SPLITS
        ]

    def statistics(self, corpus: str) -> str:
        """The statistics of a corpus, which every import writes anew."""
        return f"{self.results}/{corpus}/corpus/statistics.tsv"

    def quality(self, corpus: str) -> str:
        """The table that tells what the text of a corpus is like."""
        return f"{self.results}/{corpus}/corpus/quality.tsv"

    def repeats(self, corpus: str, split: str) -> str:
        """The sentences of a split that stand verbatim in train."""
        return f"{self.results}/{corpus}/corpus/repeats/{split}.parquet"

    def document_order(self, corpus: str, split: str) -> str:
        """The documents of a split other than train, in the order of its files."""
        return f"{self.results}/{corpus}/corpus/documents/{split}.parquet"

    def subword_translations(self, corpus: str) -> str:
        """The most probable translations of each subword, for shortlists."""
        return f"{self.results}/{corpus}/text/subword_translations.safetensors"

    def dataset(self, corpus: str, split: str) -> str:
        """The subword ids of a split."""
        return f"{self.results}/{corpus}/dataset/{split}.arrow"

    def shards(self, folder: str, corpus: str, split: str) -> list[str]:
        """The files that hold all shards of a split; ``folder`` is that of the stage, for example text/tokens."""
        count = files_of(split, self.config.corpora[corpus].shard_count)
        return [f"{self.results}/{corpus}/{folder}/{split}/{shard}.parquet" for shard in range(count)]

    def all_shards(self, folder: str, split: str | None = None) -> InputFunction:
        """Input function: all shards of the job's split, or of the given one."""
        return lambda wildcards: self.shards(folder, wildcards.corpus, split or wildcards.split)

    def run(self, corpus: str, experiment: str, seed: int | str) -> str:
        """Folder of one training run."""
        return f"{self.results}/{corpus}/experiments/{experiment}/seed{seed}"

    def text(self, wildcards: Wildcards) -> str:
        """Folder of the text that a job reads: the corpus's, or that of the draft of a training run."""
        corpus = f"{self.results}/{wildcards.corpus}"
        if wildcards.get("experiment", ""):
            return f"{corpus}/{draft_folder(wildcards.experiment, wildcards.seed)}"
        return corpus

    def matching(self, pattern: str) -> list[str]:
        """The files of a path or of a pattern, here or else in remote storage.

        Files of the demo, and tables of corpora that other corpora and suites read, count, as rules make them. For a
        member of an archive (``ARCHIVE::MEMBER``) it is the archive.
        """
        path = pattern.split("::")[0]
        if path in self._sentences:
            return self._sentences[path]
        if path in [*self.demo_texts, *self.demo_gold] or Path(path).exists():
            return [path]
        here = [str(found) for found in sources.files(path)]
        return here or (self.stored(path) if self.stored else [])

    @cached_property
    def _sentences(self) -> dict[str, list[str]]:
        """The tables of sentences of each split of each corpus, by :func:`sentences_pattern`."""
        return {
            sentences_pattern(self.config.run, name, split): self.shards("corpus", name, split)
            for name, corpus in self.config.corpora.items()
            for split in splits_of(corpus)
        }

    def imported(self, patterns: Iterable[str], owner: str, remedy: str, table: str) -> list[str]:
        """The files of some patterns, which are imported as ``table``.

        A missing file that no rule makes is an error of one line. Where ``table`` exists, the file was imported before,
        and a warning is enough.
        """
        matching = {pattern: self.matching(pattern) for pattern in patterns}
        missing = [pattern for pattern, paths in matching.items() if not paths]
        if missing:
            if not Path(table).exists():
                raise WorkflowError(f"{owner}: no file {missing[0]}; {remedy}")
            warn_once(f"{owner}: no file {missing[0]}; it stays as it was imported before")
        files = sorted({path for pattern, paths in matching.items() for path in paths or [pattern]})
        for path in files:
            check_braces(path, owner)
        return files


def draft_folder(experiment: str, seed: int | str) -> str:
    """Folder, within that of the corpus, of the draft that a training run translates."""
    return f"drafts/{experiment}/seed{seed}"
