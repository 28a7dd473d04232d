"""Conversions between trees and dependencies: worked examples, literal reference code, inverse properties."""

import random
from typing import Any, Literal

import pytest

from discourse_nmt.discourse.structures.conversions import (
    binarise,
    constituency,
    debinarise,
    hirao13,
    li14,
    sentence_arcs,
)
from discourse_nmt.discourse.structures.dependencies import Dependencies, labelled
from discourse_nmt.discourse.structures.trees import RstTree, StructureError, join, leaf
from tests.unit.discourse.structures.discourse_examples import deep_tree, random_tree, tree_a, tree_a2, trees

SENTENCES = (0, 1, 1, 2)


def test_T00_3_li14() -> None:
    dependencies = li14(tree_a())
    assert dependencies.heads == (-1, 0, 1, 1)
    assert dependencies.relations == ("ROOT", "evidence_r", "elaboration_r", "joint_m")
    assert li14(tree_a2()).heads == dependencies.heads


def test_T00_4_hirao13() -> None:
    assert hirao13(tree_a()).heads == (-1, 0, 1, 0)
    assert hirao13(tree_a2()).heads == (-1, -1, 1, 1)


def test_T00_5_sentence_arcs() -> None:
    assert sentence_arcs(li14(tree_a()), SENTENCES) == {(0, 1), (1, 2)}
    assert sentence_arcs(li14(tree_a2()), SENTENCES) == {(0, 1), (1, 2)}


def literal_li14(tree: RstTree) -> tuple[list[int], list[str], list[int]]:
    """The definition, by recursion over the tree."""
    heads, relations = [-1] * len(tree.leaves), ["ROOT"] * len(tree.leaves)
    levels = [0] * len(tree.leaves)

    def visit(number: int) -> tuple[int, int]:
        children = tree.children[number]
        if not children:
            return tree.nodes[number].first_edu, 0
        found = [visit(child) for child in children]
        nuclei = [place for place, child in enumerate(children) if tree.nodes[child].nuclearity == "nucleus"]
        head, level = found[nuclei[0]]
        for place, child in enumerate(children):
            if place != nuclei[0]:
                heads[found[place][0]] = head
                levels[found[place][0]] = level
                node = tree.nodes[child]
                relations[found[place][0]] = node.relation + ("_m" if node.nuclearity == "nucleus" else "_r")
        return head, level + 1

    visit(0)
    return heads, relations, levels


def literal_hirao13(tree: RstTree) -> list[int]:
    """The definition: climb to the nearest satellite, then descend through leftmost nuclei of its parent."""
    heads = []
    for number in tree.leaves:
        while number and tree.nodes[number].nuclearity != "satellite":
            number = tree.nodes[number].parent
        if not number:
            heads.append(-1)
            continue
        number = tree.nodes[number].parent
        while tree.children[number]:
            number = next(child for child in tree.children[number] if tree.nodes[child].nuclearity == "nucleus")
        heads.append(tree.nodes[number].first_edu)
    return heads


@pytest.mark.parametrize("mixed", [False, True])
def test_both_rules_agree_with_their_definitions(mixed: bool) -> None:
    for tree in trees(mixed):
        heads, relations, levels = literal_li14(tree)
        assert li14(tree) == Dependencies(tuple(heads), tuple(relations), tuple(levels))
        assert list(hirao13(tree).heads) == literal_hirao13(tree)


def test_rules_differ_only_under_multinuclear_nodes() -> None:
    for tree in trees():
        multinuclear = any(
            sum(tree.nodes[child].nuclearity == "nucleus" for child in below) > 1 for below in tree.children
        )
        if not multinuclear:
            assert li14(tree).heads == hirao13(tree).heads


@pytest.mark.parametrize("mixed", [False, True])
def test_levels_make_li14_invertible(mixed: bool) -> None:
    for tree in trees(mixed):
        assert constituency(li14(tree), tree.texts) == tree


@pytest.mark.parametrize("mixed", [False, True])
def test_without_levels_heads_and_relations_survive(mixed: bool) -> None:
    for tree in trees(mixed):
        dependencies = li14(tree)
        back = li14(constituency(Dependencies(dependencies.heads, dependencies.relations)))
        assert (back.heads, back.relations) == (dependencies.heads, dependencies.relations)


def test_without_levels_the_right_one_of_two_neighbours_is_attached_first() -> None:
    inner = join([(leaf(), "nucleus", "span"), (leaf(), "satellite", "b")])
    wanted = join([(leaf(), "satellite", "a"), (inner, "nucleus", "span")])
    assert constituency(Dependencies((1, -1, 1), ("a_r", "ROOT", "b_r"))) == wanted


@pytest.mark.parametrize("branching", ["right", "left"])
def test_satellites_on_both_sides_are_attached_one_by_one(branching: Literal["right", "left"]) -> None:
    """Branching to the right, the one after the nucleus comes first."""
    sides: list[Any] = [(leaf("0"), "satellite", "a"), (leaf("1"), "nucleus", "span"), (leaf("2"), "satellite", "b")]
    first = slice(1, 3) if branching == "right" else slice(0, 2)
    wanted = list(sides)
    wanted[first] = [(join(sides[first]), "nucleus", "span")]
    assert binarise(join(sides), branching) == join(wanted)


def test_any_projective_tree_keeps_its_heads() -> None:
    for seed in range(60):
        heads = li14(random_tree(random.Random(seed), 12)).heads
        source = random.Random(seed)
        labels = tuple("ROOT" if head < 0 else source.choice(["a_m", "b_m", "c_r", "null"]) for head in heads)
        binary = binarise(constituency(Dependencies(heads, labels)), "left")
        assert li14(debinarise(binary, "left")).heads == heads


def test_constituency_refuses_forests_and_crossings() -> None:
    with pytest.raises(StructureError, match="2 roots"):
        constituency(hirao13(tree_a2()))
    with pytest.raises(StructureError, match=r"the dependents of EDU 1 \(from 0\) are not adjacent"):
        constituency(Dependencies((-1, 3, 0, 0, 1), ("ROOT", "a", "a", "a", "a")))


@pytest.mark.parametrize("branching", ["right", "left"])
def test_binarise_gives_two_children_and_debinarise_undoes_it(branching: str) -> None:
    for tree in trees():
        binary = binarise(tree, branching)  # type: ignore[arg-type]
        assert {len(below) for below in binary.children} <= {0, 2}
        assert binary.texts == tree.texts
        assert binary.heads[0] == tree.heads[0]
        assert binarise(binary) == binary
        if all(_undoable(tree, number) for number in range(len(tree.nodes))):
            assert debinarise(binary, branching) == tree  # type: ignore[arg-type]


def _undoable(tree: RstTree, number: int) -> bool:
    """Satellites that were attached one by one cannot be told from nested ones."""
    roles = [tree.nodes[child].nuclearity for child in tree.children[number]]
    return len(roles) < 3 or "satellite" not in roles


def test_binarise_keeps_the_dependencies_of_satellites() -> None:
    for tree in trees(mixed=True):
        if all(len(below) < 3 or not _undoable(tree, number) for number, below in enumerate(tree.children)):
            before, after = li14(tree), li14(binarise(tree))
            assert (before.heads, before.relations) == (after.heads, after.relations)


def test_right_branching_turns_a_star_into_a_chain_until_it_is_undone() -> None:
    star = join([(leaf(), "nucleus", "list")] * 4)
    assert li14(star).heads == (-1, 0, 0, 0)
    assert li14(binarise(star)).heads == (-1, 0, 1, 2)
    assert li14(debinarise(binarise(star))).heads == (-1, 0, 0, 0)


def test_sentence_arcs_drop_self_arcs_and_repeat_none() -> None:
    dependencies = Dependencies((-1, 0, 0, 0), ("ROOT", labelled("a", "satellite"), "b_r", "c_r"))
    assert sentence_arcs(dependencies, (0, 0, 1, 1)) == {(0, 1)}


def test_conversions_of_deep_trees_need_no_recursion() -> None:
    tree = deep_tree(4000)
    assert constituency(li14(tree)) == tree
    assert hirao13(tree).heads == li14(tree).heads
    assert debinarise(binarise(tree)) == tree
    star = join([(leaf(), "nucleus", "list")] * 4000)
    assert debinarise(binarise(star)) == star
