"""Nuclei in rs3 by header and siblings, parts of a unit around a satellite, and segments without a parent."""

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.backends.files.readings import reading_named
from discourse_nmt.discourse.formats.rs3 import read_rs3
from discourse_nmt.discourse.formats.rs3_trees import tree_of_graph
from discourse_nmt.discourse.structures.conversions import li14
from discourse_nmt.discourse.structures.trees import RstTree

HEADER = (
    ("elaboration", "rst"),
    ("cause", "rst"),
    ("joint", "multinuc"),
    ("same-unit", "multinuc"),
    *(("restatement", "rst"), ("restatement", "multinuc")),
)
Relations = tuple[tuple[str, str], ...]


def rs3(nodes: str, relations: Relations = HEADER) -> str:
    """A file of nodes ``ID PARENT RELATION`` (``-`` for none); groups are ``ID:TYPE``, texts a, b, c ..."""
    body, texts = "", iter("abcdefgh")
    for node in nodes.split(","):
        number, parent, relation = node.split()
        place = "" if parent == "-" else f' parent="{parent}" relname="{relation}"'
        identity, _, kind = number.partition(":")
        segment = f'<segment id="{identity}"{place}>{next(texts)}</segment>' if not kind else ""
        body += segment or f'<group id="{identity}" type="{kind}"{place}/>'
    header = "".join(f'<rel name="{name}" type="{kind}"/>' for name, kind in relations)
    return f"<rst><header><relations>{header}</relations></header><body>{body}</body></rst>"


def tree(nodes: str, relations: Relations = HEADER, unattached: str | None = None) -> RstTree:
    return tree_of_graph(read_rs3(rs3(nodes, relations), "x.rs3"), "x.rs3", unattached)


def roles(nodes: str, relations: Relations = HEADER) -> list[tuple[str, str]]:
    """Nuclearity and relation of the leaves."""
    parsed = tree(nodes, relations)
    leaves = {node.first_edu: node for node in parsed.nodes if node.first_edu == node.last_edu}
    return [(leaves[edu].nuclearity, leaves[edu].relation) for edu in sorted(leaves)]


@pytest.mark.parametrize(
    ("nodes", "relations", "expected"),
    [
        # A relation of both types is that of satellites beside the nuclei, and that of nuclei among themselves.
        ("1 9 joint,2 9 joint,3 9 restatement,9:multinuc - -", HEADER, "n joint,n joint,s restatement"),
        ("1 9 restatement,2 9 joint,3 9 joint,9:multinuc - -", HEADER, "s restatement,n joint,n joint"),
        ("1 9 restatement,2 9 restatement,9:multinuc - -", HEADER, "n restatement,n restatement"),
        ("1 9 restatement,2 9 restatement,3 9 cause,9:multinuc - -", HEADER, "n restatement,n restatement,s cause"),
        # No header, or another spelling than that of the header.
        ("1 9 joint,2 9 joint,9:multinuc - -", (), "n joint,n joint"),
        ("1 9 joint,2 9 joint,3 9 why,9:multinuc - -", (), "n joint,n joint,s why"),
        ("1 9 Joint,2 9 Joint,9:multinuc - -", HEADER, "n Joint,n Joint"),
        ("1 9 pair,2 9 pair,3 9 cause,9:multinuc - -", HEADER, "n pair,n pair,s cause"),
        ("1 9 joint,2 9 joint,3 9 why,4 9 why,9:multinuc - -", (), "n joint,n joint,s why,s why"),
        # A group has two nuclei at least, and one nucleus makes no group.
        ("1 9 joint,2 9 joint_new,9:multinuc - -", HEADER, "n joint,n joint_new"),
        ("1 9 joint,2 9 restatement,9:multinuc - -", HEADER, "n joint,n restatement"),
        ("1 9 joint,2 9 joint,9:multinuc - -", (("joint", "rst"),), "n joint,n joint"),
        ("1 9 joint,2 9 joint,9:multinuc - -", (("joint", "embedded"),), "n joint,n joint"),
    ],
)
def test_nuclei_are_told_by_their_siblings(nodes: str, relations: Relations, expected: str) -> None:
    names = {"n": "nucleus", "s": "satellite"}
    assert roles(nodes, relations) == [(names[entry[0]], entry[2:]) for entry in expected.split(",")]


@pytest.mark.parametrize(
    ("nodes", "relations", "message"),
    [
        ("1 2 span,2 - -,", HEADER, ""),
        ("1 3 span,2 3 joint,3:span - -", HEADER, "node 2 has the multinuclear relation joint to node 3, which is no"),
        ("1 - -,2 1 same-unit", HEADER, "node 2 has the multinuclear relation same-unit to node 1, which is no"),
        ("1 9 cause,2 9 elaboration,9:multinuc - -", HEADER, "node 9 is a group without a nucleus; declare"),
        ("1 9 this,2 9 that,9:multinuc - -", (), "which children of group 9 are its nuclei: that, this.; declare its"),
        ("1 9 x,2 9 x,3 9 y,4 9 y,9:multinuc - -", (), "which children of group 9 are its nuclei: x, y"),
    ][1:],
)
def test_what_neither_header_nor_siblings_tell_is_refused(nodes: str, relations: Relations, message: str) -> None:
    with pytest.raises(InputError, match=message):
        tree(nodes, relations)


@pytest.mark.parametrize(
    ("nodes", "heads"),
    [
        ("1 9 same-unit,2 9 elaboration,3 9 same-unit,9:multinuc - -", (-1, 0, 0)),
        # The satellite of a span around the unit, a group as the satellite, a relation with another spelling.
        ("1 9 same-unit,2 8 elaboration,3 9 same-unit,9:multinuc 8 span,8:span - -", (-1, 0, 0)),
        ("1 9 same-unit,2 7 span,3 2 cause,4 9 same-unit,7:span 9 elaboration,9:multinuc - -", (-1, 0, 1, 0)),
        ("1 9 Same_Unit,2 9 elaboration,3 9 Same_Unit,4 9 cause,9:multinuc - -", (-1, 0, 0, 0)),
        # Of three parts, each satellite belongs to the part before it.
        ("1 9 same-unit,2 9 cause,3 9 same-unit,4 9 cause,5 9 same-unit,9:multinuc - -", (-1, 0, 0, 2, 0)),
    ],
)
def test_a_satellite_between_the_parts_of_a_unit_belongs_to_the_part_before(nodes: str, heads: tuple[int, ...]) -> None:
    assert li14(tree(nodes)).heads == heads


def test_a_satellite_between_other_nuclei_is_refused() -> None:
    with pytest.raises(InputError, match="its children 1 and 3 are not adjacent"):
        tree("1 9 joint,2 9 elaboration,3 9 joint,9:multinuc - -")


TITLED = "1 - -,2 9 joint,3 9 joint,9:multinuc - -"


def test_a_segment_without_a_parent_is_refused_with_the_way_out() -> None:
    with pytest.raises(
        InputError, match=r"2 nodes have no parent \(1, 9\): a tree has one root; attach these segments"
    ):
        tree(TITLED)
    with pytest.raises(InputError, match="2 nodes have no parent"):  # two trees
        tree("1 8 joint,2 8 joint,3 9 joint,4 9 joint,8:multinuc - -,9:multinuc - -", unattached="heading")


@pytest.mark.parametrize(
    ("nodes", "heads"),
    [
        (TITLED, (1, -1, 1)),
        ("1 - -,2 - -,3 9 joint,4 9 joint,5 - -,9:multinuc - -", (2, 2, -1, 2, 2)),
        ("1 - -,2 9 span,3 2 cause,9:span - -", (1, -1, 1)),
    ],
)
def test_unattached_segments_become_satellites_of_the_root(nodes: str, heads: tuple[int, ...]) -> None:
    parsed = tree(nodes, unattached="heading")
    assert li14(parsed).heads == heads
    assert ("satellite", "heading") in [(node.nuclearity, node.relation) for node in parsed.nodes if not node.first_edu]


def test_an_import_attaches_segments_and_needs_no_tree_for_units() -> None:
    read = reading_named("rst", "rs3", "heading").read
    assert read is not None and read(rs3(TITLED), "x")[0][1] == tree(TITLED, unattached="heading")
    units = reading_named("edus", "rs3").read
    assert units is not None and units(rs3(TITLED), "x") == [(None, ["a", "b", "c"])]
    with pytest.raises(InputError, match="rst: the format dis has no option unattached; leave it out"):
        reading_named("rst", "dis", "heading")
