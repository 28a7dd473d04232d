"""Reading of the documents of a test set: their sentences in the order of the corpus files, and their paragraphs."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.base.storage.tables import read_table

KEY = ["doc_id", "sent_id"]


def read_in_order(sentences: Sequence[str | Path], documents: str | Path) -> pd.DataFrame:
    """The table sentences of all shards of a test set, in the order of its table ``documents``; other documents, as of
    the wrong variants of a suite, are left out."""
    order = read_table(documents, "documents")["doc_id"]
    index_of_document = {name: index for index, name in enumerate(order)}
    frame = pd.concat([read_table(path, "sentences") for path in sentences], ignore_index=True)
    place = frame["doc_id"].map(index_of_document)
    listed = frame.assign(place=place).dropna(subset="place")
    return listed.sort_values(["place", "sent_id"], ignore_index=True).drop(columns="place")


def translations_of(sentences: pd.DataFrame, translations: str | Path) -> list[str]:
    """The best translation of each of ``sentences``, by a table of translations."""
    table = read_table(translations, "translations", [*KEY, "rank", "hypothesis"])
    best = table[table["rank"] == 0].set_index(KEY)["hypothesis"]
    wanted = pd.MultiIndex.from_frame(sentences[KEY])
    missing = wanted[~wanted.isin(best.index)]
    if len(missing):
        document, number = missing[0]
        raise InputError(
            f"no translation of sentence {number} of document {document}",
            file=translations,
            remedy="take a test set; of a suite only the sentences are translated that its items ask for",
        )
    return best.loc[wanted].tolist()


def paragraphs_of(documents: str | Path) -> dict[str, list[int]]:
    """The number of sentences of each paragraph, by document; only of those whose format tells the text between."""
    table = read_table(documents, "documents").dropna(subset="gaps")
    return {str(name): paragraph_lengths(gaps) for name, gaps in zip(table["doc_id"], table["gaps"])}


def paragraph_lengths(gaps: Sequence[str]) -> list[int]:
    """Sentences of each paragraph of a text with ``gaps`` before each sentence and after the last: on its lines."""
    borders = [place for place, gap in enumerate(gaps[1:-1], start=1) if "\n" in gap]
    return [stop - first for first, stop in pairwise([0, *borders, len(gaps) - 1])]
