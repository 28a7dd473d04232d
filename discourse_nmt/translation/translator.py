"""A trained model that translates new documents; :func:`discourse_nmt.translation.load` returns one."""

import dataclasses
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError
from discourse_nmt.base.progress import quiet
from discourse_nmt.base.settings import parse_settings
from discourse_nmt.discourse.plain_text import check_text
from discourse_nmt.discourse.settings import Side
from discourse_nmt.models.core.inference import device_named
from discourse_nmt.models.core.preparation import prepare_for_inference
from discourse_nmt.models.switches.decoding import DecodingSettings
from discourse_nmt.models.switches.transformer import TransformerSettings
from discourse_nmt.models.systems import system_named
from discourse_nmt.text.postprocessing import Postprocessor
from discourse_nmt.text.settings import SIDES
from discourse_nmt.text.tokenisers import tokeniser
from discourse_nmt.text.writing_systems import UNSPACED_LANGUAGES
from discourse_nmt.training.checkpoints.cards import parse_card, read_metadata
from discourse_nmt.training.checkpoints.model_files import load_model
from discourse_nmt.training.tasks.protocol import task_for
from discourse_nmt.translation.analysis import DocumentAnalysis, builtin_recipe, sentence_splitter
from discourse_nmt.translation.forced_attention import forced_attention
from discourse_nmt.translation.formats.readers import read_formatted
from discourse_nmt.translation.formatted_documents import FormattedDocument
from discourse_nmt.translation.model_folder import ANALYSERS, ModelFolder, open_folder
from discourse_nmt.translation.preparation import Preparation, TextStage, document_ids
from discourse_nmt.translation.texts import (
    Layout,
    SourceDocument,
    cut_long_sentences,
    documents_of,
)
from discourse_nmt.translation.word_links import WordLinks

GROUP = 2000
MOST_SUBWORDS = 600  # time grows with their square; 300 words rarely have more
"""Sentences, about, that are analysed and translated together: batches are full, memory stays small."""


@dataclass(frozen=True)
class RankedTranslation:
    """One translation of a sentence: a line of text, its tokens, and log-probability over length penalty (nats)."""

    line: str
    tokens: list[str]
    score: float


@dataclass(frozen=True)
class DocumentTranslation:
    """The translation of a document: the n-best candidates of each of its sentences, the best one first."""

    source: SourceDocument
    candidates: tuple[tuple[RankedTranslation, ...], ...]
    space: str
    """What stands between two sentences of a line."""

    @property
    def lines(self) -> list[str]:
        """The translation of each sentence."""
        return [candidates[0].line for candidates in self.candidates]

    @property
    def text(self) -> str:
        """The translation with the line ends, paragraphs and empty lines of the source."""
        return self.source.with_sentences(self.lines, self.space)

    def records(self) -> Iterator[dict[str, object]]:
        """For each sentence: its document and number, source, translation, score, what follows, other candidates.

        The first one also has what is before it, such as the mark of an item.
        """
        sentences = zip(self.source.sentences, self.candidates, self.source.gaps[1:])
        for number, (sentence, (best, *others), after) in enumerate(sentences):
            record = {"document": self.source.name, "sentence": number, "source": sentence}
            record |= {"translation": best.line, "score": best.score, "after": after}
            if number == 0 and (before := self.source.gaps[0]):
                record["before"] = before
            if others:
                record["others"] = [{"translation": other.line, "score": other.score} for other in others]
            yield record


class Translator:
    """The model of a folder, ready to translate."""

    def __init__(self, folder: str | Path | ModelFolder, *, device: str = "auto", **decoding: Any) -> None:
        """Open and load the folder; ``decoding`` are settings that differ from the model's own.

        Raises :class:`InputError` where the folder is damaged, a setting is wrong, or there is no analyser for the
        language of the structure that the model reads.
        """
        self.folder = folder if isinstance(folder, ModelFolder) else open_folder(folder)
        manifest = self.folder.manifest
        self.settings = parse_settings(
            DecodingSettings, {**dataclasses.asdict(manifest.decoding), **decoding}, "decoding"
        )
        if self.settings.target_context == "references":
            raise InputError(
                "decoding: target_context is references, but a new text has no references",
                file=self.folder.path,
                remedy="set target_context to own in the folder's manifest",
            )
        self._vocabularies = self.folder.vocabularies
        text = self.folder.text
        card = parse_card(read_metadata(self.folder.weights), self.folder.weights)
        self._system = system_named(card.system)
        switches = self._system.switches(card.settings)
        kind = switches.decoding_structure(self.settings.use_tree)
        recipe = builtin_recipe(manifest.analysis, self.folder.path / ANALYSERS) if kind else manifest.analysis
        source, target = manifest.languages
        languages: dict[Side, str] = {"source": source, "target": target}
        analysis = DocumentAnalysis(recipe if kind else dataclasses.replace(recipe, source={}, target={}), languages)
        stage = TextStage(self.folder.path, text, self._vocabularies)
        self._preparation = Preparation(stage, kind, analysis, recipe)
        self._stage = stage
        self._most_subwords = most_subwords(switches, self.settings)
        self._postprocessor = Postprocessor(text.target, self._vocabularies[1])
        self._tokeniser = tokeniser(text.source)
        self._network = load_model(self.folder.weights, *self._vocabularies, device=device_named(device))
        subwords = self.folder.subword_translations() if self.settings.shortlist else None
        prepare_for_inference(self._network, self.settings, subwords)
        self._drafter = None
        if self._preparation.drafted:
            if self.folder.draft is None:
                raise InputError("the system reads drafts, but the folder has no model for them", file=self.folder.path)
            self._drafter = Translator(self.folder.draft, device=device)

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target language."""
        return self.folder.manifest.languages

    def translate(self, document: str | Sequence[str], layout: Layout = "paragraphs") -> DocumentTranslation:
        """The translation of a text, or of a document of given sentences, of which those without text stay as they are.

        A text has several documents only with the layout ``marked``, which :meth:`translate_documents` translates.
        """
        if isinstance(document, str):
            (source,) = self.documents(document, "", layout)
        else:
            source = SourceDocument.of_sentences(check_text(sentence, "") for sentence in document)
        (translation,) = self.translate_documents([source])
        return translation

    def documents(self, text: str, name: str, layout: Layout = "paragraphs") -> list[SourceDocument]:
        """The documents of a text, see :func:`.documents_of`."""
        split = sentence_splitter(self.languages[0]) if layout == "paragraphs" else None
        return documents_of(check_text(text, name), name, layout, split)

    def formatted(self, text: str, name: str, format_name: str, layout: Layout = "paragraphs") -> FormattedDocument:
        """The document of the text of a file with markup; each line of a block is a sentence in the layout ``lines``.

        Raises :class:`InputError`, naming the line, for a text that is not in this format.
        """
        split = sentence_splitter(self.languages[0]) if layout == "paragraphs" else None
        return FormattedDocument.of(read_formatted(text, name, format_name, self.languages[1]), name, split)

    def translated_file(self, document: FormattedDocument, translation: DocumentTranslation) -> str:
        """A file with markup in the target language, given the translation of its document."""
        source, target = (language in UNSPACED_LANGUAGES for language in self.languages)
        return document.with_translation(
            translation.source.sentences,
            translation.lines,
            lambda: self.word_links(translation),
            translation.space,
            None if source == target else translation.space,
        )

    def translate_documents(
        self, documents: Iterable[SourceDocument], progress: Callable[[int], object] = lambda count: None
    ) -> Iterator[DocumentTranslation]:
        """Yield the translation of each document; ``progress`` is told of each number of translated sentences.

        Documents do not affect each other's translations. Memory holds about :data:`GROUP` sentences.
        """
        waiting: list[SourceDocument] = []
        for document in documents:
            waiting.append(cut_long_sentences(document, self._tokeniser, self._fits))
            if sum(len(one.sentences) for one in waiting) >= GROUP:
                yield from self._translated(waiting, progress)
                waiting = []
        yield from self._translated(waiting, progress)

    def _fits(self, sentence: str) -> bool:
        """Whether a source sentence has at most as many subwords as are translated at once."""
        most = self._most_subwords
        return len(sentence.encode()) <= most or self._stage.subword_count(sentence) <= most

    def _translated(
        self, documents: Sequence[SourceDocument], progress: Callable[[int], object]
    ) -> Iterator[DocumentTranslation]:
        """Sentences without text stay as they are, and their neighbours do not see them."""
        with_text = [list(filter(has_text, document.sentences)) for document in documents]
        translations = iter(self._candidates(list(filter(None, with_text)), progress) if any(with_text) else [])
        space = "" if self.languages[1] in UNSPACED_LANGUAGES else " "
        for document, translated in zip(documents, with_text):
            candidates = (
                tuple(next(translations)) if has_text(sentence) else (RankedTranslation(sentence, [], 0.0),)
                for sentence in document.sentences
            )
            yield DocumentTranslation(document, tuple(candidates), space)
            progress(len(document.sentences) - len(translated))

    def _candidates(
        self, documents: Sequence[Sequence[str]], progress: Callable[[int], object]
    ) -> list[list[RankedTranslation]]:
        """The candidates of all sentences, in order."""
        with quiet(), tempfile.TemporaryDirectory() as folder:
            drafts = self._drafter.draft_table(documents) if self._drafter is not None else None
            dataset, structures = self._preparation.prepared(documents, Path(folder), drafts)
            if not self.settings.use_context:
                dataset = dataset.without_context()
            task = task_for(self._system.unit, self._network, dataset, structures)
            found: dict[int, list[RankedTranslation]] = {}
            for row, hypotheses in task.hypotheses(self._network, self.settings):
                found[row] = [
                    RankedTranslation(
                        self._postprocessor.line(hypothesis.ids),
                        self._postprocessor.tokens(hypothesis.ids),
                        hypothesis.score,
                    )
                    for hypothesis in hypotheses
                ]
                progress(1)
        return [found[row] for row in range(len(found))]

    def word_links(self, translation: DocumentTranslation) -> list[WordLinks]:
        """The links of the words of each sentence of a document to those of its best translation.

        They are the network's attention while it reads the translation; of a system without one, places in the line.
        """
        pairs = list(zip(translation.source.sentences, translation.lines))
        links = [WordLinks.of_places(*pair) for pair in pairs]
        rows = [row for row, (sentence, _) in enumerate(pairs) if has_text(sentence)]
        if not rows:
            return links
        documents = [[pairs[row][0] for row in rows]]
        lines = [[pairs[row][1] for row in rows]]
        with quiet(), tempfile.TemporaryDirectory() as folder:
            drafts = self._drafter.draft_table(documents) if self._drafter is not None else None
            dataset, structures, text = self._preparation.translated(documents, lines, Path(folder), drafts)
            task = task_for(self._system.unit, self._network, dataset, structures)
            attention = forced_attention(task, self._network, dataset, self._system.unit)
            tokens, subwords = (
                {side: table[table["side"] == side].to_dict("records") for side in SIDES}
                for table in (text["tokens"], text["subwords"])
            )
            for index, (row, weights) in enumerate(zip(rows, attention)):
                if weights is not None and weights.size:
                    source, target = (tokens[side][index] for side in SIDES)
                    links[row] = WordLinks.of_subwords(
                        weights,
                        list(zip(source["starts"], source["ends"])),
                        list(zip(target["starts"], target["ends"])),
                        *(subwords[side][index]["word_of_subword"] for side in SIDES),
                    )
        return links

    def draft_table(self, documents: Sequence[Sequence[str]]) -> pd.DataFrame:
        """The best translations of ``documents`` as the table ``translations`` of a split."""
        candidates = iter(self._candidates(documents, lambda count: None))
        rows = [
            {"doc_id": doc_id, "sent_id": number, "rank": 0, "hypothesis": next(candidates)[0].line}
            for doc_id, sentences in zip(document_ids(len(documents)), documents)
            for number in range(len(sentences))
        ]
        return pd.DataFrame(rows)


def most_subwords(switches: TransformerSettings, decoding: DecodingSettings) -> int:
    """Subwords of the longest source sentence that is translated at once: 1 to :data:`MOST_SUBWORDS`.

    It and its longest translation stay within learned positions.
    """
    if switches.positions != "learned":
        return MOST_SUBWORDS
    source = switches.max_positions - 2  # <s> and </s>
    target = switches.max_positions - 1 - decoding.max_length_offset
    return max(1, min(source, int(target / decoding.max_length_ratio), MOST_SUBWORDS))
