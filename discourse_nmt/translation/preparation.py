"""New documents as a dataset with the structure that a model reads: the workflow's stages, in memory but for two files.

The target side is empty, or a draft where the model reads one.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from discourse_nmt.base.vocabulary import Vocabulary
from discourse_nmt.corpus.importing.drafts import draft
from discourse_nmt.text.pretrained import encoder
from discourse_nmt.text.settings import SIDES, TextSettings
from discourse_nmt.text.stages import apply_subwords, tokenise
from discourse_nmt.text.tokenisers import tokeniser
from discourse_nmt.text.truecasing import load_casing
from discourse_nmt.training.builders.options import Builder, BuilderOptions
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.dataset_tables import write_dataset
from discourse_nmt.training.kinds import DRAFT, STRUCTURES, StructureKind, loaded
from discourse_nmt.training.structures.opening import Structures, open_structure
from discourse_nmt.translation.analysis import DocumentAnalysis, Tables
from discourse_nmt.translation.manifest import AnalysisRecipe


class TextStage:
    """The text stage with the models of a folder."""

    def __init__(self, folder: Path, settings: TextSettings, vocabularies: Sequence[Vocabulary]) -> None:
        self.settings = settings
        self._encoders = {
            side: encoder(
                settings.of(side), load_casing(folder / side / "truecase.json"), folder / side / "bpe.json", vocabulary
            )
            for side, vocabulary in zip(SIDES, vocabularies)
        }

    def subword_count(self, sentence: str) -> int:
        """The number of subwords of a source sentence."""
        tokens = tokeniser(self.settings.source).tokenise(sentence)
        ids, _ = self._encoders["source"].encode(tokens)
        return len(ids)

    def tables(self, sentences: pd.DataFrame) -> Tables:
        """The tables ``tokens`` and ``subwords`` of a ``sentences`` table."""
        tokens = tokenise(sentences, self.settings)
        return {"tokens": tokens, "subwords": apply_subwords(tokens, self._encoders)}


def document_ids(count: int) -> list[str]:
    """The ids of documents, whose order is that of a dataset."""
    return [f"{number:09d}" for number in range(count)]


def sentences_table(documents: Sequence[Sequence[str]]) -> pd.DataFrame:
    """The ``sentences`` table of documents, whose ids are in their order; the target is empty."""
    rows = [
        (doc_id, index, sentence, "")
        for doc_id, sentences in zip(document_ids(len(documents)), documents)
        for index, sentence in enumerate(sentences)
    ]
    return pd.DataFrame(rows, columns=["doc_id", "sent_id", "source", "target"])


class Preparation:
    """Documents to what a task reads; ``kind`` is the kind of structure that the model decodes with."""

    def __init__(self, text: TextStage, kind: str, analysis: DocumentAnalysis, recipe: AnalysisRecipe) -> None:
        self._text = text
        self._kind: StructureKind = STRUCTURES[kind]
        self._analysis = analysis
        self._options = self._builder_options(recipe)

    @property
    def drafted(self) -> bool:
        """Whether the model reads drafts."""
        return self._kind.drafted

    def _builder_options(self, recipe: AnalysisRecipe) -> BuilderOptions:
        values: dict[str, Any] = {
            "conversion": recipe.rst.conversion,
            "debinarise": recipe.rst.debinarise,
            "language": self._text.settings.source.language,
        }
        return BuilderOptions(**{name: values[name] for name in self._kind.options})

    def prepared(
        self, documents: Sequence[Sequence[str]], folder: Path, drafts: pd.DataFrame | None = None
    ) -> tuple[ParallelDataset, Structures[object] | None]:
        """The dataset of ``documents``, each at least one sentence, and its structures, as files in ``folder``.

        ``drafts`` is the table ``translations`` of the same documents, for a kind of structure that needs drafts.
        """
        sentences = sentences_table(documents)
        return self._dataset(sentences, self._text.tables(sentences), folder, drafts)

    def translated(
        self,
        documents: Sequence[Sequence[str]],
        lines: Sequence[Sequence[str]],
        folder: Path,
        drafts: pd.DataFrame | None = None,
    ) -> tuple[ParallelDataset, Structures[object] | None, Tables]:
        """As :meth:`prepared`, with a translation as target, and the tables of both sides' tokens and subwords."""
        sentences = sentences_table(documents).assign(target=[line for document in lines for line in document])
        text = self._text.tables(sentences)
        return *self._dataset(sentences, text, folder, drafts), text

    def _dataset(
        self, sentences: pd.DataFrame, text: Tables, folder: Path, drafts: pd.DataFrame | None
    ) -> tuple[ParallelDataset, Structures[object] | None]:
        path = folder / "dataset.arrow"
        write_dataset([text["subwords"]], path)
        dataset = ParallelDataset(path)
        if not self._kind.tables:
            return dataset, open_structure(self._kind.name, None, dataset)
        tables = self._analysis.inputs(self._kind, "source", text, sentences, dataset)
        if self._kind.drafted:
            assert drafts is not None
            drafted = draft(sentences, drafts)
            own = self._analysis.inputs(self._kind, "target", self._text.tables(drafted), drafted, dataset)
            tables |= {DRAFT + name: table for name, table in own.items()}
        structure = folder / "structure.arrow"
        build: Builder = loaded(self._kind.builder)
        build(dataset, [tables], structure, self._options)
        return dataset, open_structure(self._kind.name, structure, dataset)
