"""Trained models as folders that travel, and the translation of new text with them: ``load("DIR").translate(text)``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discourse_nmt.translation.translator import Translator


def load(folder: str | Path, **options: Any) -> "Translator":
    """The translator of a model folder; ``options`` are those of :class:`.Translator`.

    Raises :class:`.InputError` where the folder is damaged, of another format version, or cannot translate new text.
    """
    from discourse_nmt.translation.translator import Translator

    return Translator(folder, **options)
