"""Documents with draft translations as their targets."""

import pandas as pd

from discourse_nmt.base.characters import has_text
from discourse_nmt.base.errors import InputError

KEYS = ["doc_id", "sent_id"]
NO_WORDS = "."


def draft(sentences: pd.DataFrame, translations: pd.DataFrame) -> pd.DataFrame:
    """The table ``sentences`` with the best of the ``translations`` as targets.

    A blank translation becomes a full stop, since no sentence may be empty. Raises :class:`InputError` for a sentence
    without a translation.
    """
    best = translations[translations["rank"] == 0].set_index(KEYS)["hypothesis"]
    drafts = best.reindex(pd.MultiIndex.from_frame(sentences[KEYS]))
    if drafts.isna().any():
        document, number = drafts.index[int(drafts.isna().argmax())]
        raise InputError(f"document {document}, sentence {number}: no translation")
    lines = drafts.astype(str).str.strip()
    return sentences.assign(target=lines.where(lines.map(has_text), NO_WORDS).to_numpy())
