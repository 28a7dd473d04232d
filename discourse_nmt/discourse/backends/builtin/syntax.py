"""Syntax by the joint network; words only for a language without one."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from discourse_nmt.discourse.analysers.analyser import Analyser
from discourse_nmt.discourse.analysers.annotation import syntax_rows
from discourse_nmt.discourse.analysers.weights import load_segmenter
from discourse_nmt.discourse.backends.backend import Context, DocumentInput, Stage
from discourse_nmt.discourse.backends.builtin.joint import joint_network
from discourse_nmt.discourse.backends.builtin.models import has_model, model_folder
from discourse_nmt.discourse.settings import BuiltinSettings
from discourse_nmt.discourse.structures.mentions import Characters
from discourse_nmt.discourse.structures.rows import Row
from discourse_nmt.discourse.structures.syntax import Syntax
from discourse_nmt.text.settings import SideSettings
from discourse_nmt.text.tokenisers import tokeniser


class BuiltinSyntax:
    """The models of one folder."""

    def __init__(self, folder: Path, context: Context) -> None:
        self._side = context.side
        self._segmenter = load_segmenter(folder) if has_model(folder, "segmenter") else None
        self._tokenise = tokeniser(SideSettings(language=context.language)).tokenise
        self._analyser: Analyser | None = None
        if has_model(folder, "joint"):
            self._analyser = joint_network(folder, units=False)
        else:
            logging.info("no builtin syntax for the language %s: words only", context.language)

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        """Rows of the table ``syntax``."""
        offsets = self._words([sentence for document in documents for sentence in document.sentences])
        words = [[next(offsets) for _ in document.sentences] for document in documents]
        forms = [
            [[text[start:end] for start, end in spans] for text, spans in zip(document.sentences, sentences)]
            for document, sentences in zip(documents, words)
        ]
        analyses: Sequence[Sequence[Syntax]] = (
            [[_words_only(sentence) for sentence in sentences] for sentences in forms]
            if self._analyser is None
            else self._analyser.analyse(forms)
        )
        return [
            syntax_rows(document.doc_id, self._side, spans, sentences)
            for document, spans, sentences in zip(documents, words, analyses)
        ]

    def _words(self, sentences: Sequence[str]) -> Iterator[list[Characters]]:
        """Characters of the words of each sentence."""
        if self._segmenter is not None:
            yield from self._segmenter.tokenise(sentences)
            return
        for sentence in sentences:
            tokens = self._tokenise(sentence)
            yield list(zip(tokens.starts, tokens.ends))


def _words_only(forms: Sequence[str]) -> Syntax:
    nothing = ("_",) * len(forms)
    lemmas = tuple(form.lower() for form in forms)
    return Syntax(tuple(forms), nothing, nothing, nothing, lemmas, (-1,) * len(forms), nothing)


def make(stage: Stage, settings: BuiltinSettings, context: Context) -> BuiltinSyntax:
    """The backend for the language of ``context``."""
    return BuiltinSyntax(model_folder(settings, context.language), context)
