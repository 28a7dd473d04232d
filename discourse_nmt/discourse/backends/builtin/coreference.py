"""Coreference chains by the project's resolver, over any table ``syntax``."""

import logging
from collections.abc import Sequence
from pathlib import Path

from discourse_nmt.discourse.analysers.annotation import chain_rows
from discourse_nmt.discourse.backends.backend import Context, DocumentInput, Stage
from discourse_nmt.discourse.backends.builtin.models import has_model, model_folder
from discourse_nmt.discourse.backends.offsets import offsets_of, syntax_of
from discourse_nmt.discourse.coreference.weights import load_resolver
from discourse_nmt.discourse.settings import BuiltinSettings
from discourse_nmt.discourse.structures.rows import Row


class BuiltinCoreference:
    """The resolver of one folder; without a resolver there are no chains."""

    def __init__(self, folder: Path, context: Context) -> None:
        self._resolver = load_resolver(folder) if has_model(folder, "coreference") else None
        if self._resolver is None:
            logging.info("no builtin coreference for the language %s: no chains", context.language)

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        """Rows of the table ``coreference``."""
        if self._resolver is None:
            return [[] for _ in documents]
        tables = [document.tables["syntax"] for document in documents]
        speakers = [document.speakers or (None,) * len(document.sentences) for document in documents]
        chains_of_documents = self._resolver.resolve([syntax_of(rows) for rows in tables], speakers)
        return [
            chain_rows(document.doc_id, offsets_of(rows), chains)
            for document, rows, chains in zip(documents, tables, chains_of_documents)
        ]


def make(stage: Stage, settings: BuiltinSettings, context: Context) -> BuiltinCoreference:
    """The backend for the language of ``context``."""
    return BuiltinCoreference(model_folder(settings, context.language), context)
