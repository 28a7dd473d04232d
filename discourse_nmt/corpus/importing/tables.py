"""The ``sentences`` and ``drops`` tables of imported documents.

Apart from the documents, whose module the plan of a run loads: it needs no pandas.
"""

from collections.abc import Iterable

import pandas as pd

from discourse_nmt.base.storage.tables import TABLES
from discourse_nmt.corpus.documents import OF_PAIRS, Document, Drop


def sentences_table(documents: Iterable[Document]) -> pd.DataFrame:
    """The ``sentences`` table of ``documents``."""
    columns: dict[str, list[object]] = {name: [] for name in TABLES["sentences"]}
    for document in documents:
        columns["doc_id"].extend([document.doc_id] * len(document))
        columns["sent_id"].extend(range(len(document)))
        columns["source"].extend(document.source.sentences)
        columns["target"].extend(document.target.sentences)
        for column, name in OF_PAIRS.items():
            columns[column].extend(getattr(document, name) or [None] * len(document))
    return pd.DataFrame(columns).astype({"scene": "Int32"})


def documents_table(documents: Iterable[Document]) -> pd.DataFrame:
    """The ``documents`` table of the documents of a split in order."""
    rows = [(document.doc_id, len(document), document.domain, document.gaps) for document in documents]
    return pd.DataFrame(rows, columns=list(TABLES["documents"])).astype({"sentences": "int32"})


def drops_table(drops: Iterable[Drop]) -> pd.DataFrame:
    """The ``drops`` table: one row for each dropped sentence pair or document."""
    rows = [(drop.doc_id, drop.line, drop.reason, drop.excerpt) for drop in drops]
    frame = pd.DataFrame(rows, columns=list(TABLES["drops"]))
    return frame.astype({"line": "Int32"})
