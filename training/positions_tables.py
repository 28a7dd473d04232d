"""From the tables of discourse analysis to the positions file of a split.

A paragraph has the tree of its own that the table ``rst`` holds for it, or its part of the document's tree
(:mod:`discourse.subtrees`). A paragraph without a tree, and one of a single unit, has the positions 0.
"""

import logging

import numpy as np
import pyarrow as pa

from discourse.positions import position_tables, without_tree
from training.alignment import Frames, aligned
from training.dataset import ParallelDataset
from training.paragraph_trees import paragraph_trees
from training.positions import PER_PAIR, PER_UNIT, SCHEMA, borders_of

TYPES = {name: kind.value_type.to_pandas_dtype() for name, kind in (PER_UNIT | PER_PAIR).items()}


def positions_table(dataset: ParallelDataset, tokens: Frames, edus: Frames, rst: Frames) -> pa.Table:
    """The positions of ``dataset`` from the tables ``tokens``, ``edus`` and ``rst`` of the source side.

    The tables come in shards, in any order. Raises :class:`InputError`, naming the document, where they are not about
    the same sentences and units, or the trees are neither of documents nor of paragraphs.
    """
    alignment, borders = aligned(dataset, tokens, edus), borders_of(dataset)
    sizes, missing = [], 0
    values: dict[str, list[np.ndarray]] = {name: [np.empty(0, kind)] for name, kind in TYPES.items()}
    for count, tree in paragraph_trees(alignment, borders, rst, "positions"):
        tables = without_tree(count) if tree is None else position_tables(tree)
        sizes.append(len(tables.depths))
        missing += sizes[-1] > 1 and not tables.parsed
        for name, kind in TYPES.items():
            values[name].append(getattr(tables, name).ravel().astype(kind))
    if missing:
        logging.warning("%d of %d paragraphs have no tree: their positions are 0", missing, len(sizes))
    of_paragraph = np.repeat(np.array(sizes, np.int64), np.diff(borders))
    columns = {
        name: (np.concatenate(found), alignment.counts * (of_paragraph if name in PER_PAIR else 1))
        for name, found in values.items()
    }
    return alignment.table(borders, columns, SCHEMA)
