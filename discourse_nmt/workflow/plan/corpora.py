"""Corpora of a run: the files they are read from, their splits, test suites and contrastive items."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from snakemake.exceptions import WorkflowError

from discourse_nmt.base.settings import as_json
from discourse_nmt.corpus.importing.plan import ALIGNER, SPLITTERS
from discourse_nmt.corpus.importing.plan import plan as import_plan
from discourse_nmt.corpus.outputs import read_output
from discourse_nmt.corpus.suites import FORMATS
from discourse_nmt.corpus.suites.plan import SuitePlan
from discourse_nmt.corpus.suites.plan import plan as suite_plan
from discourse_nmt.discourse.backends.builtin.models import segmenter_files
from discourse_nmt.text.settings import SIDES
from discourse_nmt.workflow.configuration.corpora import CorpusSection
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.jobs.files import Files
from discourse_nmt.workflow.jobs.interface import Wildcards, names_regex, told_in_one_line
from discourse_nmt.workflow.jobs.parameters import Parameters, canonical
from discourse_nmt.workflow.plan.data import DataFiles
from discourse_nmt.workflow.reruns.fingerprint import files_digest
from discourse_nmt.workflow.sections.corpora import (
    import_settings,
    outputs_of,
    scored_sets_of,
    source_only_of,
    splits_of,
    test_sets_of,
    translated_suites_of,
)
from discourse_nmt.workflow.sections.files import patterns_of
from discourse_nmt.workflow.sections.pretrained import checkpoint_files

# What the text stage learns, in the folder text/ of a corpus.
TEXT_FILES = [f"{side}/{name}.json" for side in ("source", "target") for name in ("truecase", "bpe", "vocabulary")]


@dataclass(frozen=True)
class Corpora:
    """The corpora of a configuration. Files are looked up once; a missing one is an error of one line."""

    config: Configuration
    files: Files
    data: DataFiles
    parameters: Parameters

    def splits(self, corpus: str) -> list[str]:
        """Every split of a corpus, given or held out."""
        return splits_of(self.config.corpora[corpus])

    def test_sets(self, corpus: str) -> list[str]:
        """The splits that are translated: all but train and dev, or dev where there is no other with references."""
        return test_sets_of(self.config.corpora[corpus])

    def scored_sets(self, corpus: str) -> list[str]:
        """The test sets that have references, without which nothing is scored."""
        return scored_sets_of(self.config.corpora[corpus])

    def paired_splits(self, corpus: str) -> list[str]:
        """The splits that have a target side."""
        without = source_only_of(self.config.corpora[corpus])
        return [split for split in self.splits(corpus) if split not in without]

    def sentences(self, corpus: str) -> list[tuple[str, str]]:
        """Every split of a corpus with each of its files of sentences: train, dev, and the others by their names.

        The order in the configuration does not count, so that a change of it runs nothing.
        """
        ordered = sorted(self.splits(corpus), key=lambda split: (split != "train", split != "dev", split))
        return [(split, path) for split in ordered for path in self.files.shards("corpus", corpus, split)]

    def near_duplicates_option(self, wildcards: Wildcards) -> list[str]:
        """The threshold by which the job's corpus was divided, as an option; none where documents are not compared."""
        threshold = self.config.corpora[wildcards.corpus].near_duplicates
        return [] if threshold is None else ["--near-duplicates", str(threshold)]

    def regex(self, *, own_text: bool) -> str:
        """A regular expression for the names of the corpora that learn their text stage, or that take it over."""
        return names_regex(name for name, corpus in self.config.corpora.items() if (corpus.text_of is None) == own_text)

    def text_files(self, wildcards: Wildcards) -> list[str]:
        """Input function: what the text stage of the corpus has learnt that the job's corpus takes over."""
        other = self.config.corpora[wildcards.corpus].text_of
        return [f"{self.files.results}/{other}/text/{name}" for name in TEXT_FILES]

    def cut_by(self, wildcards: Wildcards) -> str:
        """Params function: what the instances of the job's split are cut by: those of train by both sides."""
        return "both" if wildcards.split == "train" else self.config.corpora[wildcards.corpus].cut_test_sets_by

    def shard_count(self, wildcards: Wildcards) -> int:
        """The number of shards of each split of the job's corpus."""
        return self.config.corpora[wildcards.corpus].shard_count

    def text_pairs(self, wildcards: Wildcards) -> int:
        """Params function: the number of sentence pairs from which the text stage of the job's corpus learns."""
        return self.config.corpora[wildcards.corpus].text_pairs

    def language(self, corpus: str, side: str) -> str:
        """The language of a side of a corpus."""
        return self.config.corpora[corpus].language(side)

    def source_language(self, wildcards: Wildcards) -> str:
        """The source language of the job's corpus."""
        return self.language(wildcards.corpus, "source")

    def target_language(self, wildcards: Wildcards) -> str:
        """The target language of the job's corpus."""
        return self.language(wildcards.corpus, "target")

    def side_language(self, wildcards: Wildcards) -> str:
        """The language of the job's side of its corpus."""
        return self.language(wildcards.corpus, wildcards.side)

    def licence_option(self, wildcards: Wildcards) -> list[str]:
        """Params function: the licence of the corpus as an option of a command, if it is stated."""
        licence = self.config.corpora[wildcards.corpus].licence
        return [] if licence is None else ["--licence", licence]

    def lowercase_option(self, wildcards: Wildcards) -> list[str]:
        """The option --lowercase where translations are in lower case, so that scores ignore case."""
        return ["--lowercase"] if self.lowercased[wildcards.corpus] else []

    def normalised_sides(self, corpus: str) -> list[str]:
        """The sides of a corpus whose text models read normalised."""
        return [side for side in SIDES if self.parameters.texts[corpus].of(side).normalise]

    @cached_property
    def lowercased(self) -> dict[str, bool]:
        """By corpus, whether its translations are in lower case."""
        return {name: text.target.lowercase for name, text in self.parameters.texts.items()}

    @cached_property
    def sources(self) -> dict[str, list[str]]:
        """The files that each corpus is read from."""
        return {name: self._sources(name, corpus) for name, corpus in self.config.corpora.items()}

    def _sources(self, name: str, corpus: CorpusSection) -> list[str]:
        patterns = patterns_of(corpus.splits)
        remedy = corpus.where or f"put it there, or correct corpora.{name}.splits in the configuration"
        return self._imported(name, patterns, f"corpus {name}", remedy, self.files.statistics(name))

    def _imported(self, corpus: str, patterns: list[str], owner: str, remedy: str, table: str) -> list[str]:
        """The files of some patterns; the table of the files that the workflow brings stands for these."""
        own = [pattern for pattern in patterns if not self.data.brings(corpus, pattern)]
        brought = [self.data.manifest(corpus)] if len(own) < len(patterns) else []
        return brought + self.files.imported(own, owner, remedy, table)

    def _splits_sentences(self, corpus: str) -> bool:
        return import_plan(import_settings(self.config.corpora[corpus])).splits_sentences

    def import_environment(self, corpus: str) -> str:
        """The conda environment of the import of a corpus: networks divide its text into sentences, or none does."""
        return f"../envs/{'network' if self._splits_sentences(corpus) else 'text'}.yaml"

    def splitter_modules(self, corpus: str) -> list[str]:
        """The modules, which are loaded by name, for a corpus whose text is divided into sentences."""
        return [SPLITTERS, ALIGNER] if self._splits_sentences(corpus) else []

    def splitter_digest(self, corpus: str) -> str:
        """Digest of the weights of the sentence splitters of a corpus."""
        if not self._splits_sentences(corpus):
            return ""
        languages = [self.language(corpus, side) for side in ("source", "target")]
        return files_digest(path for language in languages for path in segmenter_files(language))

    def _has_builtin_words(self, corpus: str) -> bool:
        """Whether the network of the builtin analysers cuts sentences of a corpus into words."""
        return any(self.parameters.texts[corpus].of(side).tokeniser == "builtin" for side in SIDES)

    def tokeniser_environment(self, wildcards: Wildcards) -> str:
        """The conda environment of a job that tokenises: a network does, or none."""
        return f"../envs/{'network' if self._has_builtin_words(wildcards.corpus) else 'text'}.yaml"

    def tokeniser_digest(self, wildcards: Wildcards) -> str:
        """Params function: a digest of the weights of a corpus's tokenisers."""
        return files_digest(segmenter_files("zh")) if self._has_builtin_words(wildcards.corpus) else ""

    @cached_property
    def hypotheses(self) -> dict[tuple[str, str, int, str], list[str]]:
        """The files of the translations by external systems, by corpus, system, seed and test set.

        A file that does not fit its test set is an error of one line, before any job. Only a test set without files of
        its own has to be imported first.
        """
        return {
            (name, system, seed, test_set): (
                [pattern]  # a rule makes it
                if section.language_model
                else self._hypotheses(name, system, seed, test_set, pattern)
            )
            for name, corpus in self.config.corpora.items()
            for system, section in corpus.systems.items()
            for (seed, test_set), pattern in outputs_of(section).items()
        }

    def hypotheses_of(self, wildcards: Wildcards) -> list[str]:
        """Input function: the files of an external system's translations."""
        return self.hypotheses[wildcards.corpus, wildcards.experiment, int(wildcards.seed), wildcards.split]

    def hypothesis_pattern(self, wildcards: Wildcards) -> str:
        """Params function: the path or pattern of an external system's translations."""
        section = self.config.corpora[wildcards.corpus].systems[wildcards.experiment]
        return outputs_of(section)[int(wildcards.seed), wildcards.split]

    def _hypotheses(self, name: str, system: str, seed: int, test_set: str, pattern: str) -> list[str]:
        key = f"corpora.{name}.systems.{system}.hypotheses.{test_set}"
        translations = f"{self.files.run(name, system, seed)}/translations/{test_set}.parquet"
        files = self.files.imported([pattern], key, f"put it there, or correct {key}", translations)
        if all(Path(path).is_file() for path in files) and (lengths := self._lengths(name, test_set)):
            with told_in_one_line(key):
                read_output(pattern, lengths, f"test set {test_set} of corpus {name}")
        return files

    @cached_property
    def _lengths(self) -> Callable[[str, str], dict[str, int]]:
        """:meth:`_read_lengths`, once for all systems and seeds."""
        return cache(self._read_lengths)

    def _read_lengths(self, name: str, test_set: str) -> dict[str, int]:
        """The number of sentences of each document of a test set or suite; none where its files are not there yet."""
        if self.files.are_stand_ins:
            return {}
        corpus = self.config.corpora[name]
        if test_set in corpus.suites:
            return self._suite_lengths(name, test_set)
        own = {key: split for key, split in corpus.splits.items() if key == test_set}
        files = [self.files.matching(pattern) for pattern in patterns_of(own)]
        there = files and all(paths and all(Path(path).is_file() for path in paths) for paths in files)
        if not there or self._splits_sentences(name):
            return {}
        # Loaded only where it is needed: it loads pandas, and every start of the workflow waits for the plan.
        from discourse_nmt.corpus.importing.importing import split_lengths

        with told_in_one_line(f"corpus {name}"):
            return split_lengths(import_plan(import_settings(corpus)), test_set)

    def _suite_lengths(self, name: str, suite: str) -> dict[str, int]:
        if not all(Path(path).is_file() for path in self.suite_sources[name, suite]):
            return {}
        from discourse_nmt.corpus.suites.importing import import_suite
        from discourse_nmt.corpus.suites.texts import sources_of

        corpus = self.config.corpora[name]
        with told_in_one_line(f"suite {suite} of corpus {name}"):
            space_controls = corpus.control_characters == "space"
            imported = import_suite(suite, self._suite_plan(name, suite), space_controls=space_controls)
        return {document: len(sentences) for document, sentences in sources_of(imported).items()}

    @cached_property
    def checkpoints(self) -> dict[str, dict[str, list[str]]]:
        """By corpus, the files of the checkpoint that it takes its subwords from, by what they hold; none for most."""
        files = {}
        for name, text in self.parameters.texts.items():
            with told_in_one_line(f"corpus {name}"):
                files[name] = checkpoint_files(text)
        return files

    def pretrained_subwords(self, wildcards: Wildcards) -> list[str]:
        """The files of the pretrained subwords of the job's corpus, if any."""
        return self.checkpoints[wildcards.corpus]["subwords"]

    def pretrained_network(self, wildcards: Wildcards) -> list[str]:
        """The files of the pretrained network of the job's corpus, if any."""
        return self.checkpoints[wildcards.corpus]["network"]

    def suites(self, corpus: str) -> list[str]:
        """The names of a corpus's test suites, which are splits that are neither trained on nor scored by BLEU."""
        return list(self.config.corpora[corpus].suites)

    @cached_property
    def suite_sources(self) -> dict[tuple[str, str], list[str]]:
        """The files that each test suite is read from, by corpus and suite."""
        return {(name, suite): self._suite_sources(name, suite) for name in self.sources for suite in self.suites(name)}

    def _suite_sources(self, corpus: str, suite: str) -> list[str]:
        settings = self._suite_plan(corpus, suite).settings
        patterns = [pattern for role in settings.roles.values() for pattern in role]
        remedy = settings.where or f"put it there, or correct corpora.{corpus}.suites.{suite} in the configuration"
        return self._imported(corpus, patterns, f"suite {suite}", remedy, self.suite_items(corpus, suite))

    def _suite_plan(self, corpus: str, suite: str) -> SuitePlan:
        section = self.config.corpora[corpus]
        return suite_plan(as_json(section.suites[suite]), (section.source_language, section.target_language))

    def suite_sentences(self, wildcards: Wildcards) -> list[str]:
        """Input function: the tables of sentences that the job's suite is made of."""
        return self.suite_sources[wildcards.corpus, wildcards.suite]

    def suite_documents(self, wildcards: Wildcards) -> list[str]:
        """Input function: the documents of these splits in their order."""
        tables = self.config.corpora[wildcards.corpus].suites[wildcards.suite].splits
        return [self.files.document_order(wildcards.corpus, Path(table).parent.name) for table in tables]

    def suite_items(self, corpus: str, suite: str) -> str:
        """The table of a suite's items."""
        return f"{self.files.results}/{corpus}/suites/{suite}.parquet"

    def suite_settings(self, corpus: str, suite: str) -> str:
        """The settings that the import of a suite depends on."""
        section = as_json(self.config.corpora[corpus].suites[suite])
        return canonical({key: value for key, value in section.items() if key not in ("where", "generation")})

    def is_generated(self, corpus: str, suite: str) -> bool:
        """Whether a suite has expected forms, which only translations can have; the others score given translations."""
        section = self.config.corpora[corpus].suites.get(suite)
        return section is not None and FORMATS[section.format].generated

    def translated_suites(self, corpus: str) -> list[str]:
        """The suites of a corpus whose translations are looked at."""
        return translated_suites_of(self.config.corpora[corpus])

    @cached_property
    def contrastive(self) -> dict[str, dict[str, str]]:
        """By corpus, the contrastive items of its test sets and suites: given translations that systems score.

        All are looked up at once: Snakemake does not miss an input whose output exists.
        """
        return {
            name: {
                **{split: self._contrastive(name, path) for split, path in corpus.contrastive.items()},
                **{
                    suite: self.suite_items(name, suite)
                    for suite in self.suites(name)
                    if not self.is_generated(name, suite)
                },
            }
            for name, corpus in self.config.corpora.items()
        }

    def _contrastive(self, corpus: str, path: str) -> str:
        if path != self.files.demo_contrastive and not self.files.matching(path):
            remedy = f"put it there, or correct corpora.{corpus}.contrastive"
            raise WorkflowError(f"corpus {corpus}: no file {path}; {remedy}")
        return path

    def contrastive_items(self, wildcards: Wildcards) -> str:
        """The contrastive items of the job's test set or suite."""
        return self.contrastive[wildcards.corpus][wildcards.split]
