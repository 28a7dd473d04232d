"""From the tables of discourse analysis to the dependencies file of a split.

A paragraph has the dependencies of its own tree, or of its part of the document's. A paragraph without a tree has units
without heads; a single unit is a root.
"""

import logging
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from discourse_nmt.discourse.evaluation.measures.dependencies import coarse_label
from discourse_nmt.discourse.structures.conversions import debinarise
from discourse_nmt.discourse.structures.dependencies import Dependencies
from discourse_nmt.discourse.structures.trees import ROOT_RELATION, RstTree
from discourse_nmt.models.multitask.paragraph_analysis import UNANNOTATED
from discourse_nmt.training.builders.alignment import aligned
from discourse_nmt.training.builders.paragraph_trees import paragraph_trees
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.split_files import Shards, Tables, write_split
from discourse_nmt.training.structures.paragraph_dependencies import SCHEMA, ParagraphDependencies, borders_of

Convert = Callable[[RstTree], Dependencies]


def write_paragraph_dependencies(
    dataset: ParallelDataset, shards: Shards, path: Path, convert: Convert, binary: bool = False
) -> None:
    """The dependencies of ``dataset`` from the tables ``tokens``, ``edus`` and ``rst`` of the source side.

    ``convert`` makes dependencies of a tree; ``binary`` says that a parser made it binary, which is undone first.
    Raises :class:`.InputError`, naming the document, where the tables are not about the same sentences and
    units, or the trees are neither of documents nor of paragraphs.
    """
    counts = Counter[str]()
    make = partial(_table, convert=convert, binary=binary, counts=counts)
    write_split(dataset, shards, make, SCHEMA, ParagraphDependencies, path)
    if counts["without"]:
        told = "%d of %d paragraphs have no tree: their units have no heads"
        logging.warning(told, counts["without"], counts["all"])


def _table(dataset: ParallelDataset, tables: Tables, convert: Convert, binary: bool, counts: Counter[str]) -> pa.Table:
    """The rows of the documents of ``dataset``; paragraphs are counted, and those without a tree."""
    alignment, borders = aligned(dataset, tables["tokens"], tables["edus"]), borders_of(dataset)
    heads: list[int] = []
    relations: list[str] = []
    for count, tree in paragraph_trees(alignment, borders, tables["rst"]):
        counts["all"] += 1
        if tree is not None:
            found = convert(debinarise(tree) if binary else tree)
            heads += [unit if head < 0 else head for unit, head in enumerate(found.heads)]
            relations += [
                relation if relation == ROOT_RELATION else coarse_label(relation) for relation in found.relations
            ]
        else:
            single = count == 1
            counts["without"] += count > 1
            heads += [0 if single else UNANNOTATED] * count
            relations += [ROOT_RELATION if single else ""] * count
    columns: dict[str, tuple[np.ndarray, np.ndarray]] = {
        "edu_heads": (np.array(heads, np.int32), alignment.counts),
        "relations": (np.array(relations, object), alignment.counts),
    }
    return alignment.table(borders, columns, SCHEMA)
