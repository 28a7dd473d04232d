"""Discourse structures as rows of the tables ``edus``, ``rst``, ``rst_dependencies``, ``coreference`` and ``themes``.

``..._to_rows`` give the rows of one document, each a dictionary of columns. ``rows_to_...`` take the rows of one
document (``frame.to_dict("records")``) in any order, and raise :class:`.StructureError` for broken rows.
"""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from discourse_nmt.discourse.structures.dependencies import Dependencies
from discourse_nmt.discourse.structures.mentions import Chain, Mention, Span
from discourse_nmt.discourse.structures.trees import RstNode, RstTree, StructureError, assemble

Row = dict[str, Any]
Rows = Iterable[Mapping[str, Any]]


def tree_to_rows(doc_id: str, tree: RstTree) -> list[Row]:
    """Rows of the table ``rst``."""
    return [
        {
            "doc_id": doc_id,
            "node_id": number,
            "parent": node.parent,
            "first_edu": node.first_edu,
            "last_edu": node.last_edu,
            "nuclearity": node.nuclearity,
            "relation": node.relation,
        }
        for number, node in enumerate(tree.nodes)
    ]


def rows_to_tree(rows: Rows, texts: Iterable[str] = ()) -> RstTree:
    """The tree of one document's ``rst`` rows, with nodes renumbered in pre-order."""
    nodes: dict[int, RstNode] = {}
    children: dict[int, list[int]] = {}
    for row in rows:
        number, parent = int(row["node_id"]), int(row["parent"])
        if number in nodes:
            raise StructureError(f"node {number} is there twice")
        nodes[number] = RstNode(parent, int(row["first_edu"]), int(row["last_edu"]), row["nuclearity"], row["relation"])
        children.setdefault(parent, []).append(number)
    roots = children.pop(-1, [])
    if len(roots) != 1:
        raise StructureError(f"{len(roots)} nodes have no parent: a tree has one root")
    for parent in children:
        if parent not in nodes:
            raise StructureError(f"node {children[parent][0]} has the parent {parent}, which is no node")
    roles = {number: (node.nuclearity, node.relation) for number, node in nodes.items()}
    edus = {number: node.first_edu for number, node in nodes.items() if number not in children}
    tree = assemble(roots[0], children, roles, edus, tuple(texts))
    if len(tree.nodes) != len(nodes):
        raise StructureError(f"{len(nodes) - len(tree.nodes)} nodes are not below the root {roots[0]}")
    spans = sorted((node.first_edu, node.last_edu) for node in nodes.values())
    if spans != sorted((node.first_edu, node.last_edu) for node in tree.nodes):
        raise StructureError("first_edu and last_edu do not agree with the children")
    return tree


def dependencies_to_rows(doc_id: str, dependencies: Dependencies) -> list[Row]:
    """Rows of the table ``rst_dependencies``; levels are lost."""
    return [
        {"doc_id": doc_id, "edu_id": number, "head": head, "relation": relation}
        for number, (head, relation) in enumerate(zip(dependencies.heads, dependencies.relations))
    ]


def rows_to_dependencies(rows: Rows) -> Dependencies:
    """The dependencies of one document's ``rst_dependencies`` rows."""
    ordered = _numbered(rows, "edu_id")
    return Dependencies(tuple(int(row["head"]) for row in ordered), tuple(row["relation"] for row in ordered))


def edus_to_rows(doc_id: str, edus: Iterable[Span]) -> list[Row]:
    """Rows of the table ``edus``; the spans count characters."""
    return [
        {"doc_id": doc_id, "edu_id": number, "sent_id": edu.sentence, "start": edu.start, "end": edu.end}
        for number, edu in enumerate(edus)
    ]


def rows_to_edus(rows: Rows) -> tuple[Span, ...]:
    """The EDUs of one document's ``edus`` rows; raises :class:`.StructureError` for overlaps and wrong order."""
    edus = tuple(Span(int(row["sent_id"]), int(row["start"]), int(row["end"])) for row in _numbered(rows, "edu_id"))
    for number, (left, right) in enumerate(pairwise(edus)):
        if (left.sentence, left.end) > (right.sentence, right.start):
            raise StructureError(f"EDU {number + 1} (from 0) begins before EDU {number} ends")
    return edus


def chains_to_rows(doc_id: str, chains: Iterable[Chain]) -> list[Row]:
    """Rows of the table ``coreference``; the spans count characters."""
    return [
        {
            "doc_id": doc_id,
            "chain_id": number,
            "sent_id": mention.span.sentence,
            "start": mention.span.start,
            "end": mention.span.end,
            "head_start": mention.head.start,
            "head_end": mention.head.end,
        }
        for number, chain in enumerate(chains)
        for mention in chain.mentions
    ]


def rows_to_chains(rows: Rows) -> tuple[Chain, ...]:
    """The chains of one document's ``coreference`` rows, in the order of their numbers."""
    mentions: dict[int, list[Mention]] = {}
    for row in rows:
        sentence = int(row["sent_id"])
        mention = Mention(
            Span(sentence, int(row["start"]), int(row["end"])),
            Span(sentence, int(row["head_start"]), int(row["head_end"])),
        )
        mentions.setdefault(int(row["chain_id"]), []).append(mention)
    return tuple(Chain(tuple(sorted(mentions[number]))) for number in sorted(mentions))


def themes_to_rows(doc_id: str, themes: Iterable[tuple[Span, str]]) -> list[Row]:
    """Rows of the table ``themes`` from spans with their labels; the spans count characters."""
    return [
        {"doc_id": doc_id, "sent_id": span.sentence, "start": span.start, "end": span.end, "label": label}
        for span, label in themes
    ]


def _numbered(rows: Rows, column: str) -> list[Mapping[str, Any]]:
    """Rows sorted by a column, whose values must be 0, 1, 2 and so on."""
    ordered = sorted(rows, key=lambda row: row[column])
    for number, row in enumerate(ordered):
        if row[column] != number:
            raise StructureError(f"{column} {number} is missing or there twice")
    return ordered
