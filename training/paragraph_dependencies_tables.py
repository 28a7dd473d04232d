"""From the tables of discourse analysis to the dependencies file of a split.

A paragraph has the dependencies of its own tree, or of its part of the document's. A paragraph without a tree has units
without heads; a single unit is a root.
"""

import logging
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from discourse.conversions import debinarise
from discourse.dependencies import Dependencies
from discourse.evaluation.dependencies import coarse_label
from discourse.trees import ROOT, RstTree
from models.discourse_attention import UNKNOWN
from training.alignment import Frames, aligned
from training.dataset import ParallelDataset
from training.paragraph_dependencies import SCHEMA, borders_of
from training.paragraph_trees import paragraph_trees


def paragraph_dependencies_table(
    dataset: ParallelDataset,
    tokens: Frames,
    edus: Frames,
    rst: Frames,
    convert: Callable[[RstTree], Dependencies],
    binary: bool = False,
) -> pa.Table:
    """The dependencies of ``dataset`` from the tables ``tokens``, ``edus`` and ``rst`` of the source side.

    ``convert`` makes dependencies of a tree; ``binary`` says that a parser made it binary, which is undone first. The
    tables come in shards, in any order. Raises :class:`corpus.errors.InputError`, naming the document, where they are
    not about the same sentences and units, or the trees are neither of documents nor of paragraphs.
    """
    alignment, borders = aligned(dataset, tokens, edus), borders_of(dataset)
    heads: list[int] = []
    relations: list[str] = []
    missing = 0
    for count, tree in paragraph_trees(alignment, borders, rst, "dependencies"):
        if tree is not None:
            found = convert(debinarise(tree) if binary else tree)
            heads += [unit if head < 0 else head for unit, head in enumerate(found.heads)]
            relations += [relation if relation == ROOT else coarse_label(relation) for relation in found.relations]
        else:
            single = count == 1
            missing += count > 1
            heads += [0 if single else UNKNOWN] * count
            relations += [ROOT if single else ""] * count
    if missing:
        logging.warning("%d of %d paragraphs have no tree: their units have no heads", missing, len(borders) - 1)
    columns: dict[str, tuple[np.ndarray, np.ndarray]] = {
        "edu_heads": (np.array(heads, np.int32), alignment.counts),
        "relations": (np.array(relations, object), alignment.counts),
    }
    return alignment.table(borders, columns, SCHEMA)
