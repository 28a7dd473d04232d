"""Conversions between rhetorical structure trees and discourse dependencies, and between n-ary and binary trees.

Apply :func:`debinarise` to the binary trees of a parser before converting them to dependencies: for a multinuclear
node, Li's rule gives a star, but a chain after right-branching binarisation.
"""

from collections.abc import Sequence
from typing import Literal

from discourse_nmt.discourse.structures.dependencies import Dependencies, labelled, split_label
from discourse_nmt.discourse.structures.trees import (
    NUCLEUS,
    ROOT_RELATION,
    SATELLITE,
    SPAN,
    Nuclearity,
    RstTree,
    StructureError,
    assemble,
)

Branching = Literal["right", "left"]


def li14(tree: RstTree) -> Dependencies:
    """Dependencies by the rule of Li, Wang, Cao and Li (2014), with the levels of .rsd files.

    The head of a node is the head of its leftmost nucleus. The heads of all other children depend on it, with the
    child's relation and the suffix ``_m`` for a nucleus, ``_r`` for a satellite. The result has one root and is
    projective.
    """
    count = len(tree.leaves)
    heads, relations, levels = [-1] * count, [ROOT_RELATION] * count, [0] * count
    headed = [0] * len(tree.nodes)  # constituents inside the node that have the same head as the node
    for number in reversed(range(len(tree.nodes))):
        if not tree.children[number]:
            continue
        governor = tree.head_child(number)
        headed[number] = headed[governor] + 1
        for child in tree.children[number]:
            if child != governor:
                dependent = tree.heads[child]
                heads[dependent] = tree.heads[number]
                relations[dependent] = labelled(tree.nodes[child].relation, tree.nodes[child].nuclearity)
                levels[dependent] = headed[governor]
    return Dependencies(tuple(heads), tuple(relations), tuple(levels))


def hirao13(tree: RstTree) -> Dependencies:
    """Dependencies by the rule of Hirao et al. (2013): a forest, as all nuclei of a top multinuclear node are roots.

    Take the nearest satellite above (or equal to) an EDU: the EDU depends on the head of that satellite's sibling
    nucleus.
    """
    governors: list[tuple[int, str]] = [(-1, ROOT_RELATION)]
    for node in tree.nodes[1:]:
        if node.nuclearity == SATELLITE:
            governors.append((tree.heads[node.parent], labelled(node.relation, SATELLITE)))
        else:
            governors.append(governors[node.parent])
    heads, relations = zip(*(governors[number] for number in tree.leaves))
    return Dependencies(heads, relations)


def constituency(dependencies: Dependencies, texts: Sequence[str] = ()) -> RstTree:
    """The n-ary tree of dependencies by Li's rule; :func:`li14` of it gives the same heads and relations.

    With ``levels`` this is the exact inverse of :func:`li14`, except that all nuclei of a node get one relation.
    Without levels, near dependents are attached before far ones (at equal distance the right one first), and adjacent
    nuclei of one relation form one node; this finds 93.5 % of the spans of GUM's trees. A dependent with ``_m`` to the
    left of its head, which Li's rule never gives, becomes a satellite. Raises :class:`StructureError` for several roots
    and for crossing dependencies.
    """
    if len(dependencies.roots) != 1:
        raise StructureError(f"{len(dependencies.roots)} roots: a tree needs one")
    if dependencies.gaps:
        raise StructureError(f"the dependents of EDU {dependencies.gaps[0]} (from 0) are not adjacent to it")
    children: dict[tuple[int, int], list[tuple[int, int]]] = {}
    roles: dict[tuple[int, int], tuple[Nuclearity, str]] = {}
    tops = [
        (number, 0) for number in range(len(dependencies.heads))
    ]  # highest constituent of each EDU so far: (head, level)
    for head in reversed(dependencies.top_down):
        for group in _groups(dependencies, head):
            inner = tops[head]
            tops[head] = (head, inner[1] + 1)
            children[tops[head]] = [inner, *(tops[dependent] for dependent in group)]
            roles[inner] = (NUCLEUS, SPAN)
            for dependent in group:
                relation, role = split_label(dependencies.relations[dependent])
                if role == NUCLEUS and dependent > head:
                    roles[inner] = (NUCLEUS, relation)
                else:
                    role = SATELLITE
                roles[tops[dependent]] = (role, relation)
    edus = {(number, 0): number for number in range(len(dependencies.heads))}
    return assemble(tops[dependencies.roots[0]], children, roles, edus, texts)


def _groups(dependencies: Dependencies, head: int) -> list[list[int]]:
    """Dependents of ``head`` in order of attachment, grouped by constituent."""
    dependents = dependencies.children[head]
    groups: list[list[int]] = []
    previous: object = None
    if dependencies.levels:
        for dependent in sorted(dependents, key=lambda number: dependencies.levels[number]):
            if dependencies.levels[dependent] != previous:
                groups.append([])
            groups[-1].append(dependent)
            previous = dependencies.levels[dependent]
        return groups
    for dependent in sorted(dependents, key=lambda number: (abs(number - head), number < head)):
        label = dependencies.relations[dependent]
        if label != previous or split_label(label)[1] != NUCLEUS or dependent < head:
            groups.append([])
        groups[-1].append(dependent)
        previous = label
    return groups


def binarise(tree: RstTree, branching: Branching = "right") -> RstTree:
    """A binary tree with the same EDUs and texts.

    The nuclei of a multinuclear node become a chain that branches to the ``right`` (as in GUM's binary .dis files) or
    ``left``. The satellites of one nucleus are attached one by one: with ``right``, those after the nucleus first, with
    ``left``, those before it. In a node with several nuclei and satellites, the siblings after the first nucleus are
    attached to it from left to right, so that Li's heads stay the same.
    """
    children = {number: list(below) for number, below in enumerate(tree.children) if below}
    roles = {number: (node.nuclearity, node.relation) for number, node in enumerate(tree.nodes)}
    fresh = len(tree.nodes)
    for number, below in list(children.items()):
        start, others = _attachment_order(below, [roles[child][0] == NUCLEUS for child in below], branching)
        core = below[start]
        for other in others[:-1]:
            children[fresh], roles[fresh] = [core, below[other]], roles[below[start]]
            core = fresh
            fresh += 1
        children[number] = [core, below[others[-1]]]
    return assemble(0, children, roles, _edus(tree), tree.texts)


def _attachment_order(below: Sequence[int], nuclear: Sequence[bool], branching: Branching) -> tuple[int, list[int]]:
    """Index of the child that the others are attached to, and the indices of the others in order of attachment."""
    indices = list(range(len(below)))
    if all(nuclear):
        return (indices[-1], indices[-2::-1]) if branching == "right" else (0, indices[1:])
    start = nuclear.index(True)
    before, after = indices[:start][::-1], indices[start + 1 :]
    one_nucleus = sum(nuclear) == 1
    return start, before + after if branching == "left" and one_nucleus else after + before


def debinarise(tree: RstTree, branching: Branching = "right") -> RstTree:
    """Merge each chain of one multinuclear relation that branches to the ``right`` (or ``left``) into one n-ary node.

    This undoes :func:`binarise` for multinuclear nodes. It also merges nested nodes of one relation that were separate
    in the original tree (0.44 % of GUM's dependencies change).
    """
    roles = {number: (node.nuclearity, node.relation) for number, node in enumerate(tree.nodes)}
    uniform = [
        roles[below[0]] if below and len({roles[child] for child in below}) == 1 else None for below in tree.children
    ]
    children: dict[int, list[int]] = {}
    absorbed: set[int] = set()
    for number in range(len(tree.nodes)):
        if number in absorbed or not tree.children[number]:
            continue
        outer: list[int] = []
        inner = list(tree.children[number])
        while uniform[number] and uniform[last := inner[-1 if branching == "right" else 0]] == uniform[number]:
            absorbed.add(last)
            outer.extend(inner[:-1] if branching == "right" else inner[1:])
            inner = list(tree.children[last])
        children[number] = outer + inner
    return assemble(0, children, roles, _edus(tree), tree.texts)


def _edus(tree: RstTree) -> dict[int, int]:
    return {number: edu for edu, number in enumerate(tree.leaves)}


def sentence_arcs(dependencies: Dependencies, sentences: Sequence[int]) -> frozenset[tuple[int, int]]:
    """Dependencies between sentences: arcs (sentence of the head, sentence of the dependent).

    ``sentences[m]`` is the sentence of EDU ``m``. If a sentence is not one subtree, the arcs may not form a tree.
    """
    return frozenset(
        (sentences[head], sentences[number])
        for number, head in enumerate(dependencies.heads)
        if head >= 0 and sentences[head] != sentences[number]
    )
