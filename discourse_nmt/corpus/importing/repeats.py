"""Sentences of development and test sets that stand verbatim in train."""

from collections.abc import Iterable, Mapping

import pandas as pd

from discourse_nmt.base.storage.tables import TABLES
from discourse_nmt.corpus.documents import Document


def repeats(documents: Mapping[str, Iterable[Document]]) -> dict[str, pd.DataFrame]:
    """By split other than train, the table ``repeats`` of its sentences whose source is a source sentence of train;
    of none if there is no train.

    Memory holds the distinct sentences of these splits, whatever the size of train.
    """
    others = [name for name in documents if name != "train"]
    wanted = {pair for name in others for document in documents[name] for pair in zip(*_sides(document))}
    sources = {source for source, _ in wanted}
    seen_sources, seen_pairs = set[str](), set[tuple[str, str]]()
    for document in documents.get("train", ()) if wanted else ():
        for pair in zip(*_sides(document)):
            if pair[0] in sources:
                seen_sources.add(pair[0])
                if pair in wanted:
                    seen_pairs.add(pair)
    return {name: _table(documents[name], seen_sources, seen_pairs) for name in others}


def _sides(document: Document) -> tuple[list[str], list[str]]:
    return document.source.sentences, document.target.sentences


def _table(documents: Iterable[Document], sources: set[str], pairs: set[tuple[str, str]]) -> pd.DataFrame:
    rows = [
        (document.doc_id, number, pair in pairs)
        for document in documents
        for number, pair in enumerate(zip(*_sides(document)))
        if pair[0] in sources
    ]
    return pd.DataFrame(rows, columns=list(TABLES["repeats"])).astype({"sent_id": "int32", "pair": "bool"})
