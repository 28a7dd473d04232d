"""Readers and writers of trees and dependencies: the traps of each format, and faults told in one line."""

import pytest

from discourse_nmt.base.errors import InputError
from discourse_nmt.discourse.formats.brackets import read_brackets
from discourse_nmt.discourse.formats.dis import read_dis
from discourse_nmt.discourse.formats.dplp import read_merge
from discourse_nmt.discourse.formats.rs3 import read_rs3, write_rs3
from discourse_nmt.discourse.formats.rs3_trees import graph_of_tree, tree_of_graph
from discourse_nmt.discourse.formats.rsd import RsdDocument, read_rsd
from discourse_nmt.discourse.formats.scidtb import read_scidtb
from discourse_nmt.discourse.formats.stagedp import read_stagedp
from discourse_nmt.discourse.structures.conversions import hirao13, li14
from discourse_nmt.discourse.structures.mentions import Span
from discourse_nmt.discourse.structures.trees import RstTree, StructureError, join, leaf
from tests.unit.discourse.formats.writers import write_brackets, write_dis, write_rsd, write_scidtb
from tests.unit.discourse.structures.discourse_examples import (
    BRACKETS,
    DIS,
    MERGE,
    RS4,
    RSD,
    SCIDTB,
    STAGEDP,
    deep_tree,
    tree_a,
    trees,
)


def test_dis_texts_hold_parentheses_and_foreign_marks() -> None:
    text = DIS.replace("_!e2_!", "_!(e2) (text _! ( Nucleus_!").replace("\n", " //TT_ERR\n", 2)
    tree = read_dis(text.replace(" //TT_ERR", "", 1), "x.dis")
    assert tree.nodes == tree_a().nodes
    assert tree.texts[1] == "(e2) (text _! ( Nucleus"
    assert read_dis("( Root (leaf 1) (text _!alone_!) )", "x").texts == ("alone",)


def test_dis_is_written_as_gum_writes_it() -> None:
    assert DIS.splitlines()[:3] == [
        "( Root (span 1 4) ",
        "  ( Nucleus (leaf 1) (rel2par span) (text _!e1_!) )",
        "  ( Satellite (span 2 4) (rel2par evidence)",
    ]
    with pytest.raises(ValueError, match="needs a text without"):
        write_dis(join([(leaf(), "nucleus", "a"), (leaf(), "nucleus", "a")]))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(span 2 4)", "(span 2 5)", "x.dis:3: Satellite of EDUs 2 to 5 covers EDUs 2 to 4"),
        ("(leaf 3)", "(leaf 4)", "x.dis:6: Satellite of EDU 4, but EDU 3 comes next"),
        ("Satellite (leaf 3)", "Nucleus (leaf 3)", None),
        ("( Satellite (leaf 3)", "( Satelite (leaf 3)", "x.dis:6: not a node of a .dis tree"),
        (" (text _!e3_!)", "", "x.dis:6: Satellite of EDU 3: a leaf has a text"),
        ("(rel2par evidence)", "", "x.dis:3: Satellite of EDUs 2 to 4 has no rel2par"),
        ("\n)\n", "\n", "the tree ends before its last parenthesis"),
        ("\n)\n", "\n)\n(", "text after the end of the tree"),
        ("Nucleus (leaf 1)", "Root (leaf 1)", "x.dis:2: Root of EDU 1 is out of place"),
        ("Nucleus (leaf 1)", "Satellite (leaf 1)", "x.dis: node Root of EDUs 1 to 4 .*nucleus"),
    ],
)  # fmt: skip
def test_dis_faults(old: str, new: str, message: str | None) -> None:
    text = DIS.replace(old, new)
    assert text != DIS
    if message is None:
        assert read_dis(text, "x.dis").nodes[5].relation == "elaboration"
        return
    with pytest.raises(InputError, match=message):
        read_dis(text, "x.dis")


def test_brackets_are_in_post_order_without_the_root() -> None:
    assert BRACKETS.splitlines() == [
        "((1, 1), 'Nucleus', 'span')",
        "((2, 2), 'Nucleus', 'span')",
        "((3, 3), 'Satellite', 'elaboration')",
        "((2, 3), 'Nucleus', 'joint')",
        "((4, 4), 'Nucleus', 'joint')",
        "((2, 4), 'Satellite', 'evidence')",
    ]
    assert read_brackets("\n".join(reversed(BRACKETS.splitlines())), "x", tree_a().texts) == tree_a()
    assert read_brackets(BRACKETS.replace("'", '"'), "x", tree_a().texts) == tree_a()
    assert read_brackets("", "x", ["alone"]) == leaf("alone")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("(2, 3)", "(1, 3)", "x: span 2 to 4 crosses 1 to 3"),
        ("(2, 3)", "(3, 2)", "x:4: span 3 to 2 is there twice or empty"),
        ("((2, 2), 'Nucleus', 'span')\n", "", "x: EDU 2 is in no child of span 2 to 3"),
        ("((1, 1), 'Nucleus', 'span')\n", "", "x: EDU 1 is in no child of span 1 to 4"),
        ("'Nucleus', 'joint'", "'Nukleus', 'joint'", "x:4: .* is not like"),
    ],
)  # fmt: skip
def test_brackets_faults(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_brackets(BRACKETS.replace(old, new), "x")
    with pytest.raises(InputError, match="1 texts for 4 EDUs"):
        read_brackets(BRACKETS, "x", ["one"])


def test_rsd_rows_carry_levels_and_suffixes() -> None:
    assert RSD.splitlines()[3] == "4\te4\t1\t_\t_\t_\t2\tjoint_m\t_\t_"
    assert read_rsd(RSD, "x").dependencies == li14(tree_a())
    forest = RsdDocument(hirao13(tree_a()), tree_a().texts)
    assert read_rsd(write_rsd(forest), "x").dependencies.heads == forest.dependencies.heads


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\t2\tjoint_m", "\t4\tjoint_m", "x: EDU 4 is its own ancestor"),
        ("\t2\tjoint_m", "\t9\tjoint_m", "x: EDU 4 has the head 9"),
        ("\t2\tjoint_m", "\tx\tjoint_m", "x:4: head 'x' is not a whole number"),
        ("\t2\tjoint_m", "\t0\tjoint_m", "x:4: EDU 4 has head 0 and relation 'joint_m'"),
        ("4\te4", "5\te4", "x:4: EDU 5, but EDU 4 comes next"),
        ("4\te4\t", "4\te4\t\t", "x:4: 11 columns"),
    ],
)
def test_rsd_faults(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_rsd(RSD.replace(old, new), "x")


def test_rs4_keeps_edges_and_signals_and_gives_the_tree() -> None:
    graph = read_rs3(RS4, "x.rs4")
    assert write_rs3(graph) == RS4
    assert graph.secondary_edges[0].relation == "evidence"
    assert graph.signals[0].tokens == (5, 6)
    pair = join([(leaf('because "A"'), "nucleus", "joint"), (leaf("and B ."), "nucleus", "joint")])
    expected = join([(leaf("It rained & <poured>"), "nucleus", "span"), (pair, "satellite", "evidence")])
    assert tree_of_graph(graph, "x.rs4") == expected


def test_rs3_satellites_attach_to_segments_groups_and_multinuclear_groups() -> None:
    body = (
        '<segment id="1" parent="2" relname="cause">a</segment>'
        '<segment id="2" parent="9" relname="joint">b</segment>'
        '<segment id="3" parent="9" relname="joint">c</segment>'
        '<segment id="4" parent="9" relname="cause">d</segment>'
        '<group id="9" type="multinuc"/>'
    )
    relations = '<relations><rel name="joint" type="multinuc"/><rel name="cause"/></relations>'
    header = f"<header><encoding/>{relations}</header>"
    tree = tree_of_graph(read_rs3(f"<rst>{header}<body>{body}</body></rst>".encode(), "x"), "x")
    left = join([(leaf("a"), "satellite", "cause"), (leaf("b"), "nucleus", "span")])
    pair = join([(left, "nucleus", "joint"), (leaf("c"), "nucleus", "joint")])
    assert tree == join([(pair, "nucleus", "span"), (leaf("d"), "satellite", "cause")])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (' parent="5" relname="span"', "", "x: 2 nodes have no parent"),
        ('type="span"/>', 'type="span" parent="4" relname="span"/>', "x: 0 nodes have no parent"),
        ('id="2" parent="4"', 'id="2" parent="5"', "x: node 4 with its satellites: |x: node .*not adjacent"),
        ('parent="1" relname="evidence"', 'parent="77" relname="evidence"', "x: node 4 has the parent 77"),
        ('parent="1" relname="evidence"', 'parent="4" relname="joint"', "x: node .* in a cycle|not adjacent"),
        ('parent="1" relname="evidence"', 'parent="1"', "x:15: node 4 has a parent and no relname"),
        ('id="3" parent', 'id="2" parent', "x:14: node 2 is there twice"),
        ('type="span"', 'type="spam"', "x:16: a group of the type 'spam'"),
        ('source="3" target="1"', 'source="3" target="8"', "x: secondary edge 3-1 names node 8"),
        ('tokens="5,6"', 'tokens="5,a"', "x:21: word 'a' is not a whole number"),
        ("<body>", "<body><video/>", "x:11: <video> has no place in <body>"),
        ("<rst>", '<!DOCTYPE r [<!ENTITY a "b">]><rst>', "x:1: a document type declaration is not allowed"),
        ("</segment>", "</segmen>", "x:12: not XML"),
        ("and B .", "&unknown;", "not XML"),
    ],
)  # fmt: skip
def test_rs3_faults_name_the_node(old: str, new: str, message: str) -> None:
    text = RS4.replace(old, new)
    assert text != RS4
    with pytest.raises(InputError, match=message):
        tree_of_graph(read_rs3(text, "x"), "x")


def test_rs3_honours_a_declared_encoding() -> None:
    text = '<?xml version="1.0" encoding="iso-8859-1"?><rst><body><segment id="1">Öl</segment></body></rst>'
    assert tree_of_graph(read_rs3(text.encode("latin-1"), "x"), "x").texts == ("Öl",)
    with pytest.raises(InputError, match="not XML"):
        read_rs3(text.replace("iso-8859-1", "utf-8").encode("latin-1"), "x")
    with pytest.raises(InputError, match="encoding"):
        read_rs3(text.replace("iso-8859-1", "shift-jis").encode("latin-1"), "x")


def test_random_trees_survive_every_tree_format() -> None:
    for tree in [*trees(), deep_tree(1500)]:
        texts = tree.texts or tuple(f"]]> & {number} <\r" for number in range(len(tree.leaves)))
        tree = RstTree(tree.nodes, texts)
        assert read_dis(write_dis(tree), "x") == tree
        assert read_brackets(write_brackets(tree), "x", texts) == tree
        assert tree_of_graph(read_rs3(write_rs3(graph_of_tree(tree)), "x"), "x") == tree


def test_rs3_refuses_what_it_cannot_hold() -> None:
    parts = [(leaf(), "nucleus", "joint"), (leaf(), "nucleus", "joint"), (leaf(), "satellite", "cause")]
    with pytest.raises(StructureError, match="several nuclei beside satellites"):
        graph_of_tree(join(parts))  # type: ignore[arg-type]


def test_scidtb_has_a_byte_order_mark_and_unattached_units() -> None:
    document = read_scidtb(SCIDTB.encode(), "x")
    assert document.dependencies.heads == (-1, 0, -1)
    assert document.dependencies.relations == ("ROOT", "enablement", "ROOT")
    assert document.texts == ("We try", "to win .", "Ha")
    assert document.sentences == (0, 0, 1)
    assert read_scidtb(write_scidtb(document), "x") == document
    for old, new, message in [
        ('"parent": 1', '"parent": 2', "x: EDU 2 is its own ancestor"),
        ('"parent": 1', '"parent": 9', "x: EDU 2 has the head 9"),
        ('"parent": 1', '"parent": "1"', "x: unit 2 has no parent of the right type"),
        ('"id": 2', '"id": 3', "x: unit 2 has the id 3"),
        ('"root"', '"roots"', "x: not a SciDTB file"),
        ("]}", "]", "x:1: not JSON"),
    ]:
        with pytest.raises(InputError, match=message):
            read_scidtb(SCIDTB.replace(old, new), "x")
    with pytest.raises(InputError, match="not JSON"):
        read_scidtb("[" * 100_000, "x")


def test_dplp_joins_words_and_tree() -> None:
    document = read_merge(MERGE, "x.merge")
    tree = read_brackets(BRACKETS, "x.brackets", document.texts)
    assert document.sentences == (("We", "win"), ("He", "does"), (".",))
    assert document.edus == (Span(0, 0, 1), Span(0, 1, 2), Span(1, 0, 2), Span(2, 0, 1))
    assert tree.nodes == tree_a().nodes
    assert tree.texts == ("We", "win", "He does", ".")
    for old, new, message in [
        ("\t4\n", "\t5\n", "x:7: EDU 5, but EDU 4 comes next"),
        ("\t4\n", "\t3\n", "x:7: EDU 3 goes on into sentence 2; an EDU must lie in one sentence"),
        ("2\t1\t.", "3\t1\t.", "x:7: sentence 3, but sentence 2 comes next"),
        ("2\t1\t.", "2\t2\t.", "x:7: word 2 of sentence 2 is out of order"),
        ("\t4\n", "\n", "x:7: 9 columns"),
    ]:
        with pytest.raises(InputError, match=message):
            read_merge(MERGE.replace(old, new), "x")
    with pytest.raises(InputError, match="4 texts for 1 EDUs"):
        read_brackets("", "x.brackets", document.texts)


def test_stagedp_labels_give_both_roles() -> None:
    tree = read_stagedp(STAGEDP, "x")
    pair = join([(leaf("a b"), "nucleus", "Joint"), (leaf("c"), "nucleus", "Joint")])
    expected = join([(leaf("We win -LRB- now"), "nucleus", "span"), (pair, "satellite", "Evidence")])
    assert tree == expected
    numbered = read_stagedp("( SN-Attribution (EDU 1)\n(EDU 2))", "x")
    assert [node.nuclearity for node in numbered.nodes] == ["root", "satellite", "nucleus"]
    assert numbered.texts == ()
    for text, message in [
        (STAGEDP[:-1], "x:3: the tree ends before"),
        (STAGEDP.replace("NN-", "SS-"), "x: node SS-Joint number 2 has no nucleus"),
        (STAGEDP.replace("(EDU _!c!_)", ""), "x:3: NN-Joint number 2 has not two children"),
        (STAGEDP.replace("NN-Joint", "Joint"), "x:3: not a node of a tree"),
        ("(NN-Joint (EDU 1) (EDU 3))", "x:1: EDU 2 has the number 3"),
        ("", "the tree ends before"),
    ]:
        with pytest.raises(InputError, match=message):
            read_stagedp(text, "x")
