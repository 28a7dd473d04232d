"""Labels of words, from the spans of the table ``themes`` or from a corpus of labelled words."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np
import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.spans import most_shared
from discourse_nmt.discourse.themes.ctrd import CtrdDocument, labelled_words

KEYS = ["doc_id", "sent_id"]
WORDS = ["tokens", "starts", "ends"]
UNLABELLED = "none"


def words_of_themes(tokens: pd.DataFrame, themes: pd.DataFrame) -> pd.DataFrame:
    """The table ``labelled_words`` from the source side of ``tokens`` and the table ``themes`` of the same sentences.

    A word has the label of the span that it overlaps most, :data:`UNLABELLED` without one; sentences without words are
    left out. Raises :class:`InputError` for a span of a sentence that ``tokens`` lacks.
    """
    words = tokens[tokens["side"] == "source"].reset_index(drop=True)
    rows = pd.MultiIndex.from_frame(words[KEYS]).get_indexer(pd.MultiIndex.from_frame(themes[KEYS]))
    if (rows < 0).any():
        doc_id, sent_id = themes[KEYS].iloc[int(np.argmin(rows))]
        raise InputError(f"table themes: document {doc_id}, sentence {sent_id} is not in the table tokens")
    spans = themes.assign(row=rows).sort_values(["row", "start"])
    counts = words["tokens"].map(len).to_numpy(np.int64)
    starts, ends = (np.concatenate([[], *words[name]]).astype(np.int64) for name in ("starts", "ends"))
    # All sentences lie on one line of characters, so that their spans are disjoint.
    width = 1 + max(int(ends.max(initial=0)), int(spans["end"].max()) if len(spans) else 0)
    of_words, of_spans = np.repeat(np.arange(len(words)), counts) * width, spans["row"].to_numpy(np.int64) * width
    span_starts, span_ends = (spans[name].to_numpy(np.int64) + of_spans for name in ("start", "end"))
    span_of_word = most_shared(starts + of_words, ends + of_words, span_starts, span_ends)
    names = np.append(spans["label"].to_numpy(object), UNLABELLED)  # index -1 gives the last one
    labels = pd.Series(np.split(names[span_of_word], np.cumsum(counts)[:-1]), dtype=object, index=words.index)
    return words[[*KEYS, *WORDS]].assign(labels=labels)[counts > 0].reset_index(drop=True)


def words_of_ctrd(documents: Sequence[tuple[str, CtrdDocument]], *, omitted: bool) -> pd.DataFrame:
    """The table ``labelled_words`` of named documents: one row per clause with words, numbered from 0.

    Offsets count characters of the clause written without spaces, as Chinese is.
    """
    rows: list[Any] = []
    for name, document in documents:
        for number, clause in enumerate(document.clauses):
            if labelled := list(labelled_words(clause, omitted=omitted)):
                words, labels = zip(*labelled)
                ends = list(accumulate(map(len, words)))
                rows.append((name, number, words, [0, *ends[:-1]], ends, labels))
    return pd.DataFrame(rows, columns=[*KEYS, *WORDS, "labels"])
