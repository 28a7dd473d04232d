"""The analysis that a multi-task network predicts, as tables of annotation, and its agreement with a parser."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from discourse_nmt.base.storage.tables import TABLES
from discourse_nmt.discourse.backends.pieces import OF_NODES, OF_UNITS
from discourse_nmt.discourse.evaluation.measures.counts import Counts
from discourse_nmt.discourse.evaluation.measures.units import unit_counts
from discourse_nmt.discourse.structures.conversions import constituency, li14
from discourse_nmt.discourse.structures.dependencies import Dependencies, split_label
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.projective import best_projective_tree
from discourse_nmt.discourse.structures.rows import Row, dependencies_to_rows, edus_to_rows, tree_to_rows
from discourse_nmt.discourse.structures.trees import ROOT_RELATION
from discourse_nmt.models.multitask.labels import ParagraphAnalysis
from discourse_nmt.models.multitask.parsing import ParsedParagraph
from discourse_nmt.training.builders.rows import text_rows
from discourse_nmt.training.data.dataset import ParallelDataset

Offsets = tuple[Sequence[int], Sequence[int]]
MADE = ("edus", "rst", "rst_dependencies")


def offsets_of(dataset: ParallelDataset, tokens: Iterable[pd.DataFrame]) -> list[Offsets]:
    """First character and end of each source word, by rows of the dataset.

    Raises :class:`.InputError` where the ``tokens`` tables are not about the sentences of the dataset.
    """
    words = text_rows(dataset, pd.concat(list(tokens)), "tokens", "source")
    return list(zip(words["starts"], words["ends"]))


def discourse_tables(
    dataset: ParallelDataset,
    offsets: Sequence[Offsets],
    parsed: Iterable[tuple[int, int, ParsedParagraph]],
    classes: Sequence[str],
) -> dict[str, pd.DataFrame]:
    """The tables ``edus``, ``rst`` and ``rst_dependencies`` of paragraphs, in the order of the dataset.

    ``parsed`` holds the first row of each paragraph, the row after its last one, and its parse, of which the best
    projective tree with one root is taken. Units and nodes are numbered over the document. ``offsets`` are those of
    :func:`offsets_of`, ``classes`` the names of relations.
    """
    rows: dict[str, list[Row]] = {name: [] for name in MADE}
    document, units_before, nodes_before = "", 0, 0
    sentences = dataset.table["sent_id"].to_pylist()
    for start, stop, paragraph in parsed:
        name = dataset.document(start)
        if name != document:
            document, units_before, nodes_before = name, 0, 0
        spans = [
            span
            for row, units in zip(range(start, stop), paragraph.units)
            for span in _spans(sentences[row], units, words_of(dataset, row), offsets[row])
        ]
        if not spans:
            continue
        heads = best_projective_tree(paragraph.heads)
        whole = [unit if head < 0 else head for unit, head in enumerate(heads)]
        relations = tuple(classes[number] for number in paragraph.relations(whole))
        tree = constituency(Dependencies(tuple(heads), relations))
        nodes = tree_to_rows(name, tree)
        rows["edus"] += shifted(edus_to_rows(name, spans), units_before, nodes_before)
        # In the tree, a nucleus before its head, which Li's rule never yields, is a satellite.
        rows["rst_dependencies"] += shifted(dependencies_to_rows(name, li14(tree)), units_before, nodes_before)
        rows["rst"] += shifted(nodes, units_before, nodes_before)
        units_before, nodes_before = units_before + len(heads), nodes_before + len(nodes)
    return {name: pd.DataFrame(of_table, columns=list(TABLES[name])) for name, of_table in rows.items()}


def shifted(rows: Iterable[Row], units: int, nodes: int) -> list[Row]:
    """Rows with units and nodes counted from 0, with these numbers added; -1 stays."""
    shifts = dict.fromkeys(OF_UNITS, units) | dict.fromkeys(OF_NODES, nodes)
    return [row | {name: row[name] + shift for name, shift in shifts.items() if row.get(name, -1) >= 0} for row in rows]


def words_of(dataset: ParallelDataset, row: int) -> np.ndarray:
    """The word of each source subword of a row."""
    first, last = dataset.source.offsets[row : row + 2]
    return dataset.source.words[first:last]


def _spans(sentence: int, units: np.ndarray, words: np.ndarray, offsets: Offsets) -> list[Span]:
    """The units of a sentence as spans of characters."""
    starts, ends = offsets
    return [
        Span(sentence, int(starts[words[units == unit].min()]), int(ends[words[units == unit].max()]))
        for unit in np.unique(units).tolist()
    ]


def segmentation_counts(gold: ParagraphAnalysis, predicted: ParsedParagraph) -> dict[str, Counts]:
    """Counts of units with both ends right (span F1), and of their beginnings, in words of the paragraph."""
    assert gold.units is not None
    sides: list[set[tuple[int, int]]] = [set(), set()]
    before, firsts = 0, []
    for words, *both in zip(gold.words, gold.units, predicted.units):
        firsts.append(before)
        for side, units in zip(sides, both):
            for unit in np.unique(units).tolist():
                inside = words[units == unit]
                side.add((before + int(inside.min()), before + int(inside.max()) + 1))
        before += int(words[-1]) + 1 if len(words) else 0
    return unit_counts(sides[0], sides[1], firsts)


def attachment_counts(
    gold: tuple[Sequence[int], Sequence[str]], predicted: tuple[Sequence[int], Sequence[str]]
) -> dict[str, Counts]:
    """Counts for UAS and LAS of a paragraph by heads and relations.

    Both sides have the same units. A root is its own head. Units with an unknown head, negative in ``gold``, do not
    count. LAS compares relations with their roles, nucleus or satellite; ``LAS without roles`` compares their classes.
    """
    known = [unit for unit, head in enumerate(gold[0]) if head >= 0]
    headed = [unit for unit in known if gold[0][unit] == predicted[0][unit]]
    exact = [unit for unit in headed if gold[1][unit] == predicted[1][unit]]
    alike = [unit for unit in headed if _class(gold[1][unit]) == _class(predicted[1][unit])]
    right = {"UAS": headed, "LAS": exact, "LAS without roles": alike}
    return {name: Counts(len(units), len(known), len(units), len(known)) for name, units in right.items()}


def _class(relation: str) -> str:
    return relation if relation == ROOT_RELATION else split_label(relation)[0]
