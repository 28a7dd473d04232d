"""Discourse structural positions: the tables of specification 02, and any tree against its reference algorithm."""

import math
import random
import sys
from types import FrameType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.structures.positions import PositionTables, position_tables, without_tree
from discourse_nmt.discourse.structures.subtrees import restricted
from discourse_nmt.discourse.structures.trees import NUCLEUS, SATELLITE, RstTree, join, leaf
from tests.unit.discourse.structures.discourse_examples import deep_tree, random_tree, tree_a, tree_a2

FIELDS = ("depths", "corrections", "nuclei", "satellites")
TREES = st.builds(
    lambda seed, edus, mixed: random_tree(random.Random(seed), edus, mixed),
    st.integers(0, 10**6),
    st.integers(2, 24),
    st.booleans(),
)
# Rows e1 to e4, columns e1 to e4.
PATHS = [
    [0, 0.528321, 0.400826, 0.556830],
    [0.774755, 0, 0.588592, 0.837647],
    [0.528321, 0.911652, 0, 0.556830],
    [0.837647, 0.837647, 0.556830, 0],
]


def near(found: np.ndarray, wanted: object) -> None:
    np.testing.assert_allclose(found, np.array(wanted, float), rtol=0, atol=5e-7)


def ancestors(tree: RstTree, edu: int) -> list[int]:
    """The leaf of an EDU and the nodes above it, up to the root."""
    found = [tree.leaves[edu]]
    while tree.nodes[found[-1]].parent >= 0:
        found.append(tree.nodes[found[-1]].parent)
    return found


def edges_between(tree: RstTree, current: int, other: int) -> list[int]:
    """The edges of P(e, e'), each named by its child, as the specification's algorithm gathers them."""
    own, others = ancestors(tree, current), ancestors(tree, other)
    lowest = next(node for node in others if node in own)
    return others[: others.index(lowest)] + own[: own.index(lowest) - 1]


def path_between(tree: RstTree, current: int, other: int, w_n: float) -> float:
    if current == other:
        return 0.0
    weights = [
        w_n if tree.nodes[child].nuclearity == NUCLEUS else 1 - w_n for child in edges_between(tree, current, other)
    ]
    return 1 / (1 - sum(map(math.log10, weights)))


def correction(tree: RstTree, edu: int) -> float:
    """Half a level for an EDU in whose node both a nucleus and a satellite are EDUs."""
    node = tree.nodes[tree.leaves[edu]]
    roles = [tree.nodes[child].nuclearity for child in tree.children[node.parent] if not tree.children[child]]
    if {NUCLEUS, SATELLITE} <= set(roles):
        return -0.5 if node.nuclearity == NUCLEUS else 0.5
    return 0.0


def positions_of(tables: PositionTables) -> list[np.ndarray]:
    return [
        tables.abs_edu(1),
        tables.rel_edu(),
        tables.abs_depth("root_child"),
        tables.abs_depth(),
        tables.rel_depth(),
        tables.path(),
    ]


def test_t02_1_absolute_positions() -> None:
    tables = position_tables(tree_a())
    assert tables.depths.tolist() == [1, 3, 3, 2]
    assert tables.corrections.tolist() == [0, -0.5, 0.5, 0]
    assert (tables.abs_depth() - tables.corrections).tolist() == [0, 2, 2, 1]
    assert tables.abs_depth().tolist() == [0, 1.5, 2.5, 1]
    assert tables.abs_depth("root_child").tolist() == [0, 1.5, 2.5, 1]
    assert tables.abs_edu().tolist() == [0, 1, 2, 3]
    assert tables.abs_edu(1).tolist() == [1, 2, 3, 4]


def test_t02_2_relative_edu() -> None:
    wanted = [[0, 1, 2, 3], [-1, 0, 1, 2], [-2, -1, 0, 1], [-3, -2, -1, 0]]
    assert position_tables(tree_a()).rel_edu().tolist() == wanted


def test_t02_3_relative_raw_depth() -> None:
    depths = position_tables(tree_a()).depths
    wanted = [[0, 2, 2, 1], [-2, 0, 0, -1], [-2, 0, 0, -1], [-1, 1, 1, 0]]
    assert (depths[None, :] - depths[:, None]).tolist() == wanted


def test_t02_4_relative_depth() -> None:
    wanted = [[0, 1.5, 2.5, 1], [-2, 0, 0.5, -1], [-2, -0.5, 0, -1], [-1, 0.5, 1.5, 0]]
    assert position_tables(tree_a()).rel_depth().tolist() == wanted


def test_t02_5_path() -> None:
    tables = position_tables(tree_a())
    near(tables.path(), PATHS)
    assert tables.nuclei[0].tolist() == [0, 2, 1, 1]
    assert tables.satellites[0].tolist() == [0, 1, 2, 1]
    bases = [tables.path(log_base=base)[1, 0] for base in (10, math.e, 2)]
    near(np.array(bases), [0.774755, 0.599007, 0.508703])


def test_t02_6_path_of_the_other_labelling() -> None:
    wanted = [list(row) for row in PATHS]
    wanted[0] = [0, 0.774755, 0.528321, 0.556830]
    wanted[1][3], wanted[2][3], wanted[3][0] = 0.556830, 0.417025, 0.556830
    near(position_tables(tree_a2()).path(), wanted)


def test_t02_7_weights_of_nuclei() -> None:
    tables = position_tables(tree_a())
    weights = [0.5, 0.6, 0.7, 0.8, 0.9]
    near(np.array([tables.path(w)[1, 0] for w in weights]), [0.525461, 0.600404, 0.682731, 0.774755, 0.879297])
    near(np.array([tables.path(w)[1, 2] for w in weights]), [0.768622, 0.715338, 0.656651, 0.588592, 0.500000])
    edges = tables.nuclei + tables.satellites
    near(tables.path(0.5), np.where(edges > 0, 1 / (1 + edges * math.log10(2)), 0))
    for refused in (1, 0.49, 1.2, math.nan):
        with pytest.raises(InputError, match=r"w_n is .*; it must be at least 0.5 and less than 1"):
            tables.path(refused)


@settings(max_examples=60, deadline=None)
@given(TREES, st.sampled_from([0.5, 0.7, 0.8, 0.99]))
def test_t02_10_properties_of_the_tables(tree: RstTree, w_n: float) -> None:
    tables = position_tables(tree)
    relative = [tables.rel_edu(), tables.rel_depth(), tables.path(w_n)]
    assert all((np.diag(found) == 0).all() for found in relative)
    assert (relative[0] == -relative[0].T).all()
    apart = relative[2][~np.eye(len(tree.leaves), dtype=bool)]
    assert ((apart > 0) & (apart < 1)).all()
    assert tables.abs_depth().min() >= -0.5


@settings(max_examples=60, deadline=None)
@given(TREES)
def test_the_tables_are_those_of_the_reference_algorithm(tree: RstTree) -> None:
    tables, edus = position_tables(tree), range(len(tree.leaves))
    depths = [len(ancestors(tree, edu)) - 1 for edu in edus]
    assert tables.depths.tolist() == depths
    assert tables.corrections.tolist() == [correction(tree, edu) for edu in edus]
    near(tables.path(0.7), [[path_between(tree, current, other, 0.7) for other in edus] for current in edus])
    wanted = [[0 if e == f else depths[f] - depths[e] + correction(tree, f) for f in edus] for e in edus]
    assert tables.rel_depth().tolist() == wanted


def test_nodes_of_several_children_correct_all_their_edus() -> None:
    inner = join([(leaf(), NUCLEUS, "joint"), (leaf(), NUCLEUS, "joint")])
    parts = [
        (leaf(), SATELLITE, "cause"),
        (leaf(), NUCLEUS, "span"),
        (inner, SATELLITE, "list"),
        (leaf(), SATELLITE, "x"),
    ]
    assert position_tables(join(parts)).corrections.tolist() == [0.5, -0.5, 0, 0, 0.5]
    nucleus = [(inner, NUCLEUS, "span"), (leaf(), SATELLITE, "cause"), (leaf(), SATELLITE, "cause")]
    assert position_tables(join(nucleus)).corrections.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("tables", [position_tables(leaf()), without_tree(1), without_tree(3), without_tree(0)])
def test_without_a_tree_and_for_one_edu_all_positions_are_zero(tables: PositionTables) -> None:
    assert not tables.parsed
    assert not any(found.any() for found in positions_of(tables))


@pytest.mark.parametrize("edus", [25, 400])
def test_no_python_code_runs_for_each_pair(edus: int) -> None:
    """The lines of this project that run, for a chain, which has the deepest path of all trees."""
    tree = deep_tree(edus)
    assert len(tree.children) == len(tree.depths) == 2 * len(tree.leaves) - 1  # which are kept with the tree
    lines = 0

    def count(_frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return count

    sys.settrace(count)
    try:
        tables = position_tables(tree)
        positions_of(tables)
    finally:
        sys.settrace(None)
    assert lines < 60 * edus
    assert tables.depths.tolist() == [*range(1, edus), edus - 1]
    near(tables.path()[0, -1], path_between(tree, 0, edus - 1, 0.8))
    near(tables.path()[-1, 0], path_between(tree, edus - 1, 0, 0.8))


@settings(max_examples=80, deadline=None)
@given(TREES, st.data())
def test_a_restricted_tree_keeps_what_stands_above_what(tree: RstTree, drawn: st.DataObject) -> None:
    edus = sorted(drawn.draw(st.sets(st.integers(0, len(tree.leaves) - 1), min_size=1)))
    part = restricted(tree, edus)
    assert len(part.leaves) == len(edus)
    assert [part.texts[edu] for edu in range(len(edus))] == [tree.texts[edu] for edu in edus]
    # The sets of EDUs below the nodes are those of the whole tree, without the other EDUs.
    below = {
        frozenset(edus.index(edu) for edu in range(node.first_edu, node.last_edu + 1) if edu in edus)
        for node in tree.nodes
    }
    assert {frozenset(range(node.first_edu, node.last_edu + 1)) for node in part.nodes} == below - {frozenset()}
    # The role of what is left of a child is that of the child, unless no nucleus is left beside it.
    for children in filter(None, part.children):
        leaves = [tree.leaves[edus[part.nodes[child].first_edu]] for child in children]
        left, right = (ancestors(tree, tree.nodes[leaf].first_edu) for leaf in leaves[:2])
        lowest = next(node for node in left if node in right)
        above = [ancestors(tree, tree.nodes[node].first_edu) for node in leaves]
        roles = [tree.nodes[path[path.index(lowest) - 1]].nuclearity for path in above]
        found = [part.nodes[child].nuclearity for child in children]
        assert found == (roles if NUCLEUS in roles else [NUCLEUS] * len(roles))


def test_a_single_child_takes_the_role_of_its_parent() -> None:
    part = restricted(tree_a(), [0, 2, 3])  # e3, the satellite of e2, stands for both: a nucleus of the joint
    assert [(node.parent, node.nuclearity, node.relation) for node in part.nodes] == [
        (-1, "root", "ROOT"),
        (0, "nucleus", "span"),
        (0, "satellite", "evidence"),
        (2, "nucleus", "joint"),
        (2, "nucleus", "joint"),
    ]


def test_satellites_without_their_nucleus_become_nuclei() -> None:
    tree = join([(leaf(), SATELLITE, "cause"), (leaf(), NUCLEUS, "span"), (leaf(), SATELLITE, "result")])
    part = restricted(tree, [0, 2])
    assert [(node.nuclearity, node.relation) for node in part.nodes[1:]] == [(NUCLEUS, "cause")] * 2
