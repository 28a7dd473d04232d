"""Themes and rhemes by the project's rules, from any tables ``syntax`` and ``edus``, or from ``syntax`` alone."""

from collections.abc import Sequence

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.analysers.annotation import theme_rows
from discourse_nmt.discourse.backends.backend import Context, DocumentInput, Stage
from discourse_nmt.discourse.backends.builtin.models import check_model
from discourse_nmt.discourse.backends.offsets import offsets_of, syntax_of, words_and_edus
from discourse_nmt.discourse.settings import BuiltinThemeSettings
from discourse_nmt.discourse.structures.rows import Row
from discourse_nmt.discourse.structures.trees import StructureError
from discourse_nmt.discourse.themes.labelling import label_themes


class BuiltinThemes:
    """The rules of one language."""

    def __init__(self, settings: BuiltinThemeSettings, language: str) -> None:
        self._by_unit = settings.clause == "edu"
        self._language = language

    def analyse(self, documents: Sequence[DocumentInput]) -> list[list[Row]]:
        """Rows of the table ``themes``."""
        return [self._rows(document) for document in documents]

    def _rows(self, document: DocumentInput) -> list[Row]:
        words = document.tables["syntax"]
        sentences, edus = words_and_edus(document) if self._by_unit else (syntax_of(words), ())
        try:
            themes = label_themes(sentences, edus, self._language)
        except StructureError as error:  # words without dependencies, of another analyser
            raise InputError(f"document {document.doc_id}: {error}") from None
        return theme_rows(document.doc_id, offsets_of(words), themes)


def make(stage: Stage, settings: BuiltinThemeSettings, context: Context) -> BuiltinThemes:
    """The backend for the language of ``context``."""
    check_model(stage, settings, context.language)
    return BuiltinThemes(settings, context.language)
