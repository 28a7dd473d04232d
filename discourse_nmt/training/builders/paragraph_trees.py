"""The tree of each paragraph of some documents, over the units that have subwords.

The table ``rst`` holds either a tree for each paragraph or trees of documents, of which a paragraph has its part
(:mod:`.structures.subtrees`).
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.structures.forests import trees_of
from discourse_nmt.discourse.structures.subtrees import restricted
from discourse_nmt.discourse.structures.trees import RstTree, StructureError
from discourse_nmt.training.builders.alignment import Alignment

Trees = list[tuple[int, RstTree]]


def paragraph_trees(
    alignment: Alignment, borders: np.ndarray, rst: pd.DataFrame
) -> Iterator[tuple[int, RstTree | None]]:
    """Yield the number of units of each paragraph and its tree, None where the parser failed or there is no unit.

    ``borders`` holds the first row of each paragraph and, last, the number of rows. Raises :class:`InputError`, naming
    the document, where the trees in the table ``rst`` are neither of documents nor of paragraphs.
    """
    names = alignment.dataset.names
    nodes = _nodes(names, rst)
    ends = alignment.offsets[borders]  # the first unit of each paragraph and, last, the number of units
    first_paragraphs = np.searchsorted(borders, alignment.dataset.documents)
    for index, name in enumerate(names):
        first, last = alignment.documents[index : index + 2].tolist()
        trees = _trees(name, nodes.get(name), last - first)
        for start, stop in pairwise(ends[first_paragraphs[index] : first_paragraphs[index + 1] + 1].tolist()):
            kept = np.flatnonzero(alignment.kept[start:stop]) + start - first
            yield len(kept), _tree(name, trees, range(start - first, stop - first), kept.tolist())


def _nodes(names: pd.Index, rst: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows of each document."""
    nodes = {str(name): rows for name, rows in rst.groupby("doc_id", sort=False)}
    if unknown := sorted(nodes.keys() - set(names)):
        raise InputError(f"table rst: document {unknown[0]} is not in the dataset")
    return nodes


def _trees(name: str, nodes: pd.DataFrame | None, count: int) -> Trees:
    """The trees of a document of ``count`` units, none where its parser failed."""
    if nodes is None:
        return []
    rows: list[Any] = nodes.sort_values("node_id", kind="stable").to_dict("records")
    try:
        trees = list(trees_of(rows))
    except StructureError as error:
        raise InputError(f"document {name}: table rst: {error}") from None
    for first, tree in trees:
        if first < 0 or first + len(tree.leaves) > count:
            last = first + len(tree.leaves) - 1
            raise InputError(f"document {name}: table rst: its trees reach to EDU {last} (from 0) of {count}")
    return trees


def _tree(name: str, trees: Trees, units: range, kept: list[int]) -> RstTree | None:
    """The tree of the paragraph that covers ``units`` of its document, over the ``kept`` units, which have subwords."""
    touching = [(first, tree) for first, tree in trees if first < units.stop and units.start < first + len(tree.leaves)]
    if not touching or not kept:
        return None
    first, tree = touching[0]
    if first > units.start or first + len(tree.leaves) < units.stop:
        fault = f"the EDUs {units.start} to {units.stop - 1} (from 0), a paragraph, are not in one of its trees"
        raise InputError(f"document {name}: table rst: {fault}", remedy="parse documents or paragraphs")
    return restricted(tree, [unit - first for unit in kept])
