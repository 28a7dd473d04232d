"""Trees of rs3 and rs4 graphs, and graphs of trees."""

from typing import NamedTuple

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.reading import blaming
from discourse_nmt.discourse.formats.rs3 import RstGraph, RstUnit
from discourse_nmt.discourse.structures.trees import (
    NUCLEUS,
    SATELLITE,
    SPAN,
    Nuclearity,
    RstTree,
    StructureError,
    assemble,
)


class _TreeNode(NamedTuple):
    """A tree node: a unit, alone or joined with its satellites."""

    number: str
    joined: bool

    def __str__(self) -> str:
        return f"{self.number} with its satellites" if self.joined else self.number


def tree_of_graph(graph: RstGraph, name: str) -> RstTree:
    """The n-ary tree of a graph, without secondary edges and signals.

    A node with satellites becomes a tree node over itself (nucleus, ``span``) and the satellites. A group with one
    nucleus and no satellites becomes no tree node. EDUs are numbered in the order of the segments in the file.
    """
    units = {unit.id: unit for unit in graph.units}
    multinuclear = {relation for relation, kind in graph.relations if kind == "multinuc"}
    nuclei: dict[str, list[str]] = {}
    satellites: dict[str, list[str]] = {}
    roots: list[str] = []
    for unit in graph.units:
        if unit.parent is None:
            roots.append(unit.id)
        elif unit.relation == SPAN or (units[unit.parent].type == "multinuc" and unit.relation in multinuclear):
            nuclei.setdefault(unit.parent, []).append(unit.id)
        else:
            satellites.setdefault(unit.parent, []).append(unit.id)
    if len(roots) != 1:
        examples = f" ({', '.join(roots[:3])})" if roots else ""
        raise InputError(f"{len(roots)} nodes have no parent{examples}: a tree has one root", file=name)
    for unit in graph.units:
        if (unit.type == "segment") == (unit.id in nuclei):
            problem = "is a segment and has nuclei" if unit.type == "segment" else "is a group without a nucleus"
            raise InputError(f"node {unit.id} {problem}", file=name)
    reached = set(roots)
    pending = [*roots]
    while pending:
        number = pending.pop()
        below = [*nuclei.get(number, ()), *satellites.get(number, ())]
        reached.update(below)
        pending.extend(below)
    for unit in graph.units:
        if unit.id not in reached:
            raise InputError(f"node {unit.id} is in a cycle or below one", file=name)

    children: dict[_TreeNode, list[_TreeNode]] = {}
    roles: dict[_TreeNode, tuple[Nuclearity, str]] = {}

    def tree_node(number: str) -> _TreeNode:
        """The tree node of a unit joined with its satellites."""
        while number not in satellites and len(nuclei.get(number, ())) == 1:
            number = nuclei[number][0]
        return _TreeNode(number, number in satellites)

    def attach(parent: _TreeNode, number: str, nuclearity: Nuclearity) -> None:
        child = tree_node(number)
        children.setdefault(parent, []).append(child)
        roles[child] = (nuclearity, units[number].relation or "")

    for unit in graph.units:
        core = _TreeNode(unit.id, False)
        inner = nuclei.get(unit.id, [])
        if len(inner) > 1:
            for nucleus in inner:
                attach(core, nucleus, NUCLEUS)
        if unit.id in satellites:
            whole = _TreeNode(unit.id, True)
            nucleus_node = tree_node(inner[0]) if len(inner) == 1 else core
            children[whole] = [nucleus_node]
            roles[nucleus_node] = (NUCLEUS, SPAN)
            for satellite in satellites[unit.id]:
                attach(whole, satellite, SATELLITE)
    segments = [unit for unit in graph.units if unit.type == "segment"]
    edus = {_TreeNode(unit.id, False): number for number, unit in enumerate(segments)}
    with blaming(name):
        return assemble(tree_node(roots[0]), children, roles, edus, [unit.text for unit in segments])


def graph_of_tree(tree: RstTree) -> RstGraph:
    """The rs3 graph of a tree, the inverse of :func:`tree_of_graph`: segments 1 to n, then groups.

    A tree without texts gets empty ones. Raises :class:`.StructureError` for trees that rs3 cannot hold: a node with
    satellites and several nuclei (binarise the tree first), or a satellite with the relation ``span``.
    """
    ids = {number: str(edu + 1) for edu, number in enumerate(tree.leaves)}
    relations: set[tuple[str, str]] = set()
    types = dict.fromkeys(tree.leaves, "segment")
    for number, below in enumerate(tree.children):
        if not below:
            continue
        nodes = [tree.nodes[child] for child in below]
        satellites = [node.relation for node in nodes if node.nuclearity == SATELLITE]
        if SPAN in satellites or (satellites and len(satellites) < len(nodes) - 1):
            raise StructureError(f"node {number} has several nuclei beside satellites, or a satellite named {SPAN}")
        types[number] = "span" if satellites else "multinuc"
        ids[number] = str(len(ids) + 1)
        names = satellites or [node.relation for node in nodes]
        relations.update((name, "rst" if satellites else "multinuc") for name in names)

    # If the relation of a satellite is multinuclear elsewhere in the document, a satellite of a multinuclear group
    # would be read as a nucleus: it is attached to a span group around that group instead.
    wrappers: dict[int, str] = {}
    for node in tree.nodes:
        if node.nuclearity == SATELLITE and (node.relation, "multinuc") in relations:
            nucleus = tree.head_child(node.parent)
            if types[nucleus] == "multinuc":
                wrappers.setdefault(nucleus, str(len(ids) + len(wrappers) + 1))

    units: list[RstUnit] = []
    for number, node in enumerate(tree.nodes):
        parent: str | None = None
        relation: str | None = None
        if node.nuclearity == SATELLITE:
            nucleus = tree.head_child(node.parent)
            parent, relation = wrappers.get(nucleus, ids[nucleus]), node.relation
        elif node.parent >= 0:
            parent, relation = ids[node.parent], node.relation
        if number in wrappers:
            units.append(RstUnit(wrappers[number], "span", parent, relation))
            parent, relation = wrappers[number], SPAN
        text = tree.texts[node.first_edu] if types[number] == "segment" and tree.texts else ""
        units.append(RstUnit(ids[number], types[number], parent, relation, text))
    return RstGraph(tuple(sorted(relations)), tuple(sorted(units, key=lambda unit: int(unit.id))))
