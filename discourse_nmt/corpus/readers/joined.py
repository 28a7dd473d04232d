"""Several corpora of one configuration as one: the tables of sentences that their own imports made."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import PurePath
from typing import Any

from discourse_nmt.corpus.documents import OF_PAIRS, Document
from discourse_nmt.corpus.reading.requests import Request


@dataclass(frozen=True)
class Options:
    """The format has no options."""


def read(request: Request, options: Options) -> Iterator[Document]:
    """The documents of each corpus in the order of its tables; ids are ``CORPUS/DOCUMENT``.

    A table lies at ``CORPUS/corpus/SPLIT/NUMBER.parquet``. Filters and held-out parts of the corpora stay as they are.
    """
    from discourse_nmt.corpus.reading.parquet_rows import rows  # a plan, which loads readers, needs no Arrow

    for source in request.sources["corpora"]:
        corpus = PurePath(source.name).parts[-4]
        for doc_id, group in groupby(rows(source), lambda numbered: numbered[1]["doc_id"]):
            document = Document.start(f"{corpus}/{doc_id}", source.name, source.name)
            document.source.unit = document.target.unit = "row"
            told: dict[str, list[Any]] = {column: [] for column in OF_PAIRS}
            for number, row in group:
                document.add(str(row["source"]), str(row["target"]), number)
                for column, values in told.items():
                    values.append(row[column])
            for column, name in OF_PAIRS.items():
                setattr(document, name, told[column] if any(value is not None for value in told[column]) else None)
            yield document
