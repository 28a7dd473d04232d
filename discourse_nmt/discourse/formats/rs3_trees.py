"""Trees of rs3 and rs4 graphs, and graphs of trees."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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

MULTINUCLEAR = frozenset(
    {"conjunction", "contrast", "disjunction", "joint", "list", "restatement-mn", "same-unit", "sequence"}
)
"""Relations that are multinuclear by convention (RSTTool's header), where a file does not tell."""
UNDECLARED = "declare its relations in the header, with type multinuc or rst"
ATTACH = "attach these segments to the tree; an import also does it, with unattached: RELATION"


class _TreeNode(NamedTuple):
    """A tree node: a unit, alone or joined with its satellites."""

    number: str
    joined: bool

    def __str__(self) -> str:
        return f"{self.number} with its satellites" if self.joined else self.number


@dataclass
class _Links:
    """The nodes of a graph in file order, and below each of them its nuclei and its satellites."""

    name: str
    units: dict[str, RstUnit]
    nuclei: dict[str, list[str]] = field(default_factory=dict)
    satellites: dict[str, list[str]] = field(default_factory=dict)

    def below(self, number: str) -> list[str]:
        """The nuclei and satellites of a node."""
        return [*self.nuclei.get(number, ()), *self.satellites.get(number, ())]

    def fault(self, message: str, remedy: str | None = None) -> InputError:
        """An error about the file."""
        return InputError(message, file=self.name, remedy=remedy)


def tree_of_graph(graph: RstGraph, name: str, unattached: str | None = None) -> RstTree:
    """The n-ary tree of a graph, without secondary edges and signals.

    A node with satellites becomes a tree node over itself (nucleus, ``span``) and the satellites. A group with one
    nucleus and no satellites becomes no tree node. EDUs are numbered in the order of the segments in the file.

    Which children of a multinuclear group are its nuclei is told by the header, and where this does not tell (a
    relation of both types, or of none) by their siblings: nuclei share one relation, and there are two or more. A
    satellite between the parts of a ``same-unit`` group belongs to the part before it. Segments without a parent, such
    as titles, become satellites of the root by the relation ``unattached``; without one they are refused.
    """
    links = _links(graph, name)
    root = _root(links, unattached)
    for unit in graph.units:
        if (unit.type == "segment") == (unit.id in links.nuclei):
            problem = "is a segment and has nuclei" if unit.type == "segment" else "is a group without a nucleus"
            raise links.fault(f"node {unit.id} {problem}", UNDECLARED)
    order = [root]
    for number in order:
        order += links.below(number)
    reached = set(order)
    for unit in graph.units:
        if unit.id not in reached:
            raise links.fault(f"node {unit.id} is in a cycle or below one")
    _embed(links, order)
    units, nuclei, satellites = links.units, links.nuclei, links.satellites

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
        tree = assemble(tree_node(root), children, roles, edus, [unit.text for unit in segments])
    _check_satellites(graph, links)
    return tree


def _links(graph: RstGraph, name: str) -> _Links:
    """Who is a nucleus and who a satellite of whom; raises :class:`InputError` where that is not told."""
    links = _Links(name, {unit.id: unit for unit in graph.units})
    types = _types(graph)
    children: dict[str, list[RstUnit]] = {}
    for unit in graph.units:
        if unit.parent is not None:
            children.setdefault(unit.parent, []).append(unit)
    for parent, below in children.items():
        multinuclear = links.units[parent].type == "multinuc"
        of_nuclei = {SPAN} | (_of_nuclei(parent, below, types, links) if multinuclear else set())
        for unit in below:
            role = links.nuclei if unit.relation in of_nuclei else links.satellites
            role.setdefault(parent, []).append(unit.id)
    return links


def _types(graph: RstGraph) -> dict[str, set[str]]:
    """The types of each relation of the header."""
    types: dict[str, set[str]] = {}
    for relation, kind in graph.relations:
        types.setdefault(relation, set()).add(kind if kind == "multinuc" else "rst")
    return types


def _check_satellites(graph: RstGraph, links: _Links) -> None:
    """Raise :class:`InputError` for a satellite with a relation that the header gives to nuclei alone."""
    types = _types(graph)
    for unit in graph.units:
        group = unit.parent is None or links.units[unit.parent].type == "multinuc"
        if not group and types.get(unit.relation or "") == {"multinuc"}:
            fault = f"node {unit.id} has the multinuclear relation {unit.relation} to node {unit.parent}"
            raise links.fault(f"{fault}, which is no multinuclear group", "correct one of them")


def _of_nuclei(parent: str, below: Sequence[RstUnit], types: Mapping[str, set[str]], links: _Links) -> set[str]:
    """The relations of the nuclei of a multinuclear group."""
    counts = Counter(unit.relation or "" for unit in below)
    told = {relation for relation in counts if types.get(relation) == {"multinuc"}}
    if counts[SPAN] + sum(counts[relation] for relation in told) > 1:
        return told
    untold = {relation for relation in counts if types.get(relation) != {"rst"}} - told - {SPAN}
    if not (told or untold or counts[SPAN]):
        untold = {relation for relation, count in counts.items() if count > 1}  # the header must be wrong
    shared = {relation for relation in untold if counts[relation] > 1}
    chosen = shared if shared and not told else untold
    if len(chosen) > 1:
        chosen = {relation for relation in chosen if relation.casefold() in MULTINUCLEAR}
    if len(chosen) != 1 and untold:
        fault = f"which children of group {parent} are its nuclei: {', '.join(sorted(untold))}?"
        raise links.fault(fault, UNDECLARED)
    return told | chosen


def _root(links: _Links, unattached: str | None) -> str:
    """The root; with a relation ``unattached``, other segments without a parent become its satellites."""
    roots = [unit for unit in links.units.values() if unit.parent is None]
    alone = [unit for unit in roots if unit.type == "segment" and not links.below(unit.id)]
    trees = [unit for unit in roots if unit not in alone]
    if len(roots) == 1:
        return roots[0].id
    if len(trees) != 1 or unattached is None:
        examples = f" ({', '.join(unit.id for unit in roots[:3])})" if roots else ""
        raise links.fault(
            f"{len(roots)} nodes have no parent{examples}: a tree has one root", ATTACH if alone else None
        )
    for unit in alone:
        links.units[unit.id] = replace(unit, relation=unattached)
        links.satellites.setdefault(trees[0].id, []).append(unit.id)
    return trees[0].id


def _embed(links: _Links, order: Sequence[str]) -> None:
    """Give each satellite that stands between the parts of a ``same-unit`` group to the part before it."""
    extents = _extents(links, order)
    for number, satellites in list(links.satellites.items()):
        group = number
        while len(links.nuclei.get(group, ())) == 1:
            group = links.nuclei[group][0]
        parts = sorted(links.nuclei.get(group, ()), key=extents.__getitem__)
        if not parts or any(_plain(links.units[part].relation) != "sameunit" for part in parts):
            continue
        for satellite in list(satellites):
            before = [part for part in parts if extents[part][1] < extents[satellite][0]]
            if 0 < len(before) < len(parts):
                satellites.remove(satellite)
                links.satellites.setdefault(before[-1], []).append(satellite)
        if not satellites:
            del links.satellites[number]


def _extents(links: _Links, order: Sequence[str]) -> dict[str, tuple[int, int]]:
    """The first and last segment below each node, by its place in the file; ``order`` has parents first."""
    places = {unit.id: place for place, unit in enumerate(links.units.values())}
    extents: dict[str, tuple[int, int]] = {}
    for number in reversed(order):
        below = [extents[child] for child in links.below(number)]
        own = [(places[number],) * 2] if links.units[number].type == "segment" else []
        extents[number] = min(first for first, _ in below + own), max(last for _, last in below + own)
    return extents


def _plain(relation: str | None) -> str:
    return re.sub(r"[\W_]", "", relation or "").casefold()


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
