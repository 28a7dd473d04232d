"""The file of dependencies of a split, from the tables of discourse analysis.

Dependents of a unit without words are re-attached to its head.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from discourse_nmt.base.arrays import Integers
from discourse_nmt.base.errors import InputError
from discourse_nmt.training.builders.alignment import Alignment, aligned
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.split_files import Shards, Tables, write_split
from discourse_nmt.training.structures.dependencies import SCHEMA, DependencyFile
from discourse_nmt.training.structures.unit_files import circular


def write_dependencies(dataset: ParallelDataset, shards: Shards, path: Path, _: BuilderOptions) -> None:
    """Write the dependencies from the tables ``tokens``, ``edus`` and ``rst_dependencies`` of the source side.

    Raises :class:`InputError`, naming the document, where they are not about the same sentences and units.
    """
    write_split(dataset, shards, _table, SCHEMA, DependencyFile, path)


def _table(dataset: ParallelDataset, tables: Tables) -> pa.Table:
    """The rows of the documents of ``dataset``."""
    alignment = aligned(dataset, tables["tokens"], tables["edus"])
    heads = without_unused(alignment.kept, _heads(alignment, tables["rst_dependencies"]))
    before = alignment.kept_before(dataset.documents)[alignment.row_of_unit[alignment.kept]]
    columns = {"edu_heads": (np.where(heads < 0, -1, heads - before), alignment.counts)}
    return alignment.table(dataset.documents, columns, SCHEMA)


def without_unused(kept: np.ndarray, heads: Integers) -> Integers:
    """The heads of the units that are ``kept`` (bool ``[M]``), counted over these.

    ``heads`` is a forest. A unit whose head is not kept gets the nearest ancestor that is.
    """
    while (skipped := (heads >= 0) & ~kept[heads]).any():
        heads = np.where(skipped, heads[heads], heads)
    kept_index = np.cumsum(kept) - 1
    return np.where(heads < 0, -1, kept_index[heads])[kept]


def _heads(alignment: Alignment, dependencies: pd.DataFrame) -> Integers:
    """The head of each unit, both counted over the dataset, -1 for a root."""
    names, counts = alignment.dataset.names, np.diff(alignment.documents)
    documents = np.repeat(np.arange(len(names)), counts)
    firsts = alignment.documents[documents]
    units, heads = _in_documents(names, counts, dependencies)

    def require(right: np.ndarray, fault: str) -> None:
        if not right.all():
            raise InputError(f"document {names[documents[np.argmin(right)]]}: table rst_dependencies: {fault}")

    require(units == np.arange(len(documents)) - firsts, "its EDUs are not 0, 1, 2 …, each once")
    require((heads >= -1) & (heads < counts[documents]), "a head is none of its EDUs")
    heads = np.where(heads < 0, -1, heads + firsts)
    in_circle = np.zeros(len(heads), dtype=bool)
    in_circle[circular(heads, int(counts.max(initial=0)))] = True
    require(~in_circle, "heads form a circle")
    return heads


def _in_documents(names: pd.Index, counts: Integers, frame: pd.DataFrame) -> tuple[Integers, Integers]:
    """The columns ``edu_id`` and ``head``, sorted by document and unit; ``counts`` units per document."""
    documents = names.get_indexer(pd.Index(frame["doc_id"]))
    if (documents < 0).any():
        unknown = frame["doc_id"].iloc[int(np.argmin(documents))]
        raise InputError(f"table rst_dependencies: document {unknown} is not in the dataset")
    different = np.bincount(documents, minlength=len(names)) != counts
    if different.any():
        name = names[int(np.argmax(different))]
        raise InputError(f"document {name}: not one row of rst_dependencies for each of its EDUs")
    order = np.lexsort((frame["edu_id"], documents))
    units, heads = (frame[column].to_numpy(np.int64)[order] for column in ("edu_id", "head"))
    return units, heads
