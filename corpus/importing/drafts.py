"""Draft translations of documents in the place of their targets."""

import pandas as pd

from discourse_nmt.corpus.errors import InputError

KEYS = ["doc_id", "sent_id"]
NO_WORDS = "."


def draft(sentences: pd.DataFrame, translations: pd.DataFrame) -> pd.DataFrame:
    """The table ``sentences`` whose targets are the best of the ``translations``.

    A translation of blanks becomes a full stop, for no sentence is empty. Raises :class:`InputError` where a sentence
    has no translation.
    """
    best = translations[translations["rank"] == 0].set_index(KEYS)["hypothesis"]
    found = best.reindex(pd.MultiIndex.from_frame(sentences[KEYS]))
    if found.isna().any():
        document, number = found.index[int(found.isna().argmax())]
        raise InputError(f"document {document}, sentence {number}: no translation")
    lines = found.astype(str).str.strip()
    return sentences.assign(target=lines.mask(lines == "", NO_WORDS).to_numpy())
