"""The file of dependencies of paragraphs of a split, from the tables of discourse analysis.

The units of a paragraph without a tree have no heads; a single unit is a root.
"""

import logging
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from discourse_nmt.discourse.backends.trees import CONVERSIONS
from discourse_nmt.discourse.structures.conversions import debinarise
from discourse_nmt.discourse.structures.relation_classes import coarse_label
from discourse_nmt.discourse.structures.trees import ROOT_RELATION
from discourse_nmt.models.multitask.paragraph_analysis import UNANNOTATED
from discourse_nmt.training.builders.alignment import aligned
from discourse_nmt.training.builders.options import BuilderOptions
from discourse_nmt.training.builders.paragraph_trees import paragraph_trees
from discourse_nmt.training.data.dataset import ParallelDataset
from discourse_nmt.training.data.split_files import Shards, Tables, write_split
from discourse_nmt.training.structures.paragraph_dependencies import SCHEMA, ParagraphDependencyFile
from discourse_nmt.training.structures.unit_files import paragraph_borders


def write_paragraph_dependencies(dataset: ParallelDataset, shards: Shards, path: Path, options: BuilderOptions) -> None:
    """Write the dependencies of ``dataset`` from the tables ``tokens``, ``edus`` and ``rst`` of the source side.

    ``options`` say how trees become dependencies. Raises :class:`.InputError`, naming the document, where the tables
    are not about the same sentences and units, or the trees are neither of documents nor of paragraphs.
    """
    counts = Counter[str]()
    make = partial(_table, options=options, counts=counts)
    write_split(dataset, shards, make, SCHEMA, ParagraphDependencyFile, path)
    if counts["without"]:
        message = "%d of %d paragraphs have no tree: their units have no heads"
        logging.warning(message, counts["without"], counts["all"])


def _table(dataset: ParallelDataset, tables: Tables, options: BuilderOptions, counts: Counter[str]) -> pa.Table:
    """The rows of the documents of ``dataset``; ``counts`` all paragraphs and those without a tree."""
    alignment, borders = aligned(dataset, tables["tokens"], tables["edus"]), paragraph_borders(dataset)
    heads: list[int] = []
    relations: list[str] = []
    for count, tree in paragraph_trees(alignment, borders, tables["rst"]):
        counts["all"] += 1
        if tree is not None:
            dependencies = CONVERSIONS[options.conversion](debinarise(tree) if options.debinarise else tree)
            heads += [unit if head < 0 else head for unit, head in enumerate(dependencies.heads)]
            relations += [
                relation if relation == ROOT_RELATION else coarse_label(relation) for relation in dependencies.relations
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
