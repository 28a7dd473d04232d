"""Sections under ``corpora``."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.settings import DISTINCT, SOME_DISTINCT, ChosenBy, Given, given, required, resolved, setting
from discourse_nmt.corpus.data.settings import DataSettings
from discourse_nmt.corpus.importing.plan import CorpusSettings, SplitSettings
from discourse_nmt.corpus.readers import FORMATS as CORPUS_FORMATS
from discourse_nmt.corpus.suites import FORMATS as SUITE_FORMATS
from discourse_nmt.corpus.suites.plan import SuiteSettings
from discourse_nmt.language_models.settings import LanguageModelSettings
from discourse_nmt.training.settings import TrainingSettings
from discourse_nmt.workflow.configuration.decoding import DecodingSection
from discourse_nmt.workflow.configuration.texts import TextSection


@dataclass(frozen=True)
class ExternalSystemSettings:
    """Translations by a system outside of the project, which are scored beside those of the experiments."""

    hypotheses: dict[str, str] = required(
        "file of detokenised translations by test set or suite, in the order of it: one sentence per line; JSON "
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
    language_model: LanguageModelSettings | None = resolved("language model that is asked for them; None for files")
    analysis: str = resolved("set of analysers whose annotation its prompts read")


@dataclass(frozen=True)
class SuiteSection(SuiteSettings):
    """Where a suite is, how it is written, and how much of its context is read."""

    options: Given[object] = given(  # type: ignore[assignment]
        object,
        "options of the format, see docs/reference/contrastive-suites.md",
        ChosenBy("format", {name: one.options for name, one in SUITE_FORMATS.items()}),
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
    splits: dict[str, Given[SplitSettings]] = required(  # type: ignore[assignment]
        "files of each split: train, dev (selects the model), test, and any further test set",
        schema={"required": ["train"]},
    )
    options: Given[object] = given(  # type: ignore[assignment]
        object,
        "options of the format, see docs/reference/corpus-formats.md",
        ChosenBy("format", {name: one.options for name, one in CORPUS_FORMATS.items()}),
    )
    data: DataSettings | None = setting(
        None,
        "source of its files for the target data; null for files that are there; docs/how-to/corpora.md explains",
    )
    licence: str | None = setting(
        None, "licence of its text, which the target documents_jsonl writes into every document; null: not stated"
    )
    contrastive: dict[str, str] = setting(
        {}, "contrastive items (a table, see discourse_nmt/base/storage/tables.py) by the split of their documents"
    )
    suites: dict[str, SuiteSection] = setting(
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
    text: TextSection = setting(
        TextSection(), "tokenisation, casing and subwords; a value may be given per side as {source: ..., target: ...}"
    )
    text_pairs: int = setting(
        5_000_000,
        "about the largest number of sentence pairs of train from which truecasing, subwords and vocabularies are "
        "learnt; in a larger corpus a stable hash of the document id chooses the documents",
        minimum=1,
    )
    training: Given[TrainingSettings] = given(
        TrainingSettings, "keys of training that differ on this corpus; those of an experiment go before them"
    )
    decoding: Given[DecodingSection] = given(
        DecodingSection, "keys of decoding that differ on this corpus; those of an experiment go before them"
    )
    text_of: str | None = setting(
        None,
        "corpus whose text settings, truecasing, subwords and vocabularies this one takes over; experiments on this "
        "corpus may then start from experiments on that one; null: the text stage learns from train",
    )

    def language(self, side: str) -> str:
        """The language of ``source`` or ``target``."""
        return self.source_language if side == "source" else self.target_language

    @property
    def shard_count(self) -> int:
        """The number of shards, which is chosen once the configuration is resolved."""
        assert self.shards != "auto"
        return self.shards
