"""The documents of a test set with the annotation of their source, as prompts of language models read them."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from discourse_nmt.base.storage.tables import read_table
from discourse_nmt.corpus.test_sets import read_in_order
from discourse_nmt.discourse.records.record import DocumentRecord, records


def source_records(
    sentences: Sequence[str | Path], documents: str | Path, tables: Sequence[str] = ()
) -> list[DocumentRecord]:
    """The documents in the order of their table; ``tables`` has words ``TABLE=FILE``. Their target side is empty."""
    layers: dict[str, list[pd.DataFrame]] = defaultdict(list)
    for word in tables:
        table, _, file = word.partition("=")
        layers[table].append(read_table(file, table))
    annotation = {table: pd.concat(frames, ignore_index=True) for table, frames in layers.items()}
    texts = read_in_order(sentences, documents).assign(target="")
    return list(records(texts, {"source": annotation}))
