"""From the tables of a side to the columns of a graph file."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from corpus.errors import InputError
from corpus.tables import RELATIONS
from training.dataset import KEYS, ParallelDataset
from training.graph_files import LISTS, graph_schema

Frames = Iterable[pd.DataFrame]
Tables = Mapping[str, Frames]


def graph_table(dataset: ParallelDataset, sides: Mapping[str, Tables]) -> pa.Table:
    """The graph file of ``dataset``: for each side its tables ``tokens``, ``subwords`` and ``document_graph``.

    The tables come in shards, in any order. Raises :class:`InputError` where they are not about the dataset's
    sentences.
    """
    columns = {key: dataset.table[key] for key in KEYS}
    for side, tables in sides.items():
        for name, values in _side(dataset, side, tables).items():
            columns[f"{side}_{name}"] = values
    return pa.table(columns, schema=graph_schema(list(sides)))


def _side(dataset: ParallelDataset, side: str, tables: Tables) -> dict[str, pa.Array]:
    keys = pd.MultiIndex.from_frame(dataset.table.select(KEYS).to_pandas())
    tokens, subwords = (
        _sorted(keys, [frame[frame["side"] == side] for frame in tables[name]], name, "sent_id")
        for name in ("tokens", "subwords")
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


def _sorted(keys: pd.MultiIndex, frames: Frames, name: str, sentence: str) -> pd.DataFrame:
    """A table of all shards with the dataset's ``row`` of each of its rows, sorted by it."""
    frame = pd.concat(list(frames), ignore_index=True)
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
