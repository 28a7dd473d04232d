"""Parseval scores of rhetorical structure trees: original Parseval, and RST-Parseval.

Both compare constituents, identified by their words. **Original Parseval** (Morey, Muller and Asher 2017,
"How much progress have we made on RST discourse parsing?") takes the inner nodes, root included, and labels each with
the nuclearity of its children (nucleus-satellite, ...) and the relation that joins them. **RST-Parseval** (Marcu 2000)
takes all nodes except the root, leaves included, and labels each with its own role and relation; the nucleus of a
nucleus-satellite pair has the relation ``span``. With the same EDUs on both sides its Span is exactly
(100 + Span of original Parseval) / 2, since leaves are always right.

Scores in the literature are of binary trees: :func:`.binarise` a gold tree first (right-branching, like GUM's binary
.dis files).
"""

from collections.abc import Callable, Sequence
from typing import Literal

from discourse_nmt.discourse.evaluation.measures.counts import Counts
from discourse_nmt.discourse.evaluation.measures.offsets import Offsets
from discourse_nmt.discourse.structures.relation_classes import coarse
from discourse_nmt.discourse.structures.trees import RstTree

Variant = Literal["original", "rst"]


def parseval(
    gold: RstTree,
    predicted: RstTree,
    gold_edus: Sequence[Offsets] | None = None,
    predicted_edus: Sequence[Offsets] | None = None,
    variant: Variant = "original",
    label: Callable[[str], str] = coarse,
) -> dict[str, Counts]:
    """Counts for Span, Nuclearity, Relation and Full (both) of one document.

    ``gold_edus`` and ``predicted_edus`` are the EDUs ``[start, end)`` over words (or characters) of the document;
    without them both trees have the same EDUs. ``label`` maps relations to the labels that are compared. Raises
    ValueError for a number of EDUs that does not fit a tree, and for trees of different sizes without EDUs.
    """
    if gold_edus is None or predicted_edus is None:
        if len(gold.leaves) != len(predicted.leaves):
            raise ValueError(f"{len(gold.leaves)} and {len(predicted.leaves)} EDUs, and nobody says where they are")
        gold_edus = predicted_edus = [(number, number + 1) for number in range(len(gold.leaves))]
    constituents = _attachments if variant == "original" else _labelled_nodes
    left, right = constituents(gold, gold_edus, label), constituents(predicted, predicted_edus, label)
    fields = {"Span": (0,), "Nuclearity": (0, 1), "Relation": (0, 2), "Full": (0, 1, 2)}
    return {
        metric: Counts.of_sets(
            {tuple(node[field] for field in compared) for node in left},
            {tuple(node[field] for field in compared) for node in right},
        )
        for metric, compared in fields.items()
    }


def _attachments(
    tree: RstTree, edus: Sequence[Offsets], label: Callable[[str], str]
) -> list[tuple[Offsets, tuple[str, ...], str]]:
    """Inner nodes: span, nuclearity of the children, relation that joins them."""
    spans = _spans(tree, edus)
    return [
        (spans[number], tuple(tree.nodes[child].nuclearity for child in below), label(tree.joining_relation(number)))
        for number, below in enumerate(tree.children)
        if below
    ]


def _labelled_nodes(
    tree: RstTree, edus: Sequence[Offsets], label: Callable[[str], str]
) -> list[tuple[Offsets, str, str]]:
    """All nodes but the root: span, own role, own relation."""
    spans = _spans(tree, edus)
    return [(spans[number], node.nuclearity, label(node.relation)) for number, node in enumerate(tree.nodes) if number]


def _spans(tree: RstTree, edus: Sequence[Offsets]) -> list[Offsets]:
    if len(edus) != len(tree.leaves):
        raise ValueError(f"{len(edus)} EDUs for a tree of {len(tree.leaves)}")
    return [(edus[node.first_edu][0], edus[node.last_edu][1]) for node in tree.nodes]
