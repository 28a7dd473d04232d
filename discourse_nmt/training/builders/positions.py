"""The file of discourse structural positions of a split, from the tables of discourse analysis.

All positions of a paragraph without a tree, or of a single unit, are 0.
"""

import logging
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from discourse_nmt.discourse.structures.positions import position_tables, without_tree
from discourse_nmt.training.builders.alignment import aligned
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.builders.paragraph_trees import paragraph_trees
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.split_files import Shards, Tables, write_split
from discourse_nmt.training.structures.positions import PER_PAIR, PER_UNIT, SCHEMA, PositionFile
from discourse_nmt.training.structures.unit_files import paragraph_borders

TYPES = {name: kind.value_type.to_pandas_dtype() for name, kind in (PER_UNIT | PER_PAIR).items()}


def write_positions(dataset: ParallelDataset, shards: Shards, path: Path, _: BuilderOptions) -> None:
    """Write the positions of ``dataset`` from the tables ``tokens``, ``edus`` and ``rst`` of the source side.

    Raises :class:`InputError`, naming the document, where they are not about the same sentences and units, or the trees
    are neither of documents nor of paragraphs.
    """
    counts = Counter[str]()
    write_split(dataset, shards, partial(_table, counts=counts), SCHEMA, PositionFile, path)
    if counts["without"]:
        logging.warning("%d of %d paragraphs have no tree: their positions are 0", counts["without"], counts["all"])


def _table(dataset: ParallelDataset, tables: Tables, counts: Counter[str]) -> pa.Table:
    """The rows of the documents of ``dataset``; ``counts`` all paragraphs and those without a tree."""
    alignment, borders = aligned(dataset, tables["tokens"], tables["edus"]), paragraph_borders(dataset)
    sizes = []
    values: dict[str, list[np.ndarray]] = {name: [np.empty(0, kind)] for name, kind in TYPES.items()}
    for count, tree in paragraph_trees(alignment, borders, tables["rst"]):
        positions = without_tree(count) if tree is None else position_tables(tree)
        sizes.append(len(positions.depths))
        counts["without"] += sizes[-1] > 1 and not positions.parsed
        for name, kind in TYPES.items():
            values[name].append(getattr(positions, name).ravel().astype(kind))
    counts["all"] += len(sizes)
    of_paragraph = np.repeat(np.array(sizes, np.int64), np.diff(borders))
    columns = {
        name: (np.concatenate(arrays), alignment.counts * (of_paragraph if name in PER_PAIR else 1))
        for name, arrays in values.items()
    }
    return alignment.table(borders, columns, SCHEMA)
