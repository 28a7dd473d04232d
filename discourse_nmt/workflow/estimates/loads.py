"""The work of each job of the workflow, from its rule and wildcards."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from discourse_nmt.base.storage.files import read_text
from discourse_nmt.discourse.backends.backend import Stage
from discourse_nmt.discourse.settings import ImportSettings
from discourse_nmt.training.checkpoints.tuned_decoding import grid
from discourse_nmt.workflow.configuration.tree import Configuration
from discourse_nmt.workflow.estimates.networks import (
    BYTES,
    SUBWORDS,
    WORDS,
    NetworkSize,
    evaluation_operations,
    is_document,
    learns_nothing,
    short_training,
    training_operations,
)
from discourse_nmt.workflow.estimates.rates import Load
from discourse_nmt.workflow.plan.analyses import STAGE_OF_RULE
from discourse_nmt.workflow.plan.plan import Plan
from discourse_nmt.workflow.sections.labellers import imported_words, labeller_training

MEGABYTE = 2**20
CHECKPOINTS = 10  # files of the size of a model in the work folder of a training
# Rules that share the command of another one; those that run in parts have the rate of the whole.
SAME = {
    "translate_part": "translate_split",
    "score_contrastive_part": "score_contrastive",
    "parse_paragraphs": "parse_instances",
    "build_text_structure": "build_structure",
    "build_draft_structure": "build_structure",
    "build_draft_graph": "build_graph",
    "analyse_draft_syntax": "analyse_syntax",
    "resolve_draft_coreference": "resolve_coreference",
    "compare_translations_over_seeds": "compare_translations",
    "compare_accuracy_over_seeds": "compare_accuracy",
}
UNNUMBERED = ("import_corpus", "import_suite", "fetch_data")  # one rule for each corpus
BF16_FLAGS = {"amx_bf16", "avx512_bf16"}


@dataclass(frozen=True)
class Loads:
    """The loads of the jobs of a planned run."""

    plan: Plan

    @property
    def config(self) -> Configuration:
        """The configuration."""
        return self.plan.config

    def of(self, rule: str, wildcards: Mapping[str, str]) -> Load:
        """The load of a job."""
        stage = next((name for name in UNNUMBERED if rule.startswith(f"{name}_")), SAME.get(rule, rule))
        corpus = wildcards.get("corpus") or next(
            (name for name in self.config.corpora if rule.startswith(f"{stage}_{name}")), None
        )
        if corpus is None:
            return Load(stage)
        if stage == "train_model":
            return self._training(corpus, wildcards["experiment"])
        if stage == "train_labeller":
            return self._labeller(corpus, wildcards)
        if stage in ("translate_split", "score_contrastive", "score_references", "tune_decoding"):
            return self._decoding(stage, corpus, wildcards)
        section = self.config.corpora[corpus]
        if stage in ("import_corpus", "measure_corpus", "measure_address_rules"):
            pairs = sum(self.pairs(corpus, split) for split in self.plan.corpora.splits(corpus))
            if (stage, section.format) == ("import_corpus", "html_pages"):
                stage = f"{stage}:{section.format}"
            return Load(stage, pairs, pairs, pairs)
        if stage in ("train_truecaser", "learn_bpe"):
            learnt = min(self.pairs(corpus, "train"), section.text_pairs / 1000)
            return Load(stage, learnt, learnt, learnt)
        if stage in ("learn_alignment", "learn_subword_translations"):
            aligned = min(self.pairs(corpus, "train"), self.config.document_metrics.alignment_pairs / 1000)
            return Load(stage, aligned, aligned, aligned)
        if "split" not in wildcards:
            return Load(stage)
        whole = self.pairs(corpus, wildcards["split"])
        if "shard" not in wildcards:
            held = (
                whole
                if stage in ("score_run", "score_document", "compare_translations")
                else whole / section.shard_count
            )
            return Load(stage, whole, held, whole)
        files = len(self.plan.files.shards("corpus", corpus, wildcards["split"]))
        if rule in STAGE_OF_RULE and self._is_imported(wildcards, STAGE_OF_RULE[rule]):
            stage = "imported"
        return Load(stage, whole / files, whole / section.shard_count, whole / files)

    def pairs(self, corpus: str, split: str) -> float:
        """Thousands of sentence pairs of a split."""
        return (self.plan.parts.pairs(corpus, split) or 0) / 1000

    def size(self, corpus: str, experiment: str) -> NetworkSize:
        """The size of the network of an experiment."""
        settings = self.plan.parameters.experiments[corpus, experiment].settings
        return NetworkSize.of(settings, self.config.corpora[corpus].text)

    def short_training(self, corpus: str, experiment: str) -> str:
        """Says that a training from a random start ends long before the usual time; empty for all others."""
        section = self.config.experiments[experiment]
        training = self.plan.parameters.experiments[corpus, experiment].training
        pairs = 1000 * self.pairs(corpus, "train") * training.share_of_documents
        if section.initialised_from or not pairs:
            return ""
        told = short_training(training, pairs, SUBWORDS * WORDS * pairs)
        return f"{experiment} on {corpus}: {told}" if told else ""

    def _is_imported(self, wildcards: Mapping[str, str], stage: Stage) -> bool:
        backend = self.plan.analyses.backends[wildcards["analysis"], wildcards["side"], stage]
        return isinstance(backend, ImportSettings)

    def _kind(self, experiment: str) -> str:
        return "document" if is_document(self.config.experiments[experiment].system) else "sentence"

    def _training(self, corpus: str, experiment: str) -> Load:
        training = self.plan.parameters.experiments[corpus, experiment].training
        size = self.size(corpus, experiment)
        train, dev = (1000 * SUBWORDS * WORDS * self.pairs(corpus, split) for split in ("train", "dev"))
        section = self.config.experiments[experiment]
        if section.initialised_from and learns_nothing(section.system, training):
            operations = evaluation_operations(size, dev) / 1e12
        else:
            operations = training_operations(size, training, train, dev) / 1e12
        weights = BYTES * size.stored / MEGABYTE
        stage = f"train_model:{self._kind(experiment)}:{arithmetic(training.precision)}"
        return Load(stage, operations, training.batch_tokens / 1000, weights, CHECKPOINTS * weights)

    def _decoding(self, stage: str, corpus: str, wildcards: Mapping[str, str]) -> Load:
        experiment = wildcards["experiment"]
        parts = int(wildcards.get("parts", 1))
        tunes = stage == "tune_decoding"
        in_parts = stage in ("translate_split", "score_contrastive")
        joins = in_parts and parts == 1 and self.plan.parts.count(corpus, wildcards["split"]) > 1
        thousands = 0 if joins else self.pairs(corpus, wildcards["split"]) / parts
        millions = self.size(corpus, experiment).multiplied / 1e6
        decoding = self.plan.parameters.experiments[corpus, experiment].decoding
        translations = len(grid(decoding.tuned)) if tunes else 1
        stage = "translate_split" if tunes else stage
        searched = translations * decoding.beam / 4
        scored = 1 + len(self.config.document_metrics.cxmi) if stage == "score_references" else 1
        work = thousands * millions * (searched if stage == "translate_split" else scored)
        return Load(f"{stage}:{self._kind(experiment)}", work, millions, thousands)

    def _labeller(self, corpus: str, wildcards: Mapping[str, str]) -> Load:
        if imported_words(self.config, wildcards["labeller"]) is not None:
            return Load("train_labeller:imported")  # nobody knows the size of its corpus
        epochs = labeller_training(self.config, wildcards["labeller"]).epochs
        millions = self.size(corpus, wildcards["experiment"]).multiplied / 1e6
        return Load("train_labeller", self.pairs(corpus, "train") * epochs * millions, millions)


def arithmetic(precision: str) -> str:
    """The key of the rates for a setting ``precision``; auto is bf16 where the processor here computes with it."""
    if precision != "auto":
        return "fp32" if precision == "fp32" else "bf16"
    cpuinfo = Path("/proc/cpuinfo")
    flags = set(read_text(cpuinfo).split()) if cpuinfo.is_file() else set()
    return "bf16" if flags & BF16_FLAGS else "fp32"
