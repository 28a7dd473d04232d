"""Unlabelled and labelled attachment of discourse units: UAS and LAS of discourse dependencies."""

from collections.abc import Callable, Hashable, Sequence

from discourse_nmt.discourse.evaluation.measures.counts import Counts
from discourse_nmt.discourse.structures.dependencies import Dependencies
from discourse_nmt.discourse.structures.relation_classes import coarse_label


def attachment(
    gold: Dependencies,
    predicted: Dependencies,
    gold_edus: Sequence[Hashable] | None = None,
    predicted_edus: Sequence[Hashable] | None = None,
    label: Callable[[str], str] = coarse_label,
) -> dict[str, Counts]:
    """Counts for UAS and LAS of one document, over all EDUs, roots included.

    ``gold_edus`` and ``predicted_edus`` identify the EDUs (any value that is equal on both sides for the same EDU);
    without them both sides have the same EDUs. An EDU is attached correctly if both sides have it with the same head
    EDU, or as a root. ``label`` maps relations to the labels that are compared. Raises ValueError for numbers of EDUs
    that do not fit.
    """
    if gold_edus is None or predicted_edus is None:
        gold_edus, predicted_edus = range(len(gold.heads)), range(len(predicted.heads))
        if len(gold_edus) != len(predicted_edus):
            raise ValueError(f"{len(gold_edus)} and {len(predicted_edus)} EDUs, and nobody says where they are")
    left, right = _arcs(gold, gold_edus, label), _arcs(predicted, predicted_edus, label)
    return {
        "UAS": Counts.of_sets({arc[:2] for arc in left}, {arc[:2] for arc in right}),
        "LAS": Counts.of_sets(left, right),
    }


def _arcs(
    dependencies: Dependencies, edus: Sequence[Hashable], label: Callable[[str], str]
) -> set[tuple[Hashable, Hashable, str]]:
    if len(edus) != len(dependencies.heads):
        raise ValueError(f"{len(edus)} EDUs for {len(dependencies.heads)} heads")
    return {
        (edus[number], edus[head] if head >= 0 else None, label(relation))
        for number, (head, relation) in enumerate(zip(dependencies.heads, dependencies.relations))
    }
