"""The file of word graphs of a split, from the tables of each side."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from discourse_nmt.base.relations import RELATIONS
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.builders.rows import joined, lengths_of, list_column, text_rows, with_rows
from discourse_nmt.training.data.dataset import KEYS, ParallelDataset
from discourse_nmt.training.data.split_files import Shards, Tables, write_split
from discourse_nmt.training.kinds import DRAFT
from discourse_nmt.training.structures.graphs import (
    LISTS,
    GraphFile,
    SourceAndDraftGraphFile,
    SourceGraphFile,
    graph_schema,
)

PREFIXES = {"source": "", "target": DRAFT}
"""What the names of a side's tables begin with: the target's are those of a draft translation."""


def write_graphs(dataset: ParallelDataset, shards: Shards, path: Path, _: BuilderOptions) -> None:
    """Write the source graphs of ``dataset`` from the tables ``tokens``, ``subwords`` and ``document_graph``.

    Raises :class:`.InputError` where the tables are not about the dataset's sentences.
    """
    _write(dataset, shards, path, SourceGraphFile)


def write_drafted_graphs(dataset: ParallelDataset, shards: Shards, path: Path, _: BuilderOptions) -> None:
    """Write these and the graphs of a draft translation, whose tables are ``draft_tokens`` and so on."""
    _write(dataset, shards, path, SourceAndDraftGraphFile)


def _write(dataset: ParallelDataset, shards: Shards, path: Path, reader: type[GraphFile]) -> None:
    schema = graph_schema(reader.sides)

    def table(shard_rows: ParallelDataset, tables: Tables) -> pa.Table:
        columns = {key: shard_rows.table[key] for key in KEYS}
        for side in reader.sides:
            columns |= {f"{side}_{name}": values for name, values in _columns(shard_rows, side, tables).items()}
        return pa.table(columns, schema=schema)

    write_split(dataset, shards, table, schema, reader, path)


def _columns(dataset: ParallelDataset, side: str, tables: Tables) -> dict[str, pa.Array]:
    """The columns of one side."""
    tokens, subwords = (
        text_rows(dataset, tables[PREFIXES[side] + name], name, side) for name in ("tokens", "subwords")
    )
    edges = with_rows(dataset, tables[PREFIXES[side] + "document_graph"], "document_graph", "from_sent")
    word_counts = lengths_of(tokens["tokens"])
    first_words = np.cumsum(word_counts) - word_counts
    first_words -= np.repeat(first_words[dataset.documents[:-1]], np.diff(dataset.documents))  # in their document
    target_rows = dataset.rows_of(edges["doc_id"], edges["to_sent"])
    edge_counts = np.bincount(edges["row"], minlength=len(dataset))
    subword_counts = lengths_of(subwords["ids"])
    lists: dict[str, tuple[np.ndarray, np.ndarray]] = {
        "ids": (joined(subwords["ids"]), subword_counts),
        "words": (joined(subwords["word_of_subword"]), subword_counts),
        "from": (edges["from_token"].to_numpy(np.int64), edge_counts),
        "to": (first_words[target_rows] + edges["to_token"].to_numpy(np.int64), edge_counts),
        "relation": (pd.Index(RELATIONS).get_indexer(pd.Index(edges["relation"])), edge_counts),
    }
    columns = {name: list_column(values, lengths, LISTS[name]) for name, (values, lengths) in lists.items()}
    return {"size": pa.array(word_counts, pa.int32())} | columns
