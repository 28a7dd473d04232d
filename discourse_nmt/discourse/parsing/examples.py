"""Documents with gold trees for the training of the parser; trees as lists of labelled inner nodes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from discourse_nmt.discourse.parsing.document import ParserInput
from discourse_nmt.discourse.structures.conversions import binarise
from discourse_nmt.discourse.structures.trees import (
    NUCLEUS,
    ROOT_RELATION,
    ROOT_ROLE,
    SATELLITE,
    SPAN,
    Nuclearity,
    RstNode,
    RstTree,
)

Node = tuple[int, int, int]  # first EDU, first EDU of the right child, end
ROLES: dict[str, tuple[Nuclearity, Nuclearity]] = {
    "nn": (NUCLEUS, NUCLEUS),
    "ns": (NUCLEUS, SATELLITE),
    "sn": (SATELLITE, NUCLEUS),
}
LETTERS = {roles: letters for letters, roles in ROLES.items()}


@dataclass(frozen=True)
class ParserExample:
    """A document and its gold tree, n-ary or binary, over the same EDUs."""

    name: str
    document: ParserInput
    tree: RstTree


def without_paragraphs(example: ParserExample) -> ParserExample:
    """The example without paragraphs."""
    return replace(example, document=replace(example.document, paragraphs=None))


def coarse(relation: str) -> str:
    """Class of a relation: its name up to the first hyphen (``same`` for ``same-unit``)."""
    return relation.partition("-")[0]


def nodes_of_tree(tree: RstTree) -> tuple[list[Node], list[str]]:
    """Inner nodes of the right-binarised tree, in pre-order, and their labels (``elaboration ns``)."""
    tree = binarise(tree)
    nodes, labels = [], []
    for number, below in enumerate(tree.children):
        if below:
            left, right = (tree.nodes[child] for child in below)
            nodes.append((left.first_edu, right.first_edu, right.last_edu + 1))
            letters = LETTERS[left.nuclearity, right.nuclearity]
            labels.append(f"{coarse(tree.joining_relation(number))} {letters}")
    return nodes, labels


def tree_of_nodes(edus: int, nodes: Sequence[Node], labels: Sequence[str]) -> RstTree:
    """The binary tree over ``edus`` EDUs from its inner nodes in pre-order and their labels."""
    inner = iter(zip(nodes, labels))
    rst_nodes: list[RstNode] = []
    pending: list[tuple[int, int, int, Nuclearity, str]] = [(-1, 0, edus, ROOT_ROLE, ROOT_RELATION)]
    while pending:
        parent, first, end, role, relation = pending.pop()
        rst_nodes.append(RstNode(parent, first, end - 1, role, relation))
        if end - first == 1:
            continue
        (_, division, _), label = next(inner)
        name, letters = label.split()
        number = len(rst_nodes) - 1
        left, right = ROLES[letters]
        pending.append((number, division, end, right, SPAN if letters == "sn" else name))
        pending.append((number, first, division, left, SPAN if letters == "ns" else name))
    return RstTree(tuple(rst_nodes))
