"""Sections under ``parsers``: treebanks, teachers and what each analyser learns."""

from dataclasses import dataclass
from typing import Literal

from discourse_nmt.base.settings import DISTINCT, FILES, Given, probability, required, setting
from discourse_nmt.corpus.data.settings import DataSettings
from discourse_nmt.discourse.treebanks.settings import TreebankSettings


@dataclass(frozen=True)
class ProjectionSettings:
    """Parallel text over which the output of another language's analyser is projected, for want of a treebank."""

    parallel: list[str] = required(
        "folders with files NAME.LANGUAGE of both languages; line N of one translates line N of the other", schema=FILES
    )
    more: list[str] = setting([], "more such folders, which only the word alignment learns from")
    language: str = setting("en", "the other language, read by its shipped analysers")
    where: str = setting("", "source of the files, shown when one is missing")


@dataclass(frozen=True)
class TrainedAnalyserSettings:
    """An analyser that is trained beside the joint network."""

    settings: dict[str, object] = setting({}, "sizes of its networks")
    training: dict[str, object] = setting({}, "training of its networks")
    resolving: dict[str, object] = setting({}, "thresholds of the chains, for coreference")
    projected: ProjectionSettings | None = setting(
        None, "parallel text on which it learns what another language's analyser finds; null: a treebank teaches it"
    )


@dataclass(frozen=True)
class VectorSettings:
    """Vectors of words from raw text, which the joint network reads and does not change."""

    file: str = required("vectors in the text format of word2vec, GloVe and fastText, the most frequent words first")
    words: int = setting(50_000, "words that are kept, from the beginning", minimum=2)
    where: str = setting("", "source of the file, shown when it is missing")


@dataclass(frozen=True)
class TeacherSettings:
    """Joint networks that annotate raw text, from which the joint network learns beside its treebanks."""

    texts: list[str] = required(
        "plain text; a file is a document, a line a paragraph; its licence must allow that weights learn from it",
        schema=FILES,
    )
    members: int = setting(1, "networks, each from another seed, whose scores are averaged", minimum=1)
    pretrained: str | None = setting(
        None,
        "folder of a BERT in the format of Hugging Face (config.json, model.safetensors, tokenizer.json), which the "
        "teachers read; null for none",
    )
    training: dict[str, object] = setting({}, "keys of training that differ from those of the joint network")
    where: str = setting("", "source of the texts and the BERT, shown when one is missing")


@dataclass(frozen=True)
class LearntUnitsSettings:
    """Discourse units that the finished joint network learns from the treebank ``units``, in files of their own."""

    training: dict[str, object] = setting({}, "keys of training that differ from those of the joint network")
    threshold: float = probability(0.6, "least probability for the beginning of a unit")
    notice: str = setting("", "licence of the units, shown when they are used")


@dataclass(frozen=True)
class ParserSection:
    """The builtin analysers of one language."""

    treebanks: dict[str, TreebankSettings] = required(
        "treebanks by name: train teaches everything, more (optional) only words, tags and dependencies, units "
        "(optional) discourse units and trees; every other one is scored, and dev is scored during training",
        schema={"required": ["train", "dev"]},
    )
    data: DataSettings | None = setting(
        None, "source of the treebanks' files, which the workflow then brings; null for files that you have"
    )
    genres: list[str] = setting(
        [], "genres of train to learn from, by documents named CORPUS_GENRE_name; [] for all", schema=DISTINCT
    )
    more_teaches: list[Literal["units", "features", "xpos"]] = setting(
        ["xpos"], "what is learnt from more besides UPOS, lemmas and dependencies", schema=DISTINCT
    )
    guidelines: Literal["train", "more"] = setting(
        "train", "treebank whose guidelines analyses follow, where train and more differ"
    )
    notice: str = setting("", "licence of the weights, shown when they are loaded")
    traditional: bool = setting(False, "whether Chinese weights also read traditional characters, by OpenCC's table")
    segmenter: dict[str, object] = setting({}, "tokeniser and sentence splitter")
    network: dict[str, object] = setting({}, "sizes of the joint network")
    training: dict[str, object] = setting({}, "training of the joint network")
    vectors: VectorSettings | None = setting(None, "vectors of words that the joint network also reads; null for none")
    teachers: TeacherSettings | None = setting(
        None, "networks that annotate raw text, which the joint network also learns from; null for none"
    )
    folds: int = setting(
        4,
        "folds of documents, each annotated by a joint network that was trained without it; later analysers learn from "
        "these; 0 takes the syntax of the treebank",
        minimum=0,
    )
    fold_training: dict[str, object] = setting({}, "keys of training that differ for the folds")
    units: LearntUnitsSettings | None = setting(
        None,
        "discourse units apart from the joint network, of the treebank units or else of the projected trees of rst; "
        "null for those of the joint network",
    )
    rst: Given[TrainedAnalyserSettings] | None = setting(None, "RST parser; null for none")
    coreference: Given[TrainedAnalyserSettings] | None = setting(None, "coreference resolver; null for none")

    def analyser(self, name: str) -> TrainedAnalyserSettings:
        """The settings of ``rst`` or ``coreference``."""
        section = self.rst if name == "rst" else self.coreference
        return section.parsed(name) if section is not None else TrainedAnalyserSettings()

    def projection(self, analyser: str) -> ProjectionSettings | None:
        """The section ``projected`` of ``rst`` or ``coreference``; None where a treebank teaches it."""
        return self.analyser(analyser).projected
