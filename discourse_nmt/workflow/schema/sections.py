"""The sections of the configuration that only rules read, and the configuration as a whole.

Together with the dataclasses of the other rooms these are the source of ``config.schema.yaml``. At run time the
configuration stays a mapping.
"""

from dataclasses import dataclass
from typing import Any, Literal

from discourse_nmt.base.settings import DISTINCT, SOME_DISTINCT, required, setting
from discourse_nmt.corpus.data.settings import DataSettings
from discourse_nmt.corpus.importing.plan import NAME, CorpusSettings
from discourse_nmt.corpus.suites.plan import SuiteSettings
from discourse_nmt.discourse.settings import AnalysisSettings
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.text.settings import SideSettings
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.schema.parser_sections import ParserSection

NAME_PATTERN = f"^{NAME.pattern}$"


@dataclass(frozen=True)
class DemoSettings:
    """The generated demo corpus."""

    documents: int = setting(2000, "documents over all splits, an even number", minimum=40, schema={"multipleOf": 2})
    seed: int = setting(1, "seed of the generator")


@dataclass(frozen=True)
class ExternalSystemSettings:
    """Translations by a system outside of the project, which are scored beside those of the experiments."""

    hypotheses: dict[str, str] = required(
        "file of detokenised translations by test set, in the order of the test set: one sentence per line; JSON "
        "lines (.jsonl); or one file per document, a pattern whose wildcard is the document id; {seed} in it stands "
        "for each of the seeds",
        schema={"minProperties": 1},
    )
    seeds: list[int] = setting([0], "seeds, one output for each", minimum=0, schema=SOME_DISTINCT)
    compared_with: str | None = setting(
        None,
        "experiment or external system of the same corpus for the tests of significance; null for "
        "significance.baseline",
    )


@dataclass(frozen=True)
class CorpusSection(CorpusSettings):
    """A parallel corpus with document boundaries."""

    # A number, once the configuration is read.
    shards: int | Literal["auto"] = setting(  # type: ignore[assignment]
        "auto",
        "number of pieces into which a stable hash of the document id cuts a split; they lie in at most 16 files for "
        "train (beyond 1,024 pieces one for each 64) and 4 for other splits, which are processed in parallel, one "
        "piece in memory at a time; auto: by the size of the files, a power of two with at most 16,000 sentence pairs "
        "in a piece, 2 for files that are not there yet; an import that exists keeps its number",
        minimum=1,
    )
    data: DataSettings | None = setting(
        None,
        "source of its files for the target data; null for files that are there; docs/how-to/corpora.md explains",
    )
    contrastive: dict[str, str] = setting(
        {}, "contrastive items (a table, see discourse_nmt/base/storage/tables.py) by the split of their documents"
    )
    suites: dict[str, SuiteSettings] = setting(
        {}, "test suites of discourse by name, scored with every system; docs/reference/contrastive-suites.md explains"
    )
    systems: dict[str, ExternalSystemSettings] = setting(
        {}, "systems outside of the project, by name; docs/how-to/other-systems.md explains"
    )
    scored: list[str] = setting(
        [],
        "splits that are translated and scored, for example [dev, test]; [] for all but train and dev, or for dev "
        "where there is no other",
        schema=DISTINCT,
    )
    cut_test_sets_by: Literal["source", "both"] = setting(
        "source",
        "for systems that read instances: side whose subwords fill the instances of dev and of test sets: the source "
        "alone, as with new text; or the larger one (both), as in the papers, where a reference decides what is "
        "translated together. Instances of train are cut by both",
    )
    text: SideSettings = setting(
        {}, "tokenisation, casing and subwords; a value may be given per side as {source: ..., target: ...}"
    )
    text_pairs: int = setting(
        5_000_000,
        "about the largest number of sentence pairs of train from which truecasing, subwords and vocabularies are "
        "learnt; in a larger corpus a stable hash of the document id chooses the documents",
        minimum=1,
    )
    training: dict[str, Any] = setting(
        {}, "keys of training that differ on this corpus; those of an experiment go before them"
    )
    decoding: dict[str, Any] = setting(
        {}, "keys of decoding that differ on this corpus; those of an experiment go before them"
    )
    text_of: str | None = setting(
        None,
        "corpus whose text settings, truecasing, subwords and vocabularies this one takes over; experiments on this "
        "corpus may then start from experiments on that one; null: the text stage learns from train",
    )


@dataclass(frozen=True)
class ReportSettings:
    """The document viewer of the report."""

    documents: int = setting(200, "documents of each test set, spread evenly over it", minimum=0)
    analyses: list[str] = setting(
        [],
        "analyses whose tables of the source side are shown; they are made for the test sets where absent",
        schema=DISTINCT,
    )


@dataclass(frozen=True)
class SignificanceSettings:
    """Tests of the differences between experiments and a baseline."""

    baseline: str | None = setting(
        None, "experiment or external system that the others are compared with on its corpora; null for no tests"
    )
    units: Literal["groups", "documents"] = setting(
        "groups",
        "what the tests draw and exchange: the groups of documents that the corpus names (documents where it names "
        "none), or documents in any case",
    )
    samples: int = setting(1000, "samples of the paired bootstrap", minimum=1)
    trials: int = setting(10000, "trials of approximate randomisation", minimum=1)
    seed: int = setting(12345, "seed of the draws", minimum=1)


@dataclass(frozen=True)
class MetricSettings:
    """A metric that a program of the user computes."""

    command: list[str] = required(
        "program and its arguments, run without a shell; {source}, {hypotheses}, {references} and {documents} stand "
        "for text files with a line for each sentence, {source_language} and {target_language} for codes",
        schema={"minItems": 1},
    )
    better: Literal["higher", "lower"] = setting("higher", "which scores are better")
    time_limit: int | None = setting(None, "largest duration of one run in seconds; null for no limit", minimum=1)


@dataclass(frozen=True)
class DocumentMetricsSettings:
    """Scores of translations as documents."""

    compute: bool = setting(True, "whether they are computed")
    analysis: str | None = setting(
        None,
        "analysis whose syntax and coreference of the source side they use, made for the test sets where absent; "
        "null for none",
    )
    alignment_pairs: int = setting(
        100_000, "number of sentence pairs of train, the first ones, from which word alignment is learnt", minimum=1
    )


@dataclass(frozen=True)
class ModelFolderSettings:
    """Model folders, which the target models makes."""

    licence: str | None = setting(None, "licence of the weights, as it is written into the folders; null: not stated")
    precision: Literal["fp32", "bf16"] = setting(
        "fp32",
        "precision of the stored weights; bf16 halves the folder and rounds them, so that translations may differ",
    )


@dataclass(frozen=True)
class HardwareSettings:
    """Resources of the jobs of networks."""

    threads: int = setting(2, "CPU threads of a translation job and of each process of a training", minimum=1)
    gpus: int | Literal["auto"] = setting(
        "auto",
        "GPUs of a training job on each of its nodes, one process each; translation, scoring of contrastive items and "
        "labellers use at most one; 0 computes on the CPU; auto uses one GPU if the machine has one, else the CPU",
        minimum=0,
    )
    processes: int = setting(
        1, "processes of a training on the CPU of each of its nodes, which share the batches of an update", minimum=1
    )
    nodes: int = setting(
        1, "machines of a training, which start together under Slurm; docs/how-to/clusters.md explains", minimum=1
    )
    recompute_activations: bool = setting(
        False,
        "in training, encoder and decoder layers keep only their input for the gradient and are computed again: less "
        "memory for activations, and the time of a further forward pass",
    )
    sentences_per_job: int = setting(
        20_000,
        "sentences that a job translates or scores; a larger split is divided by documents among jobs, at most 256, "
        "in steps of 10,000 sentences, with the same results",
        minimum=1,
    )
    shard_optimiser: bool = setting(
        False, "in training by several processes, each keeps the optimiser's state of a part of the parameters only"
    )


@dataclass(frozen=True)
class ExperimentSettings:
    """One system with its settings; every corpus and seed is a training run of its own."""

    system: str = required("name of the system, see docs/reference/settings.md")
    corpora: list[str] = setting([], "corpora of its trainings; all where the key is absent", schema=SOME_DISTINCT)
    analysis: str = setting("builtin", "set of analysers whose annotation the system reads, if it needs any")
    seeds: list[int] = setting([1], "seeds, one training run for each", minimum=0, schema=SOME_DISTINCT)
    initialised_from: str | None = setting(
        None,
        "experiment whose model on the same corpus (or, if it has none, on that of text_of) is the start, of the same "
        "seed if there is one, else of its first seed; pretrained for the checkpoint of the corpus's text; null for a "
        "random start",
    )
    taken_from: str | None = setting(
        None,
        "model folder whose network the experiment uses instead of training one; {seed} in its name stands for the "
        "seed; system, switches, truecasing, subwords and vocabularies must be those of the experiment; null to train",
    )
    labeller: str | None = setting(
        None,
        "labeller of themes whose scores fill the system's cache, trained on the model that this experiment starts "
        "from; null if the system has none",
    )
    compared_with: str | None = setting(
        None,
        "experiment or external system of the tests of significance on the same corpus, of the same seed if there is "
        "one, else of its first seed; null for significance.baseline",
    )
    settings: dict[str, Any] = setting({}, "switches of the system, which go before those of model")
    training: dict[str, Any] = setting({}, "keys of training that differ for this experiment")
    decoding: dict[str, Any] = setting({}, "keys of decoding that differ for this experiment")
    decodings: dict[str, dict[str, Any]] = setting(
        {},
        "further decodings of its models, which are not trained again: by name, the keys of decoding that differ; each "
        "is a row NAME.DECODING beside that of the experiment",
    )


@dataclass(frozen=True)
class PaperColumnSettings:
    """The measured score beside a column of a paper's table."""

    corpus: str | None = setting(
        None, "corpus; null for the one that a row names, or for the only corpus of the configuration"
    )
    test_set: str = setting("test", "split or suite")
    metric: str = setting(
        "s-BLEU",
        "metric as in scores.tsv; or added parameters (millions more than the first row's model) or speed (thousand "
        "target tokens of training a second)",
    )
    mean_of: list[str] = setting([], "columns whose mean this one is, instead", schema=DISTINCT)


@dataclass(frozen=True)
class PaperTableSettings:
    """A table of a paper: published numbers, and the experiments that stand beside them."""

    published: str = required("file and table in resources/published, for example rst_transformer.table_2")
    columns: dict[str, PaperColumnSettings] = required("measured scores, by the paper's name of the column")
    rows: dict[str, str | list[str | None]] = required(
        "experiment, or one for each of the columns above, by the paper's name of the row; CORPUS/EXPERIMENT names a "
        "corpus, too; null: not measured"
    )
    own_rows: dict[str, str] = setting({}, "further experiments, which the paper does not have, by their names")


@dataclass(frozen=True)
class LabellerSection:
    """One labeller; it is trained anew for every model whose encoder it reads."""

    experiments: list[str] = setting(
        [],
        "experiments on whose models the target labellers trains it; an experiment that uses it trains it on the model "
        "it starts from",
        schema=DISTINCT,
    )
    analysis: str = setting(
        "builtin", "set of analysers whose themes label the source side of the experiments' corpora"
    )
    imported: dict[str, Any] | None = setting(None, "a corpus with labelled words instead of the analysis")
    settings: dict[str, Any] = setting({}, "switches of the labeller")
    training: dict[str, Any] = setting({}, "training of the labeller")


@dataclass(frozen=True)
class Configuration:
    """The whole configuration."""

    run: str = required("name of this run; its results lie in results/<run>/", schema={"pattern": NAME_PATTERN})
    size: Literal["full", "small"] = setting(
        "full",
        "small runs the same on a laptop, end to end: networks, updates and numbers of documents are scaled down, and "
        "results lie in results/<run>-small/; config/README.md explains",
    )
    demo: DemoSettings = setting(
        {}, "the generated demo corpus, made only where a corpus reads from results/<run>/generated/"
    )
    corpora: dict[str, CorpusSection] = setting({}, "parallel corpora with document boundaries, by name")
    documents: list[str] = setting(
        [],
        "English texts (UTF-8, paragraphs separated by blank lines) whose discourse analysis the report shows: files "
        "or patterns; [] for none",
    )
    report: ReportSettings = setting({}, "the document viewer of the report; docs/how-to/report.md explains")
    analyses: dict[str, AnalysisSettings] = setting(
        {"builtin": {}}, "sets of analysers of discourse, by name; docs/reference/discourse-stages.md explains"
    )
    model: TransformerSettings = setting({}, "switches of the Transformer core, which all systems have")
    training: TrainingSettings = setting({}, "training of the networks; docs/how-to/training.md explains")
    decoding: DecodingSettings = setting({}, "translation with a trained model")
    significance: SignificanceSettings = setting(
        {},
        "tests of whether experiments differ from a baseline by more than chance; docs/how-to/significance.md explains",
    )
    document_metrics: DocumentMetricsSettings = setting(
        {}, "scores of translations as documents; docs/reference/document-metrics.md explains"
    )
    model_folders: ModelFolderSettings = setting({}, "model folders; docs/reference/model-folder.md explains")
    metrics: dict[str, MetricSettings] = setting(
        {}, "metrics that a program of yours computes, by name; docs/how-to/other-systems.md explains"
    )
    hardware: HardwareSettings = setting(
        {}, "resources of the jobs of networks; a change alters no result and re-runs nothing"
    )
    experiments: dict[str, ExperimentSettings] = setting({}, "systems to train and compare, by name")
    paper_tables: dict[str, PaperTableSettings] = setting(
        {},
        "tables of papers with measured scores beside the published ones, by name, which the target table makes; "
        "docs/reference/paper-tables.md explains",
    )
    labellers: dict[str, LabellerSection] = setting(
        {},
        "labellers of themes on the encoders of trained models, by name; docs/systems/theme-labeller.md explains",
    )
    parsers: dict[str, ParserSection] = setting(
        {},
        "treebanks and settings from which the target parsers trains the builtin analysers, by language; "
        "docs/how-to/train-analysers.md explains",
    )
