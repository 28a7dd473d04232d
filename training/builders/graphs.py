"""From the tables of a side to the columns of a graph file."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from discourse_nmt.corpus.errors import InputError
from discourse_nmt.corpus.storage.tables import RELATIONS
from discourse_nmt.training.data.dataset import KEYS, ParallelDataset
from discourse_nmt.training.data.split_files import Shards, Tables, write_split
from discourse_nmt.training.structures.graphs import LISTS, SourceAndDraftGraphs, SourceGraphs, graph_schema

TABLES = ("tokens", "subwords", "document_graph")
PREFIXES = {"source": "", "target": "draft_"}
"""What the names of a side's tables begin with: the target's are those of a draft."""


def write_graphs(dataset: ParallelDataset, shards: Shards, path: Path, drafted: bool = False) -> None:
    """The graph file of ``dataset`` from the tables ``tokens``, ``subwords`` and ``document_graph``.

    With a draft translation its tables are there, too, ``draft_tokens`` and so on. Raises :class:`InputError` where the
    tables are not about the dataset's sentences.
    """
    opened = SourceAndDraftGraphs if drafted else SourceGraphs
    schema = graph_schema(opened.sides)

    def table(part: ParallelDataset, tables: Tables) -> pa.Table:
        columns = {key: part.table[key] for key in KEYS}
        for side in opened.sides:
            of_side = {name: tables[PREFIXES[side] + name] for name in TABLES}
            columns |= {f"{side}_{name}": values for name, values in _side(part, side, of_side).items()}
        return pa.table(columns, schema=schema)

    write_split(dataset, shards, table, schema, opened, path)


def _side(dataset: ParallelDataset, side: str, tables: Tables) -> dict[str, pa.Array]:
    keys = pd.MultiIndex.from_frame(dataset.table.select(KEYS).to_pandas())
    tokens, subwords = (
        _sorted(keys, tables[name][tables[name]["side"] == side], name, "sent_id") for name in ("tokens", "subwords")
    )
    for name, frame in (("tokens", tokens), ("subwords", subwords)):
        if not np.array_equal(frame["row"], np.arange(len(dataset))):
            raise InputError(f"table {name}: its sentences are not those of the dataset")
    edges = _sorted(keys, tables["document_graph"], "document_graph", "from_sent")
    sizes = tokens["tokens"].map(len).to_numpy(np.int64)
    firsts = np.cumsum(sizes) - sizes
    in_document = firsts - np.repeat(firsts[dataset.documents[:-1]], np.diff(dataset.documents))
    targets = keys.get_indexer(pd.MultiIndex.from_arrays([edges["doc_id"], edges["to_sent"]]))
    counts = np.bincount(edges["row"], minlength=len(dataset))
    lengths = subwords["ids"].map(len).to_numpy(np.int64)
    values: dict[str, tuple[np.ndarray, np.ndarray]] = {
        "ids": (_flat(subwords["ids"]), lengths),
        "words": (_flat(subwords["word_of_subword"]), lengths),
        "from": (edges["from_token"].to_numpy(np.int64), counts),
        "to": (in_document[targets] + edges["to_token"].to_numpy(np.int64), counts),
        "relation": (pd.Index(RELATIONS).get_indexer(pd.Index(edges["relation"])), counts),
    }
    return {"size": pa.array(sizes, pa.int32())} | {name: _lists(name, *found) for name, found in values.items()}


def _sorted(keys: pd.MultiIndex, frame: pd.DataFrame, name: str, sentence: str) -> pd.DataFrame:
    """A table with the dataset's ``row`` of each of its rows, sorted by it."""
    rows = keys.get_indexer(pd.MultiIndex.from_arrays([frame["doc_id"], frame[sentence]]))
    if (rows < 0).any():
        document, number = frame[["doc_id", sentence]].iloc[int(np.argmin(rows))]
        raise InputError(f"table {name}: document {document}, sentence {number} is not in the dataset")
    return frame.assign(row=rows).sort_values("row", kind="stable", ignore_index=True)


def _flat(column: pd.Series) -> np.ndarray:
    return np.concatenate([np.empty(0, np.int64), *column]).astype(np.int64)


def _lists(name: str, values: np.ndarray, counts: np.ndarray) -> pa.Array:
    offsets = np.concatenate([[0], np.cumsum(counts)])
    kind = LISTS[name]
    return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), pa.array(values, kind.value_type)).cast(kind)
