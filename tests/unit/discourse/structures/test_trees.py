"""Trees, dependencies and spans: what they accept, what they refuse, and depth without recursion."""

import pytest

from discourse_nmt.discourse.structures.dependencies import Dependencies, check_heads, labelled, split_label
from discourse_nmt.discourse.structures.mentions import Chain, Mention, Span, check_edus, edus_of_starts, head_of_span
from discourse_nmt.discourse.structures.trees import RstNode, RstTree, StructureError, assemble
from tests.unit.discourse.structures.discourse_examples import deep_tree, tree_a


def test_join_numbers_nodes_in_pre_order() -> None:
    tree = tree_a()
    assert [(node.parent, node.first_edu, node.last_edu) for node in tree.nodes] == [
        (-1, 0, 3), (0, 0, 0), (0, 1, 3), (2, 1, 2), (3, 1, 1), (3, 2, 2), (2, 3, 3),
    ]  # fmt: skip
    assert tree.texts == ("e1", "e2", "e3", "e4")
    assert tree.leaves == (1, 4, 5, 6)
    assert tree.depths == (0, 1, 1, 2, 3, 3, 2)
    assert tree.heads == (0, 0, 1, 1, 1, 2, 3)
    assert [tree.joining_relation(number) for number in (0, 2, 3)] == ["evidence", "joint", "elaboration"]


ROOT = RstNode(-1, 0, 1, "root", "ROOT")
LEFT = RstNode(0, 0, 0, "nucleus", "x")


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([], "node 0 is not a root"),
        ([RstNode(-1, 0, 0, "nucleus", "ROOT")], "node 0 is not a root"),
        ([ROOT, RstNode(0, 0, 0, "nucleus", "joint")], "node 0 has a single child"),
        (
            [ROOT, RstNode(0, 0, 0, "nucleus", "span"), RstNode(0, 2, 2, "satellite", "cause")],
            "node 2 covers EDUs 2 to 2, but EDU 1",
        ),
        (
            [ROOT, RstNode(0, 0, 0, "nucleus", "span"), RstNode(0, 0, 1, "satellite", "cause")],
            "node 2 covers EDUs 0 to 1",
        ),
        (
            [ROOT, RstNode(0, 0, 0, "satellite", "x"), RstNode(0, 1, 1, "satellite", "x")],
            "node 0 has no nucleus",
        ),
        (
            [ROOT, RstNode(0, 0, 0, "nucleus", "cause"), RstNode(0, 1, 1, "satellite", "cause")],
            "node 0 has one nucleus, whose relation must be 'span'",
        ),
        ([ROOT, LEFT, RstNode(0, 1, 1, "root", "x")], "neither nucleus nor satellite"),
        ([ROOT, LEFT, RstNode(0, 1, 1, "nucleus", "")], "without a relation"),
        ([ROOT, LEFT, RstNode(5, 1, 1, "nucleus", "x")], "node 2 does not follow its parent 5"),
        ([RstNode(-1, 0, 2, "root", "ROOT"), LEFT, RstNode(0, 1, 1, "nucleus", "x")], "node 0 ends at EDU 2"),
    ],
)  # fmt: skip
def test_faults_name_the_node(nodes: list[RstNode], message: str) -> None:
    with pytest.raises(StructureError, match=message):
        RstTree(tuple(nodes))


def test_texts_must_be_one_per_edu() -> None:
    with pytest.raises(StructureError, match="1 texts for 4 EDUs"):
        RstTree(tree_a().nodes, ("only one",))


@pytest.mark.parametrize(
    ("children", "message"),
    [
        ({"top": ["a", "c"]}, "its children a and c are not adjacent"),
        ({"top": ["a", "x"], "x": ["a", "b"]}, "node a has two parents"),
        ({"top": ["a", "x"], "x": ["top", "b"]}, "node top has two parents or is its own ancestor"),
        ({"top": ["a", "group"]}, "node group covers no EDU"),
        ({"top": ["a", "b"], "b": ["c"]}, "node b is a leaf and has children"),
    ],
)
def test_assemble_names_the_file_s_nodes(children: dict[str, list[str]], message: str) -> None:
    names = {"top", *children, *(child for below in children.values() for child in below)}
    roles = dict.fromkeys(names, ("nucleus", "joint"))
    with pytest.raises(StructureError, match=message):
        assemble("top", children, roles, {"a": 0, "b": 1, "c": 2})  # type: ignore[arg-type]


def test_depth_of_thousands_needs_no_recursion() -> None:
    tree = deep_tree(6000)
    assert max(tree.depths) == 5999
    assert tree == deep_tree(6000)
    assert hash(tree) == hash(deep_tree(6000))
    assert tree.heads[0] == 0


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ((1, 0), "no EDU is a root"),
        ((-1, 2, 1), "EDU 1 is its own ancestor"),
        ((-1, 1), "EDU 1 is its own ancestor"),
        ((-1, 7), "EDU 1 has the head 7, which is no EDU"),
        ((-1, -2), "EDU 1 has the head -2"),
    ],
)
def test_heads_form_a_forest(heads: tuple[int, ...], message: str) -> None:
    with pytest.raises(StructureError, match=message):
        check_heads(heads)


def test_dependencies_know_their_shape() -> None:
    dependencies = Dependencies((2, 0, -1, 1, 2), ("a_r", "b_r", "ROOT", "c_r", "d_m"))
    assert dependencies.roots == (2,)
    assert dependencies.children == ((1,), (3,), (0, 4), (), ())
    assert sorted(dependencies.top_down) == [0, 1, 2, 3, 4]
    assert dependencies.yields[1] == (1, 3)
    assert dependencies.gaps == (0, 1)  # EDU 2 lies inside the spans of 0 and 1 and is not theirs
    with pytest.raises(StructureError, match=r"EDU 0 .* has head -1 and relation 'a_r'"):
        Dependencies((-1,), ("a_r",))
    with pytest.raises(StructureError, match="2 heads, 1 relations"):
        Dependencies((-1, 0), ("ROOT",))


def test_labels_split_into_relation_and_role() -> None:
    assert split_label(labelled("joint-list", "nucleus")) == ("joint-list", "nucleus")
    assert split_label(labelled("evidence", "satellite")) == ("evidence", "satellite")
    assert split_label("enablement") == ("enablement", "satellite")


def test_edus_tile_their_sentences() -> None:
    edus = edus_of_starts([[False, False, True], [], [True, True]])
    assert edus == (Span(0, 0, 2), Span(0, 2, 3), Span(2, 0, 1), Span(2, 1, 2))
    check_edus(edus, [3, 0, 2])
    for broken, lengths, message in [
        (edus[1:], [3, 0, 2], "EDU 0 .* begins at word 2 of sentence 0, not at word 0"),
        (edus[:-1], [3, 0, 2], "the EDUs of sentence 2 end at word 1 of 2"),
        (edus[::-1], [3, 0, 2], "begins at word 1 of sentence 2"),
        (edus, [3, 0], "EDU 2 .* is in sentence 2"),
    ]:
        with pytest.raises(StructureError, match=message):
            check_edus(broken, lengths)


def test_mentions_and_chains_are_checked() -> None:
    with pytest.raises(StructureError, match="has no span from 2 to 2"):
        Span(0, 2, 2)
    with pytest.raises(StructureError, match="is not inside the mention"):
        Mention(Span(0, 2, 4), Span(0, 1, 2))
    first, second = Mention(Span(0, 0, 2), Span(0, 1, 2)), Mention(Span(1, 0, 1), Span(1, 0, 1))
    assert Chain((first, second)).mentions == (first, second)
    for mentions in ((), (second, first), (first, first)):
        with pytest.raises(StructureError):
            Chain(mentions)


def test_head_of_a_span_is_the_word_governed_from_outside() -> None:
    heads = (1, 4, 3, 1, -1)  # "the owner of dogs left"
    assert head_of_span(Span(0, 0, 4), heads) == Span(0, 1, 2)
    assert head_of_span(Span(0, 2, 4), heads) == Span(0, 3, 4)
    assert head_of_span(Span(0, 0, 5), heads) == Span(0, 4, 5)
