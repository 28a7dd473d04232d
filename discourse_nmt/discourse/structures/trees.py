"""Rhetorical structure trees (Mann and Thompson 1988) over elementary discourse units (EDUs), n-ary or binary.

A tree is a flat sequence of nodes in pre-order, each with the index of its parent, like the rows of the table ``rst``.
Trees of any depth can thus be built, compared, hashed and walked without recursion. EDUs and nodes are numbered from 0.

A node's ``relation`` joins it to its siblings. A single nucleus beside satellites has the relation :data:`SPAN` (its
satellites name the relation, as in rs3 and .dis files). The nuclei of a multinuclear node have the multinuclear
relation, the root has :data:`ROOT_RELATION`.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, TypeVar

Nuclearity = Literal["nucleus", "satellite", "root"]
NUCLEUS: Nuclearity = "nucleus"
SATELLITE: Nuclearity = "satellite"
ROOT_ROLE: Nuclearity = "root"
SPAN = "span"
ROOT_RELATION = "ROOT"

Key = TypeVar("Key", bound=Hashable)


class StructureError(ValueError):
    """An ill-formed tree, dependency structure or chain; the one-line message names the node or EDU."""


@dataclass(frozen=True, slots=True)
class RstNode:
    """One node: index of its parent (-1 for the root), first and last EDU (inclusive), role and relation."""

    parent: int
    first_edu: int
    last_edu: int
    nuclearity: Nuclearity
    relation: str


@dataclass(frozen=True)
class RstTree:
    """A tree over the EDUs ``0 .. len(leaves) - 1``.

    ``nodes`` are in pre-order, children in text order. ``texts`` has one text per EDU, or is empty if the source of the
    tree has no text. Raises :class:`StructureError` if the children of a node do not tile its EDUs, if a node has a
    single child or no nucleus among its children, or if roles and relations break the rules above.
    """

    nodes: tuple[RstNode, ...]
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_order(self.nodes)
        for number, children in enumerate(self.children):
            if children:
                nodes = [self.nodes[child] for child in children]
                _check_roles(number, [(node.nuclearity, node.relation) for node in nodes])
        if self.texts and len(self.texts) != len(self.leaves):
            raise StructureError(f"{len(self.texts)} texts for {len(self.leaves)} EDUs")

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Indices of each node's children, in text order; empty for a leaf."""
        children: list[list[int]] = [[] for _ in self.nodes]
        for number, node in enumerate(self.nodes):
            if node.parent >= 0:
                children[node.parent].append(number)
        return tuple(map(tuple, children))

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """Index of the leaf node of each EDU."""
        return tuple(number for number, children in enumerate(self.children) if not children)

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """Edges between each node and the root."""
        depths: list[int] = []
        for node in self.nodes:
            depths.append(0 if node.parent < 0 else depths[node.parent] + 1)
        return tuple(depths)

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """Head EDU of each node: a leaf's own EDU, otherwise the head of the leftmost nucleus (Li et al. 2014)."""
        heads = [node.first_edu for node in self.nodes]
        for number in reversed(range(len(self.nodes))):
            if self.children[number]:
                heads[number] = heads[self.head_child(number)]
        return tuple(heads)

    def head_child(self, number: int) -> int:
        """Index of the leftmost nucleus among the children of an inner node."""
        return next(child for child in self.children[number] if self.nodes[child].nuclearity == NUCLEUS)

    def joining_relation(self, number: int) -> str:
        """Relation that joins the children of an inner node: the first one other than :data:`SPAN`."""
        relations = [self.nodes[child].relation for child in self.children[number]]
        return next((relation for relation in relations if relation != SPAN), SPAN)


def _check_order(nodes: Sequence[RstNode]) -> None:
    """Check in one pass that nodes are in pre-order and that the children of every node tile its EDUs."""
    if not nodes or nodes[0].parent != -1 or nodes[0].nuclearity != ROOT_ROLE:
        raise StructureError("node 0 is not a root (parent -1, nuclearity root)")
    branch: list[int] = []
    child_counts, closed = [0] * len(nodes), [False] * len(nodes)
    reached = 0

    def close() -> None:
        number = branch.pop()
        closed[number] = True
        node = nodes[number]
        if child_counts[number] == 1:
            raise StructureError(f"node {number} has a single child")
        if node.last_edu != reached - 1:
            raise StructureError(f"node {number} ends at EDU {node.last_edu}, what it covers at EDU {reached - 1}")

    for number, node in enumerate(nodes):
        if number and (not 0 <= node.parent < number or closed[node.parent]):
            raise StructureError(f"node {number} does not follow its parent {node.parent} in pre-order")
        while branch and branch[-1] != node.parent:
            close()
        if node.first_edu != reached or node.last_edu < node.first_edu:
            raise StructureError(
                f"node {number} covers EDUs {node.first_edu} to {node.last_edu}, but EDU {reached} comes next"
            )
        if branch:
            child_counts[branch[-1]] += 1
        if number + 1 == len(nodes) or nodes[number + 1].parent != number:
            reached += 1
        branch.append(number)
    while branch:
        close()


def _check_roles(node: object, children: Sequence[tuple[Nuclearity, str]]) -> None:
    """Check the roles and relations of a node's children."""
    nuclei = [relation for role, relation in children if role == NUCLEUS]
    if any(role not in (NUCLEUS, SATELLITE) for role, _ in children):
        raise StructureError(f"node {node} has a child that is neither nucleus nor satellite")
    if not nuclei:
        raise StructureError(f"node {node} has no nucleus among its children")
    if any(not relation for _, relation in children):
        raise StructureError(f"node {node} has a child without a relation")
    if len(nuclei) == 1 and nuclei[0] != SPAN:
        raise StructureError(f"node {node} has one nucleus, whose relation must be {SPAN!r}")


def leaf(text: str | None = None) -> RstTree:
    """A tree of one EDU."""
    return RstTree((RstNode(-1, 0, 0, ROOT_ROLE, ROOT_RELATION),), () if text is None else (text,))


def join(subtrees: Sequence[tuple[RstTree, Nuclearity, str]]) -> RstTree:
    """Join adjacent trees, each with its role and relation, under a new root; copies their nodes."""
    edus = sum(len(tree.leaves) for tree, _, _ in subtrees)
    nodes = [RstNode(-1, 0, edus - 1, ROOT_ROLE, ROOT_RELATION)]
    reached = 0
    for tree, nuclearity, relation in subtrees:
        offset = len(nodes)
        for number, node in enumerate(tree.nodes):
            nodes.append(
                RstNode(
                    parent=node.parent + offset if number else 0,
                    first_edu=node.first_edu + reached,
                    last_edu=node.last_edu + reached,
                    nuclearity=node.nuclearity if number else nuclearity,
                    relation=node.relation if number else relation,
                )
            )
        reached += len(tree.leaves)
    return RstTree(tuple(nodes), tuple(text for tree, _, _ in subtrees for text in tree.texts))


def assemble(
    root: Key,
    children: Mapping[Key, Sequence[Key]],
    roles: Mapping[Key, tuple[Nuclearity, str]],
    edus: Mapping[Key, int],
    texts: Sequence[str] = (),
) -> RstTree:
    """Build a tree from nodes with keys of any kind (node ids of a file, spans).

    ``children`` of inner nodes may be in any order. ``edus`` gives the EDU of each leaf, ``roles`` the nuclearity and
    relation of every node except the root. A single nucleus beside satellites gets the relation :data:`SPAN` in any
    case. Raises :class:`StructureError` for a node with two parents, a cycle, or children that are not adjacent.
    """
    order: list[Key] = []
    seen = {root}
    pending = [root]
    while pending:
        key = pending.pop()
        order.append(key)
        for child in children.get(key, ()):
            if child in seen:
                raise StructureError(f"node {child} has two parents or is its own ancestor")
            seen.add(child)
            pending.append(child)
    spans: dict[Key, tuple[int, int]] = {}
    sorted_children: dict[Key, list[Key]] = {}
    for key in reversed(order):
        below = children.get(key, ())
        if not below and key not in edus:
            raise StructureError(f"node {key} covers no EDU")
        if not below:
            spans[key] = (edus[key], edus[key])
            continue
        if key in edus:
            raise StructureError(f"node {key} is a leaf and has children")
        ordered = sorted(below, key=lambda child: spans[child])
        for left, right in pairwise(ordered):
            if spans[left][1] + 1 != spans[right][0]:
                raise StructureError(f"node {key}: its children {left} and {right} are not adjacent")
        sorted_children[key] = ordered
        spans[key] = (spans[ordered[0]][0], spans[ordered[-1]][1])

    nodes: list[RstNode] = []
    stack: list[tuple[Key, int, Nuclearity, str]] = [(root, -1, ROOT_ROLE, ROOT_RELATION)]
    while stack:
        key, parent, nuclearity, relation = stack.pop()
        number = len(nodes)
        nodes.append(RstNode(parent, *spans[key], nuclearity, relation))
        if key in edus:
            continue
        below = sorted_children[key]
        child_roles = [roles[child] for child in below]
        if [role for role, _ in child_roles].count(NUCLEUS) == 1:
            child_roles = [(role, SPAN if role == NUCLEUS else name) for role, name in child_roles]
        if len(below) == 1:
            raise StructureError(f"node {key} has a single child")
        _check_roles(key, child_roles)
        stack.extend((child, number, *labels) for child, labels in zip(reversed(below), reversed(child_roles)))
    return RstTree(tuple(nodes), tuple(texts))
