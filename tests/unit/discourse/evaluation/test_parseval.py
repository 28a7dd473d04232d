"""Parseval scores: the two variants against literal code, the identity between them, a worked example."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discourse_nmt.discourse.evaluation.measures.parseval import parseval
from discourse_nmt.discourse.structures.conversions import binarise
from discourse_nmt.discourse.structures.relation_classes import coarse
from discourse_nmt.discourse.structures.trees import NUCLEUS, SATELLITE, SPAN, Nuclearity, RstTree, join, leaf

RELATIONS = ("elaboration-additional", "elaboration-attribute", "joint-list", "same-unit")

METRICS = ("Span", "Nuclearity", "Relation", "Full")


@st.composite
def trees(draw: st.DrawFn, edus: int | None = None) -> RstTree:
    """Binary trees of the given or any small number of EDUs."""
    parts = [leaf() for _ in range(draw(st.integers(1, 9)) if edus is None else edus)]
    while len(parts) > 1:
        place = draw(st.integers(0, len(parts) - 2))
        relation = draw(st.sampled_from(RELATIONS))
        roles: tuple[Nuclearity, Nuclearity] = draw(
            st.sampled_from([(NUCLEUS, SATELLITE), (SATELLITE, NUCLEUS), (NUCLEUS, NUCLEUS)])
        )
        several = roles == (NUCLEUS, NUCLEUS)
        labels = [relation if several or role == SATELLITE else SPAN for role in roles]
        joined = join([(part, role, label) for part, role, label in zip(parts[place : place + 2], roles, labels)])
        parts[place : place + 2] = [joined]
    return parts[0]


Item = tuple[int, int, str, str]


def literal_original(tree: RstTree, number: int = 0) -> list[Item]:
    """Constituents of original Parseval as Morey et al. describe them: decisions to attach, with kind and relation."""
    below = tree.children[number]
    if not below:
        return []
    left, right = (tree.nodes[child] for child in below)
    kind = left.nuclearity[0] + right.nuclearity[0]
    relation = left.relation if kind == "sn" else right.relation
    here = (tree.nodes[number].first_edu, tree.nodes[number].last_edu, kind, relation.split("-")[0])
    return [here, *literal_original(tree, below[0]), *literal_original(tree, below[1])]


def literal_rst(tree: RstTree, number: int = 0) -> list[Item]:
    """Constituents of RST-Parseval, as Marcu writes them: the root has no label and is none."""
    node = tree.nodes[number]
    here = [(node.first_edu, node.last_edu, node.nuclearity, node.relation.split("-")[0])] if number else []
    return here + [item for child in tree.children[number] for item in literal_rst(tree, child)]


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_both_variants_are_their_literal_definitions(data: st.DataObject) -> None:
    edus = data.draw(st.integers(1, 9))
    gold, predicted = data.draw(trees(edus)), data.draw(trees(edus))
    for variant, literal in (("original", literal_original), ("rst", literal_rst)):
        left, right = literal(gold), literal(predicted)
        counts = parseval(gold, predicted, variant="original" if variant == "original" else "rst")
        for metric, fields in zip(METRICS, ((0, 1), (0, 1, 2), (0, 1, 3), (0, 1, 2, 3))):
            remaining = [tuple(one[field] for field in fields) for one in right]
            matched = 0
            for one in left:
                item = tuple(one[field] for field in fields)
                if item in remaining:
                    remaining.remove(item)
                    matched += 1
            assert (counts[metric].right, counts[metric].gold) == (matched, len(left)), (variant, metric)
            assert counts[metric].predicted == len(right)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_span_of_rst_parseval_follows_from_original_parseval(data: st.DataObject) -> None:
    edus = data.draw(st.integers(2, 9))
    gold, predicted = data.draw(trees(edus)), data.draw(trees(edus))
    original = parseval(gold, predicted)["Span"].f1
    assert parseval(gold, predicted, variant="rst")["Span"].f1 == pytest.approx((100 + original) / 2)


@settings(max_examples=60, deadline=None)
@given(trees())
def test_a_tree_agrees_with_itself_and_numbers_of_constituents_are_known(tree: RstTree) -> None:
    edus = len(tree.leaves)
    for variant, expected in (("original", edus - 1), ("rst", 2 * (edus - 1))):
        for counts in parseval(tree, tree, variant="original" if variant == "original" else "rst").values():
            assert counts.right == counts.gold == counts.predicted == expected


def example() -> tuple[RstTree, RstTree]:
    """Gold ((1 <- 2) <- 3), predicted (1 <- (2 & 3))."""
    satellite = (leaf(), SATELLITE, "elaboration-additional")
    gold = join([(join([(leaf(), NUCLEUS, SPAN), satellite]), NUCLEUS, SPAN), (leaf(), SATELLITE, "causal-cause")])
    pair = join([(leaf(), NUCLEUS, "joint-list"), (leaf(), NUCLEUS, "joint-list")])
    return gold, join([(leaf(), NUCLEUS, SPAN), (pair, SATELLITE, "causal-result")])


def test_worked_example() -> None:
    gold, predicted = example()
    original, rst = parseval(gold, predicted), parseval(gold, predicted, variant="rst")
    assert [original[metric].f1 for metric in METRICS] == [50, 50, 50, 50]  # the root: a satellite on the right, causal
    # Of gold's (1 nucleus span) (2 satellite elaboration) (3 satellite causal) (1-2 nucleus span) the spans 1, 2, 3
    # are right; of the labels only that of 1.
    assert [rst[metric].f1 for metric in METRICS] == [75, 25, 25, 25]


def test_relations_are_compared_by_class_unless_told_otherwise() -> None:
    gold, predicted = example()
    assert parseval(gold, predicted, label=str)["Relation"].right == 0
    assert [coarse(name) for name in ("same-unit", "joint", "Elaboration-additional", SPAN)] == [
        "same",
        "joint",
        "elaboration",
        SPAN,
    ]


def test_different_units_are_compared_by_their_places() -> None:
    gold, _ = example()
    predicted = join([(leaf(), NUCLEUS, SPAN), (leaf(), SATELLITE, "causal-result")])
    places = [(0, 4), (4, 6), (6, 9)]
    counts = parseval(gold, predicted, places, [(0, 6), (6, 9)])
    assert (counts["Full"].right, counts["Full"].gold, counts["Full"].predicted) == (1, 2, 1)
    assert (counts["Span"].precision, counts["Span"].recall) == (100, 50)
    rst = parseval(gold, predicted, places, [(0, 6), (6, 9)], variant="rst")["Full"]
    assert (rst.right, rst.gold, rst.predicted) == (2, 4, 2)  # EDU 3, and the nucleus before it as one EDU or two


def test_one_unit_has_nothing_to_find() -> None:
    gold, _ = example()
    assert all(counts.empty for counts in parseval(leaf(), leaf()).values())
    counts = parseval(gold, leaf(), [(0, 4), (4, 6), (6, 9)], [(0, 9)])["Span"]
    assert (counts.recall, counts.precision, counts.f1) == (0, 0, 0)


def test_numbers_of_units_must_fit() -> None:
    gold, _ = example()
    with pytest.raises(ValueError, match="3 and 1 EDUs"):
        parseval(gold, leaf())
    with pytest.raises(ValueError, match="2 EDUs for a tree of 3"):
        parseval(gold, gold, [(0, 1), (1, 2)], [(0, 1), (1, 2)])


def test_binarised_trees_have_one_constituent_per_unit_but_one() -> None:
    nuclei = [(leaf(), NUCLEUS, "joint-list")] * 4
    assert parseval(binarise(join(nuclei)), binarise(join(nuclei)))["Full"].right == 3
